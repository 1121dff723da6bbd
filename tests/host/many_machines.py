"""Runs the scripts of docs/many-machines.md as they are printed, and compares what they write.

    python3 tests/host/many_machines.py target/release/touchback

Slurm's variables are set here. Snakemake, Dask and the package touchback are used where they are installed.
"""

import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/many-machines.md").read_text(encoding="utf-8")
PIECES = ROOT / "docs/manual/examples"


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def run(command, folder, **variables):
    done = subprocess.run(
        command, cwd=folder, env=dict(os.environ, **variables), capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


def sounds(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*.wav"))}


def main(touchback):
    touchback = pathlib.Path(touchback).resolve()
    ran, missing = [], []
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "bin").mkdir()
        (work / "bin" / "touchback").symlink_to(touchback)
        path = f"{work / 'bin'}:{os.environ['PATH']}"
        (work / "corpus").mkdir()
        for name in "ab":
            shutil.copy(PIECES / "minuet.mid", work / "corpus" / f"{name}.mid")
        (work / "job.sh").write_text(blocks("bash")[0], encoding="utf-8")
        for part in "12":
            slurm = {"SLURM_ARRAY_TASK_ID": part, "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "1"}
            run(["bash", "job.sh"], work, PATH=path, **slurm)
        expected = sounds(work / "sound")
        assert len(expected) == 2, expected.keys()
        ran.append("Slurm's script")
        snakefile, *programs = blocks("python")
        if shutil.which("snakemake"):
            shutil.rmtree(work / "sound")
            (work / "Snakefile").write_text(snakefile, encoding="utf-8")
            run(["snakemake", "--cores", "2", "--quiet"], work, PATH=path)
            assert sounds(work / "sound") == expected
            ran.append("the Snakefile")
        else:
            missing.append("snakemake")
        for number, (needs, program) in enumerate(zip(("touchback", "dask.distributed"), programs)):
            absent = [name for name in ("touchback", needs.split(".")[0]) if not importlib.util.find_spec(name)]
            if absent:
                missing += absent
                continue
            (work / f"p{number}.py").write_text(program, encoding="utf-8")
            run([sys.executable, f"p{number}.py"], work)
            ran.append(needs)
    print("ran", ", ".join(ran))
    if missing:
        print("not installed:", ", ".join(missing))
    # The checks install all of them.
    return 1 if missing and os.environ.get("CI") else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
