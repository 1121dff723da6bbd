#!/usr/bin/env python3
"""The page for browsers in headless Chromium: python web_page.py FOLDER TOUCHBACK [PICTURES].

FOLDER is what `cargo xtask web` wrote, TOUCHBACK the command, PICTURES a folder for a picture of each face.
Loads the page, starts the sound by a click, plays by the computer's keys and a MIDI file, turns the let-off,
compares rendered sound with `touchback render` (at most -100 dB apart), follows a link, works without a network,
and counts the browser's errors. Exits 0 when every check holds, 1 with the failed check otherwise.

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


def telephone(browser, address, errors, pictures):
    """A telephone: the first touch of a key sounds, two fingers play two keys, upright and across."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(address + "#let_off_mm=6")
    page.wait_for_function("globalThis.touchback !== undefined", timeout=60_000)
    told = page.evaluate("document.getElementById('status').value")
    check("Let-off 6.00 mm instead of 1.50 mm" in told, f"the link tells what it changes: {told}")
    page.wait_for_timeout(1000)
    if pictures:
        page.screenshot(path=pictures / "web-telephone.png")
    began = time.monotonic()
    page.touchscreen.tap(60, 800)
    page.wait_for_function("touchback.piano() && touchback.audio().state === 'running'", timeout=30_000)
    print(f"sound runs {time.monotonic() - began:.2f} s after the first touch", flush=True)
    page.evaluate(LISTEN)
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
        began = time.monotonic()
        page.click("#play")
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
        page.click("#play")
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
        page.wait_for_function("!document.getElementById('sound').hidden", timeout=5000)
        page.mouse.click(640, 300)
        page.wait_for_function("touchback.audio().state === 'running'", timeout=5000)
        page.wait_for_function("document.getElementById('sound').hidden", timeout=5000)
        check(True, "a click brings back interrupted sound")

        page.evaluate("(file) => drop('music.mid', file)", base64.b64encode(music[0][1].read_bytes()).decode())
        page.wait_for_function("touchback.page.isPlaying() && touchback.loudest() > 1e-3", timeout=30_000)
        check(True, "a dropped MIDI file plays")
        page.click("#play")
        page.wait_for_function("!touchback.page.isPlaying() && touchback.loudest() < 1e-5", timeout=30_000)
        page.evaluate("(file) => drop('keys.csv', file)", base64.b64encode(b"key,drop_mm\n40,0.3\n").decode())
        page.wait_for_function("location.hash === '#keys=key,drop_mm/40,0.3'", timeout=10_000)
        page.evaluate("(file) => drop('keys.csv', file)", base64.b64encode(b"key,drop_mm\n40,0\n").decode())
        page.wait_for_function("location.hash === ''", timeout=10_000)
        check(True, "a dropped sheet of keys is in the link")

        page.evaluate("touchback.page.set('let_off_mm', '6')")
        page.wait_for_function("location.hash === '#let_off_mm=6'", timeout=10_000)
        check(True, "let-off turned: the address tells it")

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
        page.click("#fault")
        page.wait_for_timeout(700)
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
        browser.close()
    for error in errors:
        print("browser:", error)
    check(not errors, f"{len(errors)} errors of the browser")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    shown = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
    if shown:
        shown.mkdir(parents=True, exist_ok=True)
    run(pathlib.Path(sys.argv[1]), sys.argv[2], shown)
