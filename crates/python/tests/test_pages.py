"""The Python code of the documents runs as it is written there, and so do the examples."""

import pathlib
import re
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
DOCUMENTS = PACKAGE.parents[1] / "docs"


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


def test_the_environment_is_played_by_its_controller():
    sys.path.insert(0, str(PACKAGE / "examples"))
    import environment

    assert environment.main() > 8.0
