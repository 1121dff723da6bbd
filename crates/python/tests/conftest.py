"""The command, whose results the package must have bit for bit."""

import os
import pathlib
import subprocess

import pytest


@pytest.fixture(scope="session")
def command():
    """Runs `touchback` with these arguments; returns what it prints."""
    program = os.environ.get("TOUCHBACK")
    if program is None:
        pytest.fail("set TOUCHBACK to the command, such as target/release/touchback")
    program = pathlib.Path(program).resolve()

    def run(*arguments: object) -> str:
        words = [str(argument) for argument in arguments]
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
