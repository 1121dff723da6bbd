#!/usr/bin/env python3
"""The page for browsers in headless Chromium: python web_page.py FOLDER TOUCHBACK [PICTURES].

FOLDER is what `cargo xtask web` wrote, TOUCHBACK the command, PICTURES a folder for a picture of each face.
Loads the page, starts the sound by a click, plays by the computer's keys and a MIDI file, turns the let-off,
compares rendered sound with `touchback render` (at most -100 dB apart), follows a link, works without a network,
finds names, roles and order of all controls and moves them by the keyboard alone and as a screen reader does, and
counts the browser's errors. Exits 0 when every check holds, 1 with the failed check otherwise. The window's buttons
are found by the names that readers hear.

Needs: Chromium, and the packages playwright, numpy and soundfile.
"""

import base64
import functools
import http.server
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import midi_file
import numpy
import soundfile
from playwright.sync_api import sync_playwright

RATE = 48_000
# Delay of the output guard, samples.
GUARD = 72
FACES = ("Piano", "Voice", "Touch", "Action", "Keys", "Settings")
MOST_BYTES = 14_500_000

RENDER = """async ([address, file, seconds]) => {
    const { TouchbackPage, module } = globalThis.touchback;
    const settings = new TouchbackPage(address);
    settings.open("music.mid", Uint8Array.from(atob(file), (c) => c.charCodeAt(0)));
    const context = new OfflineAudioContext(2, seconds * 48000, 48000);
    await context.audioWorklet.addModule("worklet.js");
    const piano = new AudioWorkletNode(context, "touchback", {
        numberOfInputs: 0, outputChannelCount: [2],
        processorOptions: { module, messages: [settings.take()] },
    });
    piano.connect(context.destination);
    const began = performance.now();
    const sound = await context.startRendering();
    const share = (performance.now() - began) / 1000 / seconds;
    const bytes = new Uint8Array(sound.getChannelData(0).buffer);
    let text = "";
    for (let at = 0; at < bytes.length; at += 32768)
        text += String.fromCharCode(...bytes.subarray(at, at + 32768));
    return [share, btoa(text)];
}"""


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def log_message(self, *_):
        pass


def serve(folder):
    """A server of plain files on this machine; returns its address."""
    handler = functools.partial(Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}/"


def check(holds, what):
    print(("ok      " if holds else "FAILED  ") + what, flush=True)
    if not holds:
        sys.exit(1)


def pieces(folder):
    """Three pieces: one voice, chords with pedal, dense runs; name, path and length in s."""
    note = lambda at, key, speed=80, length=0.3: [
        (at, bytes((0x90, key, speed))), (at + length, bytes((0x80, key, 64)))]
    voice = [e for i in range(16) for e in note(0.1 + 0.25 * i, 60 + (7 * i) % 24)]
    chords = [(0.0, bytes((0xB0, 64, 127)))]
    chords += [e for i in range(16) for k in (36, 48, 55, 64) for e in note(0.1 + 0.25 * i, k + i % 5)]
    dense = [(0.0, bytes((0xB0, 64, 127)))]
    dense += [e for i in range(64) for e in note(0.1 + i / 16, 28 + (11 * i) % 72, 40 + i, 0.2)]
    found = []
    for name, events in (("one voice", voice), ("chords with pedal", chords), ("16 notes a second", dense)):
        path = folder / (name.replace(" ", "-") + ".mid")
        midi_file.write(path, events, 4.5)
        found.append((name, path, 5))
    return found


def difference(page, touchback, folder, midi, seconds, settings):
    """Level of the difference from `touchback render`, dB under the peak, and the browser's share."""
    address = "#" + "&".join(f"{name}={value}" for name, value in settings.items())
    file = base64.b64encode(midi.read_bytes()).decode()
    share, text = page.evaluate(RENDER, [address, file, seconds])
    there = numpy.frombuffer(base64.b64decode(text), numpy.float32)[GUARD:]
    out = folder / "here.wav"
    options = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    subprocess.run([touchback, "render", midi, "-o", out, "--sample-rate", str(RATE), *options],
                   check=True, capture_output=True)
    here = soundfile.read(out, dtype="float32")[0][:, 0]
    length = min(len(here), len(there))
    check(numpy.abs(here).max() > 1e-3, f"{midi.stem}: sound")
    apart = numpy.abs(here[:length] - there[:length]).max() / numpy.abs(here).max()
    return 20 * numpy.log10(max(apart, 1e-12)), share


# Gives the page `touchback.loudest()`: the largest sample of the last moments.
LISTEN = """() => {
    const ear = new AnalyserNode(touchback.audio());
    touchback.piano().connect(ear);
    touchback.loudest = () => {
        const samples = new Float32Array(ear.fftSize);
        ear.getFloatTimeDomainData(samples);
        return samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    };
}"""


def wait_control(page, role, name):
    """Centre of the control in the window, once it is there."""
    found = page.wait_for_function("""([role, name]) => {
        const all = JSON.parse(touchback.page.controls());
        const is = (c) => c.role === role && c.name === name && c.place[2] > 0 && c.place[0] >= 0 && c.place[1] >= 0;
        return all.find(is)?.place ?? null;
    }""", arg=[role, name], timeout=30_000)
    left, top, width, height = found.json_value()
    return left + width / 2, top + height / 2


def press(page, name):
    page.mouse.click(*wait_control(page, "button", name))


def told(page, words):
    """Waits until the window's row, and what readers hear, has these words."""
    page.wait_for_function("(words) => document.getElementById('status').value.includes(words)", arg=words,
                           timeout=10_000)


def buttons(page, context, midi):
    """The window's buttons for what a host does otherwise: files, link, films."""
    with page.expect_file_chooser() as chooser:
        press(page, "Open")
    chooser.value.set_files(midi)
    page.wait_for_function("touchback.page.isPlaying()", timeout=10_000)
    press(page, "Stop")
    page.wait_for_function("!touchback.page.isPlaying()", timeout=10_000)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    press(page, "Copy link")
    told(page, "The link is copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    check(copied == page.url, f"the copied link: {copied}")
    press(page, "Dismiss the message")
    with page.expect_popup() as films:
        press(page, "Watch")
    films.value.wait_for_load_state()
    for number in range(3):
        films.value.locator("img").nth(number).scroll_into_view_if_needed()
    films.value.wait_for_function("[...document.images].every((image) => image.naturalWidth > 0)", timeout=10_000)
    films.value.close()
    check(True, "a chosen file plays, the link is copied, three films are shown")


# Role, name and place of what a screen reader is told of, in order.
HEARD = """() => [...document.querySelectorAll("#controls > *")].map((e) => [
    e.getAttribute("role") ?? (e.type === "range" ? "slider" : "text"),
    e.getAttribute("aria-label") ?? e.textContent, e.id])"""
# Name of the control that has the keyboard's focus.
FOCUSED = """() => document.getElementById(document.getElementById("window")
    .getAttribute("aria-activedescendant"))?.getAttribute("aria-label") ?? null"""


def focus(page, name, most=120):
    """Moves the keyboard's focus to a control by Tab; returns how many presses that took."""
    now = "JSON.parse(touchback.page.controls()).find((c) => c.focused)"
    for presses in range(1, most + 1):
        before = page.evaluate(f"{now}?.id ?? null")
        page.keyboard.press("Tab")
        page.wait_for_function(f"(before) => ({now}?.id ?? null) !== before", arg=before, timeout=5000, polling=20)
        if page.evaluate(f"{now}?.name") == name:
            return presses
    check(False, f"Tab reaches {name}")


def accessible(browser, address, errors, pictures):
    """Names, roles, order, a reader's actions, the keyboard alone, reduced motion, dark colours."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce",
                                  color_scheme="dark")
    page = context.new_page()
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address)
    page.wait_for_function("globalThis.touchback !== undefined", timeout=60_000)
    wait_control(page, "button", "Workshop")
    page.wait_for_timeout(600)
    heard = page.evaluate(HEARD)
    names = [name for _, name, _ in heard]
    check(all(name.strip() for name in names), f"{len(heard)} controls and texts have names")
    check(len({number for _, _, number in heard}) == len(heard), "each has an id of its own")
    # In this order on the first face.
    order = ["Previous piano", "Undo", "Piano", "Workshop", "Help", "Play a prelude", "Copy link",
             "Turn Let-off", "Tone", "Level"]
    places = [names.index(name) for name in order]
    check(places == sorted(places), f"read in the order {', '.join(order)}: {places}")
    session = context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    tree = [(n.get("role", {}).get("value"), n.get("name", {}).get("value")) for n in nodes if not n["ignored"]]
    for role, name in [("application", None), ("button", "Workshop"), ("slider", "Tone"), ("slider", "Turn Let-off"),
                       ("group", "Piano keys"), ("checkbox", "Sustain pedal"), ("combobox", "Zoom")]:
        found = [n for r, n in tree if r == role and (name is None or n == name)]
        check(bool(found), f"the browser's tree has {role} {name or found}")
    if pictures:
        page.screenshot(path=pictures / "web-dark.png")

    check(page.evaluate("touchback.page.isStill()"), "less motion, as the system asks")
    page.emulate_media(reduced_motion="no-preference")
    page.wait_for_function("!touchback.page.isStill()", timeout=5000)

    # As a reader does: without pointer and keys.
    page.evaluate("""() => document.querySelector('#controls [aria-label="Voice"]').click()""")
    wait_control(page, "button", "Load")
    page.evaluate("""() => document.querySelector('#controls [aria-label="Piano"]').click()""")
    page.wait_for_selector('#controls [aria-label="Level"]', state="attached", timeout=10_000)
    page.evaluate("""() => {
        const level = document.querySelector('#controls [aria-label="Level"]');
        level.value = level.max;
        level.dispatchEvent(new Event("input"));
    }""")
    page.wait_for_function("location.hash.includes('output_db=12')", timeout=10_000)
    check(True, "a reader opens a face and turns a slider")

    # The keyboard alone.
    page.evaluate("document.getElementById('window').focus()")
    presses = focus(page, "Workshop")
    page.wait_for_function(f"({FOCUSED})() === 'Workshop'", timeout=5000)
    page.keyboard.press("Enter")
    wait_control(page, "button", "Try a press")
    more = focus(page, "Turn Let-off")
    page.keyboard.press("ArrowDown")
    page.wait_for_function("location.hash.includes('let_off_mm')", timeout=10_000)
    check(True, f"the keyboard opens the workshop ({presses} times Tab) and turns a screw ({more} times more)")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    page.wait_for_timeout(200)
    at = page.evaluate("document.activeElement?.id ?? ''")
    check(at != "window", "Escape and Tab leave the window")
    context.close()


def telephone(browser, address, errors, pictures):
    """A telephone: the first touch of a key sounds, two fingers play two keys, upright and across."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address + "#let_off_mm=6")
    page.wait_for_function("globalThis.touchback !== undefined", timeout=60_000)
    told(page, "Let-off 6.00 mm instead of 1.50 mm")
    check(True, "the link tells what it changes")
    page.wait_for_timeout(1000)
    if pictures:
        page.screenshot(path=pictures / "web-telephone.png")
    began = time.monotonic()
    page.touchscreen.tap(60, 800)
    page.wait_for_function("touchback.piano() && touchback.audio().state === 'running'", timeout=30_000)
    page.evaluate(LISTEN)
    page.wait_for_function("touchback.loudest() > 1e-3", timeout=5000, polling=20)
    check(True, f"the first touch is heard as a note, after {time.monotonic() - began:.2f} s")
    page.wait_for_function("touchback.loudest() < 1e-5", timeout=10_000)
    check(True, "the dampers end it")
    touches = context.new_cdp_session(page)
    at = lambda *xs: [{"x": x, "y": 800, "id": i} for i, x in enumerate(xs)]
    touches.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at(60)})
    touches.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": at(60, 200)})
    page.wait_for_function("touchback.loudest() > 1e-3", timeout=30_000, polling=20)
    page.wait_for_timeout(500)
    if pictures:
        page.screenshot(path=pictures / "web-telephone-two-keys.png")
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("touchback.loudest() < 1e-5", timeout=10_000)
    check(True, "two fingers play on a telephone, and the dampers end the notes")
    x, y = wait_control(page, "slider", "Turn Let-off")
    finger = lambda up: [{"x": x, "y": y - up, "id": 0}]
    touches.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": finger(0)})
    for up in range(4, 44, 4):
        touches.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": finger(up)})
        page.wait_for_timeout(30)
    touches.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_function("!/let_off_mm=6$/.test(location.hash)", timeout=10_000)
    check(True, f"the next touch turns the let-off screw: {page.evaluate('location.hash')}")
    page.set_viewport_size({"width": 844, "height": 390})
    page.wait_for_timeout(700)
    if pictures:
        page.screenshot(path=pictures / "web-telephone-across.png")
    context.close()


def run(folder, touchback, pictures):
    address = serve(folder)
    work = pathlib.Path(tempfile.mkdtemp())
    music = pieces(work)
    errors, loaded = [], {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"])
        context = browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=True)
        page = context.new_page()
        page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("response", lambda r: loaded.setdefault(r.url, int(r.headers.get("content-length", 0))))
        page.goto(address)
        page.wait_for_function("globalThis.touchback !== undefined", timeout=60_000)
        total = sum(loaded.values())
        check(total <= MOST_BYTES, f"{1e-6 * total:.1f} MB loaded, at most {1e-6 * MOST_BYTES:.0f}")

        page.evaluate("""() => {
            globalThis.drop = (name, file) => {
                const dataTransfer = new DataTransfer();
                const bytes = Uint8Array.from(atob(file), (c) => c.charCodeAt(0));
                dataTransfer.items.add(new File([bytes], name));
                dispatchEvent(new DragEvent("drop", { dataTransfer, cancelable: true }));
            };
        }""")
        page.wait_for_timeout(1000)
        if pictures:
            page.screenshot(path=pictures / "web-begin.png")
        at = wait_control(page, "button", "Play a prelude")
        began = time.monotonic()
        page.mouse.click(*at)
        page.wait_for_function("touchback.piano() !== null", timeout=30_000)
        page.evaluate(LISTEN)
        page.wait_for_function("touchback.loudest() > 1e-4", timeout=30_000, polling=20)
        first = time.monotonic() - began
        print(f"first sound {first:.2f} s after the first click (aim: 3)", flush=True)
        page.wait_for_timeout(8000)
        state = page.evaluate("""() => ({
            busy: touchback.page.busy(), playing: touchback.page.isPlaying(),
            stats: touchback.audio().playbackStats?.toJSON?.() ?? null })""")
        print(f"prelude: {100 * state['busy']:.0f} % of the time, {state['stats'] or 'no statistics'}")
        check(state["playing"], "the prelude plays")
        press(page, "Stop")
        page.wait_for_function("!touchback.page.isPlaying() && touchback.loudest() === 0", timeout=30_000)

        page.mouse.click(640, 300)
        page.keyboard.down(" ")
        page.keyboard.down("q")
        page.wait_for_function("touchback.loudest() > 1e-3", timeout=30_000, polling=20)
        page.keyboard.up("q")
        page.wait_for_timeout(700)
        check(page.evaluate("touchback.loudest()") > 1e-3, "the pedal holds a note of the computer's keys")
        page.keyboard.up(" ")
        # A string without damper is at 1e-3 after these seconds.
        page.wait_for_function("touchback.loudest() < 1e-5", timeout=5000)
        check(True, "the dampers end it")

        page.touchscreen.tap(640, 780)
        page.wait_for_function("touchback.loudest() > 1e-3", timeout=30_000, polling=20)
        check(True, "a touched key sounds")
        page.wait_for_function("touchback.loudest() < 1e-5", timeout=10_000)

        page.evaluate("touchback.audio().suspend()")
        told(page, "The sound was interrupted.")
        page.mouse.click(640, 300)
        page.wait_for_function("touchback.audio().state === 'running'", timeout=5000)
        page.wait_for_function("!document.getElementById('status').value.includes('interrupted')", timeout=10_000)
        check(True, "a click brings back interrupted sound")

        page.evaluate("(file) => drop('music.mid', file)", base64.b64encode(music[0][1].read_bytes()).decode())
        page.wait_for_function("touchback.page.isPlaying() && touchback.loudest() > 1e-3", timeout=30_000)
        check(True, "a dropped MIDI file plays")
        press(page, "Stop")
        page.wait_for_function("!touchback.page.isPlaying() && touchback.loudest() < 1e-5", timeout=30_000)
        page.evaluate("(file) => drop('keys.csv', file)", base64.b64encode(b"key,drop_mm\n40,0.3\n").decode())
        page.wait_for_function("location.hash === '#keys=key,drop_mm/40,0.3'", timeout=10_000)
        page.evaluate("(file) => drop('keys.csv', file)", base64.b64encode(b"key,drop_mm\n40,0\n").decode())
        page.wait_for_function("location.hash === ''", timeout=10_000)
        check(True, "a dropped sheet of keys is in the link")

        page.evaluate("touchback.page.set('let_off_mm', '6')")
        page.wait_for_function("location.hash === '#let_off_mm=6'", timeout=10_000)
        check(True, "let-off turned: the address tells it")
        buttons(page, context, music[0][1])

        for name, midi, seconds in music:
            level, share = difference(page, touchback, work, midi, seconds, {})
            print(f"{name}: {100 * share:.1f} % of the time", flush=True)
            check(level <= -100, f"{name}: {level:.0f} dB from the command's rendering, at most -100")
        level, _ = difference(page, touchback, work, music[1][1], 5,
                              {"let_off_mm": 6, "hammer_mass": 0.9})
        check(level <= -100, f"with other settings: {level:.0f} dB, at most -100")

        for name in FACES if pictures else ():
            page.evaluate("(name) => touchback.page.show(name)", name)
            page.wait_for_timeout(700)
            page.screenshot(path=pictures / f"web-{name.lower()}.png")
        press(page, "Find a fault")
        wait_control(page, "button", "Is it corrected?")
        if pictures:
            page.screenshot(path=pictures / "web-fault.png")
        check(page.evaluate("location.hash") == "#let_off_mm=6", "the link does not tell the fault")

        page.evaluate("navigator.serviceWorker.ready.then(() => true)")
        context.set_offline(True)
        page.goto(address + "?face=action#piano=felt&let_off_mm=2.5")
        page.wait_for_function("globalThis.touchback !== undefined", timeout=60_000)
        linked = page.evaluate("touchback.page.address()")
        check(linked == "piano=felt&let_off_mm=2.5", f"a link without a network: {linked}")
        context.close()
        telephone(browser, address, errors, pictures)
        accessible(browser, address, errors, pictures)
        browser.close()
    no_errors(errors)


def no_errors(errors):
    """Prints the browser's errors; none may have come."""
    for error in errors:
        print("browser:", error)
    check(not errors, f"{len(errors)} errors of the browser")


def main(run, usage):
    """Runs a test with the arguments FOLDER TOUCHBACK [PICTURES]."""
    if len(sys.argv) < 3:
        sys.exit(usage)
    pictures = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    run(pathlib.Path(sys.argv[1]), sys.argv[2], pictures)


if __name__ == "__main__":
    main(run, __doc__)
