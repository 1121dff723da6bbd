#!/usr/bin/env python3
"""Lists the public items of the published packages, one per line, and compares them with docs/api/PACKAGE.txt.

    tests/host/public_api.py           compares; exits 1 where an item has come or gone
    tests/host/public_api.py --write   writes the lists

An item is public if a user can name it: modules, types, functions, constants, macros, and re-exports by the name
that they have here. Methods, fields and variants are not listed.
"""
import json
import os
import pathlib
import subprocess
import sys

PACKAGES = ["core", "action", "sound", "device", "instrument"]
ROOT = pathlib.Path(__file__).resolve().parents[2]


def items(crate, module, path, seen):
    """Paths and kinds of what `module` shows."""
    for item in (crate["index"].get(str(i)) for i in module["inner"]["module"]["items"]):
        if item is None or item["visibility"] != "public" and "macro" not in item["inner"]:
            continue
        (kind,) = item["inner"]
        name = item["name"]
        if kind == "use":
            use = item["inner"]["use"]
            target = crate["index"].get(str(use["id"]))
            if use["is_glob"]:
                if target and "module" in target["inner"] and use["id"] not in seen:
                    yield from items(crate, target, path, seen | {use["id"]})
                continue
            kind, name = (next(iter(target["inner"])) if target else "use"), use["name"]
            if kind == "module":
                yield f"{path}::{name} ({kind})"
                yield from items(crate, target, f"{path}::{name}", seen)
                continue
        if kind == "impl":
            continue
        yield f"{path}::{name} ({kind})"
        if kind == "module":
            yield from items(crate, item, f"{path}::{name}", seen)


def listing(package):
    """The sorted list of one package, from rustdoc's own description of it."""
    command = ["cargo", "rustdoc", "--quiet", "-p", f"touchback-{package}", "--lib", "--", "-Zunstable-options",
               "--output-format", "json"]
    # The description is an unstable option of the compiler's own documentation tool.
    subprocess.run(command, cwd=ROOT, env={**os.environ, "RUSTC_BOOTSTRAP": "1"}, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    crate = json.loads((target / f"doc/touchback_{package}.json").read_text())
    root = crate["index"][str(crate["root"])]
    return sorted(set(items(crate, root, f"touchback_{package}", frozenset())))


def main():
    write = sys.argv[1:] == ["--write"]
    differs = False
    for package in PACKAGES:
        now = listing(package)
        page = ROOT / f"docs/api/{package}.txt"
        if write:
            page.parent.mkdir(exist_ok=True)
            page.write_text("".join(f"{line}\n" for line in now))
        before = page.read_text().splitlines()
        for line in sorted(set(before) ^ set(now)):
            differs = True
            print(f"{'gone' if line in before else 'new'}: {line}")
        print(f"touchback-{package}: {len(now)} public items")
    if differs:
        sys.exit("the public items are not those of docs/api; see CONTRIBUTING.md")


main()
