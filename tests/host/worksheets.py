"""Runs every command of the worksheets in docs/lab, as a reader would.

    python3 tests/host/worksheets.py target/release/touchback
"""

import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile


def commands(page):
    """The lines of a page's `sh` blocks."""
    block = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            block = line == "```sh"
        elif block:
            yield line


def main(touchback):
    touchback = str(pathlib.Path(touchback).resolve())
    sheets = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lab"
    count = 0
    done = set()
    with tempfile.TemporaryDirectory() as folder:
        for gesture in sheets.glob("*.toml"):
            shutil.copy(gesture, folder)
        for page in sorted(sheets.glob("*.md")):
            for line in commands(page):
                name, *arguments = shlex.split(line)
                assert name == "touchback", f"{page.name}: {line}"
                if line in done:
                    continue
                result = subprocess.run(
                    [touchback, *arguments], cwd=folder, capture_output=True, text=True
                )
                assert result.returncode == 0, f"{page.name}: {line}\n{result.stderr}"
                done.add(line)
                count += 1
    assert count > 10, count
    print(f"{count} commands of the worksheets ran")


if __name__ == "__main__":
    main(*sys.argv[1:])
