#!/usr/bin/env python3
"""The live figures of the page in headless Chromium: python web_figures.py FOLDER TOUCHBACK [PICTURES].

FOLDER is what `cargo xtask web` wrote, TOUCHBACK the command, PICTURES a folder for a picture of each figure. Opens every
figure, moves its sliders by script, and compares the numbers drawn with those that the command writes, bit for bit. Exits 0
when every check holds, 1 with the failed check otherwise.

Needs: Chromium, and the package playwright.
"""

import csv
import pathlib
import shlex
import shutil
import subprocess
import tempfile

from playwright.sync_api import sync_playwright
from web_page import check, main, no_errors, serve

MOVE = """([id, at]) => {
    const slider = document.getElementById(`slider-${id}`);
    slider.value = at;
    slider.dispatchEvent(new Event("input"));
}"""
NAN = "nan"
# NaN has no JSON.
SHOWN = """() => {
    const { columns, rows } = figures.shown();
    return { columns, rows: rows.map((row) => row.map((x) => Number.isFinite(x) ? x : "nan")) };
}"""


def written(command, folder, table, wall):
    """The table that the printed command writes."""
    subprocess.run([*command, "--out", folder], check=True, capture_output=True)
    with open(pathlib.Path(folder, table), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row.pop("wall", wall) == wall]
    number = lambda text: float(text) if text != "NaN" else NAN
    return [{name: number(cell) for name, cell in row.items()} for row in rows]


def compare(page, figure, touchback):
    """Compares what is drawn with the command that the page prints."""
    shown = page.evaluate(SHOWN)
    command = shlex.split(page.text_content("#command"))
    check(command[0] == "touchback" and len(shown["rows"]) > 1, f"{figure['id']}: {' '.join(command)}")
    rows = [dict(zip(shown["columns"], row)) for row in shown["rows"]]
    options, over = command[1:], figure.get("over")
    if over:
        # One point of the curve.
        rows = rows[len(rows) // 2 : len(rows) // 2 + 1]
        options += ["--set", f"{over['id']}={rows[0].pop(over['id'])}"]
    with tempfile.TemporaryDirectory() as folder:
        theirs = written([touchback, *options], folder, figure["table"], figure["of"])
    same = len(rows) == len(theirs) and all(float(a[n]) == float(b[n]) or a[n] == b[n] == NAN
                                            for a, b in zip(rows, theirs) for n in b)
    check(same, f"{figure['id']}: {len(rows)} rows equal to the command's")


def run(folder, touchback, pictures):
    address = serve(folder) + "figures.html"
    errors = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 900, "height": 1000})
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(address)
        page.wait_for_function("globalThis.figures !== undefined", timeout=60_000)
        for figure in page.evaluate("figures.all"):
            page.evaluate("(id) => { location.hash = id; }", figure["id"])
            page.wait_for_function("(id) => figures.figure().id === id", arg=figure["id"])
            compare(page, figure, touchback)
            # Any number but the usual one: the command draws the source's own otherwise.
            for i, number in enumerate(figure["sliders"]):
                page.evaluate(MOVE, [number, 0.4 + 0.05 * i])
            compare(page, figure, touchback)
            if pictures:
                page.screenshot(path=pictures / f"{figure['id']}.png", full_page=True)
        page.evaluate("location.hash = '000-fig-5.8&t=0.1'")
        page.wait_for_function("document.getElementById('field-t')?.value === '0.1'")
        before = page.evaluate("document.querySelector('.ball').getAttribute('cy')")
        page.click("#play")
        page.wait_for_timeout(600)
        check(page.evaluate("document.querySelector('.ball').getAttribute('cy')") != before, "the ball falls")
        page.fill("#field-t", "50")
        page.press("#field-t", "Enter")
        told = page.evaluate("document.getElementById('told').value")
        check("between" in told, f"an impossible number is refused in words: {told}")
        browser.close()
    no_errors(errors)


if __name__ == "__main__":
    main(run, __doc__)
