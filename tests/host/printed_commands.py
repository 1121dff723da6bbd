"""Runs every command of the README, docs/command.md, the manual and the worksheets, as a reader would.

    python3 tests/host/printed_commands.py target/release/touchback

Each page's commands run in a copy of its folder. The README speaks of a piece, a stroke and a curve of
the reader's own: it gets a piece of the manual's, the stroke it prints and a curve.
"""

import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["docs/lab", "docs/sources", "docs/manual", "docs/manual/examples"]
# Another program's, run by other checks, or without an end.
NOT_RUN = ("cargo ", "python3 ")
# The command's own tests compare what it prints with its page.
TESTED = ["touchback lab validate"]


def blocks(page, language):
    """The fenced blocks of a page."""
    parts = page.read_text(encoding="utf-8").split(f"```{language}\n")[1:]
    return [part.split("```")[0] for part in parts]


def commands(page):
    """The lines of a page's `sh` blocks; one that ends in a backslash goes on."""
    for block in blocks(page, "sh"):
        yield from filter(None, block.replace("\\\n", " ").splitlines())


def run_page(page, folder, touchback, done):
    for line in commands(page):
        if line.startswith(NOT_RUN) or line in TESTED or line in done:
            continue
        assert shlex.split(line)[0] == "touchback", f"{page}: {line}"
        shell = ["bash", "-o", "pipefail", "-c", f'touchback() {{ "{touchback}" "$@"; }}; {line}']
        result = subprocess.run(shell, cwd=folder, capture_output=True, text=True)
        assert result.returncode == 0, f"{page}: {line}\n{result.stderr}"
        done.add(line)


def main(touchback):
    touchback = str(pathlib.Path(touchback).resolve())
    done = set()
    with tempfile.TemporaryDirectory() as work:
        # All first: pages use files of other folders.
        for folder in FOLDERS:
            shutil.copytree(ROOT / folder, pathlib.Path(work, folder), dirs_exist_ok=True)
        for folder in FOLDERS:
            copy = pathlib.Path(work, folder)
            for page in sorted(copy.glob("*.md")):
                run_page(page, copy, touchback, done)
        mine = pathlib.Path(work, "mine")
        mine.mkdir()
        (mine / "corpus").mkdir()
        for piece in ("piece.mid", "corpus/piece.mid"):
            shutil.copy(ROOT / "docs/manual/examples/minuet.mid", mine / piece)
        (mine / "files.txt").write_text("piece.mid\ncorpus/piece.mid\n", encoding="utf-8")
        (mine / "curve.csv").write_text("t_s,value\n0,-1\n20,1\n", encoding="utf-8")
        readme = ROOT / "README.md"
        stroke = next(block for block in blocks(readme, "toml") if "stroke.toml" in block)
        (mine / "stroke.toml").write_text(stroke, encoding="utf-8")
        run_page(readme, mine, touchback, done)
        run_page(ROOT / "docs/command.md", mine, touchback, done)
    assert len(done) > 30, len(done)
    print(f"{len(done)} printed commands ran")


if __name__ == "__main__":
    main(*sys.argv[1:])
