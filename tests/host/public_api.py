#!/usr/bin/env python3
"""Compares the public items of the published packages with the last section of their READMEs.

    tests/host/public_api.py           compares; exits 1 where an item has come or gone
    tests/host/public_api.py --write   writes the sections

An item is public if a user can name it: modules, types, functions, constants, macros, and re-exports by the name
that they have here. Methods, fields and variants are not listed.
"""
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PACKAGES = ["core", "action", "sound", "device", "instrument"]
HEADING = "## Public items"
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
    # The description is an unstable option of the compiler's own documentation tool. Build scripts that saw the
    # switch would have everything after them built anew.
    with tempfile.TemporaryDirectory() as folder:
        tool = pathlib.Path(folder, "rustdoc")
        tool.write_text('#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc "$@"\n')
        tool.chmod(0o755)
        subprocess.run(command, cwd=ROOT, env={**os.environ, "RUSTDOC": str(tool)}, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    crate = json.loads((target / f"doc/touchback_{package}.json").read_text())
    root = crate["index"][str(crate["root"])]
    return sorted(set(items(crate, root, f"touchback_{package}", frozenset())))


def table(package, paths):
    """The README's section: one row for each module, with its items in alphabetical order."""
    root = f"touchback_{package}"
    rows = {}
    for line in paths:
        path, kind = line.rsplit(" ", 1)
        module, _, name = path.rpartition("::")
        if kind == "(module)":
            rows.setdefault(path, [])
        else:
            rows.setdefault(module, []).append(f"`{name}`")
    lines = [f"| {'root' if module == root else f'`{module.removeprefix(root)[2:]}`'} | {', '.join(items)} |"
             for module, items in sorted(rows.items()) if items]
    return "\n".join([HEADING, "", "| module | items |", "| --- | --- |", *lines, ""])


def main():
    write = sys.argv[1:] == ["--write"]
    stale = []
    for package in PACKAGES:
        paths = listing(package)
        page = ROOT / f"crates/{package}/README.md"
        text = page.read_text()
        rest = text.partition(f"\n{HEADING}\n")[0].rstrip("\n")
        now = f"{rest}\n\n{table(package, paths)}"
        print(f"touchback-{package}: {len(paths)} public items")
        if write:
            page.write_text(now)
        elif now != text:
            stale.append(package)
            sys.stdout.writelines(difflib.unified_diff(text.splitlines(True), now.splitlines(True), "README.md", "code", n=0))
    if stale:
        sys.exit(f"the READMEs of {', '.join(stale)} name other public items; see CONTRIBUTING.md")


main()
