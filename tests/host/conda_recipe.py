"""Reads the conda recipe with rattler-build's own reader, and compares it with the packages:

    python3 tests/host/conda_recipe.py

It builds nothing: that needs conda's channels. Needs py-rattler-build.
"""

import pathlib
import re
import tomllib

from rattler_build import Stage0Recipe, VariantConfig

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPE = ROOT / "packaging/conda/recipe.yaml"
VARIANTS = """\
c_compiler: [gcc]
c_stdlib: [sysroot]
c_stdlib_version: ["2.28"]
rust_compiler: [rust]
python: ["3.12.* *_cpython"]
"""


def main():
    own = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]
    python = tomllib.loads((ROOT / "crates/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
    [rendered] = Stage0Recipe.from_file(RECIPE).render(VariantConfig.from_yaml(VARIANTS))
    package = rendered.recipe.package
    assert (package.name, package.version) == ("touchback", own["version"]), (package.name, package.version)
    text = RECIPE.read_text(encoding="utf-8")
    assert f"license: {own['license']}" in text
    run = [re.sub(r"\s+", "", line) for line in re.search(r"\n  run:\n((?:    - .*\n)+)", text)[1].split("- ")[1:]]
    assert run == [f"python{python['requires-python']}", *python["dependencies"]], run
    print("the conda recipe renders:", rendered.recipe.package.name, rendered.recipe.package.version)


if __name__ == "__main__":
    main()
