// The page: loads the window, starts the piano in the audio worklet after the first touch, and passes messages
// between the two, Web MIDI, files, screen readers and the address. Everything that is seen is part of the window.

import load, { TouchbackPage } from "./touchback_web.js";
import { mirror } from "./controls.js";

const RATE = 48000;
const query = new URLSearchParams(location.search);
const element = (id) => document.getElementById(id);
const [canvas, status] = [element("window"), element("status")];

await load();
const page = new TouchbackPage(location.hash);
const module = await (await fetch("touchback_web_audio.wasm")).arrayBuffer();

if (query.has("embed")) page.embed();
if (query.has("face")) page.show(query.get("face"));
const still = matchMedia("(prefers-reduced-motion: reduce)");
still.onchange = () => page.keepStill(still.matches);
page.keepStill(still.matches);
await page.start(canvas);
document.body.classList.add("running");
// The window's own field for typed text, which would give the focus back at once: Tab passes by it.
for (const field of document.querySelectorAll("input:not([id])")) field.tabIndex = -1;
const showControls = mirror(page, canvas, element("controls"));
if (query.has("fault")) page.findAFault();
// In a frame the focus stays with the page around it.
if (!query.has("embed")) canvas.focus();
// Words for fingers or for mouse and keys, as the machine has them. A telephone's window says itself how to play.
const isTouched = matchMedia("(pointer: coarse)").matches;
const words = isTouched
  ? { start: "Touch a key to start the sound.", again: "Touch to start it again.", ways: "" }
  : { start: "Click, or press a key, to start the sound.", again: "Click to start it again.",
      ways: "Play with the mouse or the computer's keys (Z to M, Q to P; space is the pedal)" };
const ways = (more = "") => words.ways && `${words.ways}${more}.`;
page.setState(words.start);

let audio = null;
let piano = null;
let starting = null;

/** Starts the sound, and resumes it after an interruption, in the turn of the gesture itself: browsers allow it only
 *  there. */
function start() {
  starting ??= begin();
  if (audio.state !== "running") audio.resume().catch(() => {});
  return starting;
}

async function begin() {
  // More seconds of latency where the sound is interrupted, by `?latency=0.1`.
  const latencyHint = Number(query.get("latency")) || "interactive";
  audio = new AudioContext({ sampleRate: RATE, latencyHint });
  audio.onstatechange = followSound;
  await audio.audioWorklet.addModule("worklet.js");
  const node = new AudioWorkletNode(audio, "touchback", {
    numberOfInputs: 0,
    outputChannelCount: [2],
    processorOptions: { module },
  });
  node.onprocessorerror = () => page.tell("The sound has failed: load the page again.");
  await new Promise((ready) => { node.port.onmessage = ready; });
  node.port.onmessage = (event) => page.receive(event.data);
  // Making the piano takes longer than a block of sound: it is heard once it is made.
  node.connect(audio.destination);
  piano = node;
  followSound();
  midi().then((hasKeyboards) => hasKeyboards && page.setState(ways(", or with a MIDI keyboard")));
}

/** Follows the state of the sound, which a call or another program may interrupt. */
function followSound() {
  if (!piano) return;
  page.setState(audio.state === "running" ? ways() : `The sound was interrupted. ${words.again}`);
}

/** Passes on what MIDI keyboards send, also of those plugged in later. Returns whether the browser allows it. */
async function midi() {
  try {
    const access = await navigator.requestMIDIAccess();
    const listen = () => {
      for (const input of access.inputs.values()) {
        input.onmidimessage = ({ data }) => {
          if (data[0] >= 0xf0) return;
          page.midi(data[0], data[1] ?? 0, data[2] ?? 0);
          send();
        };
      }
    };
    access.onstatechange = listen;
    listen();
    return true;
  } catch (error) {
    // Without Web MIDI, or refused by the user.
    if (error.name === "NotAllowedError" || error.name === "SecurityError") {
      page.setState(ways(". For a MIDI keyboard, allow MIDI in the browser's settings of this page and load it again"));
    }
    return false;
  }
}

// A finger's gesture counts when it ends, a mouse's and a key's when they begin.
for (const gesture of ["pointerdown", "pointerup", "touchend", "keydown"]) {
  addEventListener(gesture, start, { capture: true, passive: true });
}

/** Sends what the page has for the piano. */
function send() {
  const bytes = piano ? page.take() : new Uint8Array();
  if (bytes.length > 0) piano.port.postMessage(bytes, [bytes.buffer]);
}

/** The computer's keys play at once, not with the next frame. After Escape, Tab leaves the window. */
let isLeaving = false;
function key(event) {
  const pressed = event.type === "keydown";
  if (pressed && !(isLeaving && event.key === "Shift")) {
    if (isLeaving && event.key === "Tab") return event.stopImmediatePropagation();
    isLeaving = event.key === "Escape";
  }
  const isCommand = event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("#controls");
  if (pressed && isCommand || !page.key(event.code, pressed)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  send();
}
addEventListener("keydown", key, { capture: true });
addEventListener("keyup", key, { capture: true });
addEventListener("blur", () => { page.releaseKeys(); send(); });

/** Copies the address with the present regulation. */
async function copyLink() {
  const address = page.address();
  const link = location.href.split("#")[0] + (address ? `#${address}` : "");
  try {
    await navigator.clipboard.writeText(link);
    page.tell("The link is copied.");
  } catch {
    page.tell(link);
  }
}

/** Opens the files that the user has dropped or chosen. */
async function openAll(files) {
  for (const file of files) page.open(file.name, new Uint8Array(await file.arrayBuffer()));
}

const orders = { link: copyLink, open: () => element("file").click(), walks: () => open("walks.html", "_blank") };
element("file").onchange = ({ target }) => openAll([...target.files]).then(() => { target.value = ""; });

/** Once a frame: messages for the piano and what the window's buttons ask for; less often: downloads, what readers
 *  hear, the address. */
let shown = location.hash.slice(1);
let checked = 0;
function follow(now) {
  send();
  page.orders().forEach((order) => orders[order]());
  if (now - checked > 250) {
    checked = now;
    page.downloads().forEach(save);
    const said = page.status();
    if (status.value !== said) status.value = said;
    showControls();
    const address = page.address();
    if (address !== shown) {
      shown = address;
      history.replaceState(null, "", address ? `#${address}` : location.pathname + location.search);
    }
  }
  requestAnimationFrame(follow);
}
requestAnimationFrame(follow);

/** Saves a file of the window; a page opens in a tab of its own. */
function save({ name, bytes }) {
  const isPage = name.endsWith(".html");
  const url = URL.createObjectURL(new Blob([bytes], { type: isPage ? "text/html" : "" }));
  if (isPage) {
    open(url, "_blank");
  } else {
    const link = document.createElement("a");
    [link.href, link.download] = [url, name];
    link.click();
  }
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}

addEventListener("hashchange", () => {
  // A link pasted into the address of the open page.
  if (location.hash.slice(1) !== shown) location.reload();
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  openAll(event.dataTransfer.files);
}, { capture: true });

// For tests: the page, its sound, and what it has for the piano.
globalThis.touchback = { TouchbackPage, page, module, audio: () => audio, piano: () => piano };

if ("serviceWorker" in navigator) navigator.serviceWorker.register("offline.js").catch(() => {});
