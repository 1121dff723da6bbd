"""The Python code of the documents runs as it is written there, and so do the examples."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
DOCUMENTS = PACKAGE.parents[1] / "docs"
EXAMPLES = PACKAGE.parents[1] / "examples/python"


def example(name, *arguments):
    """What a program of the examples prints."""
    words = [sys.executable, EXAMPLES / name, *map(str, arguments), "--touchback", os.environ["TOUCHBACK"]]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("page", [PACKAGE / "README.md", DOCUMENTS / "python.md"], ids=lambda p: p.name)
def test_the_code_of_a_page_runs(page, tmp_path):
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks), encoding="utf-8")
    done = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["press", "regulation"])
def test_a_notebook_runs(name, tmp_path):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(PACKAGE / "examples" / f"{name}.ipynb", as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": tmp_path}}).execute()
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code and all(cell.execution_count for cell in code)


def test_an_open_set_has_key_hammer_and_sound(tmp_path, command):
    parquet = pytest.importorskip("pyarrow.parquet")
    scores, out = tmp_path / "scores", tmp_path / "set"
    scores.mkdir()
    for name in ("minuet", "prelude"):
        shutil.copy(DOCUMENTS / f"manual/examples/{name}.mid", scores)
    assert "2 files" in example("open_set.py", scores, out)
    whole = {file.relative_to(out).as_posix(): file.stat().st_size for file in out.rglob("*") if file.is_file()}
    for name in ("minuet", "prelude"):
        strikes, events, motion = (
            parquet.read_table(out / f"motion/scores/{name}.{kind}.parquet").to_pandas()
            for kind in ("strikes", "events", "motion")
        )
        struck = events[events.kind == "strike"]
        assert list(struck.time_s) == list(strikes.time_s) and len(strikes) > 20
        # Each strike has a key that is down and a hammer that has risen.
        first = motion[(motion.key == strikes.key[0]) & (motion.time_s < strikes.time_s[0] + 0.1)]
        assert first.key_mm.max() > 5.0 and first.hammer_mm.max() > 30.0
        assert (out / f"sound/scores/{name}.flac").read_bytes()[:4] == b"fLaC"
    assert "2 files" in (out / "README.md").read_text(encoding="utf-8")
    smaller = tmp_path / "smaller"
    sizes = [sum(size for file, size in whole.items() if name in file) for name in ("minuet", "prelude")]
    example("open_set.py", scores, smaller, "--megabytes", 1e-6 * (max(sizes) - 1))
    left = sorted(file.stem for file in (smaller / "sound").rglob("*.flac"))
    assert left == [("minuet", "prelude")[sizes.index(min(sizes))]]
    lines = (smaller / "sound/manifest.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["name"] for line in lines[1:]] == [f"scores/{left[0]}"]


def test_pianos_stand_beside_recordings(tmp_path, command):
    folder, other = tmp_path / "recorded", tmp_path / "other"
    folder.mkdir()
    score = folder / "minuet.mid"
    shutil.copy(DOCUMENTS / "manual/examples/minuet.mid", score)
    command("render", score, "-o", folder / "minuet.wav", "--sample-rate", 44100)
    command("render", score, "-o", tmp_path / "minuet.wav", "--preset", "viennese", "--sample-rate", 22050)
    other.mkdir()
    shutil.move(tmp_path / "minuet.wav", other / "minuet.wav")
    rows = [row.strip("| ").split(" | ") for row in example("compare_recordings.py", folder, f"Viennese={other}").splitlines()]
    assert [row[0] for row in rows[2:]] == ["Viennese", "Touchback"]
    far, near = ([float(value) for value in row[2:]] for row in rows[2:])
    # The same piano at another rate, and another piano.
    assert near[0] < 1.5 and near[1] < 0.05, near
    assert all(a > 3.0 * b for a, b in zip(far, near)), (far, near)
