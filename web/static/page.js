// The page: loads the window, starts the piano in the audio worklet after the first click, and passes messages
// between the two, Web MIDI, dropped files and the address.

import load, { TouchbackPage } from "./touchback_web.js";

const RATE = 48000;
const query = new URLSearchParams(location.search);
const element = (id) => document.getElementById(id);
const status = element("status");
const tell = (text) => { status.value = text; };

await load();
const page = new TouchbackPage(location.hash);
const module = await (await fetch("touchback_web_audio.wasm")).arrayBuffer();

if (query.has("embed")) document.body.classList.add("embedded");
if (query.has("face")) page.show(query.get("face"));
await page.start(element("window"));
if (query.has("fault")) page.findAFault();
// Words for fingers or for mouse and keys, as the machine has them.
const isTouched = matchMedia("(pointer: coarse)").matches;
const words = isTouched
  ? { start: "Touch a key to start the sound.", again: "Touch to start again",
      ways: "Touch the keys, louder toward their front; slide along the strip above them for other octaves" }
  : { start: "Click, or press a key, to start the sound.", again: "Click to start again",
      ways: "Play with the mouse or the computer's keys (Z to M, Q to P; space is the pedal)" };
tell([...page.told(), words.start].join(" "));

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
  node.onprocessorerror = () => tell("The sound has failed: load the page again.");
  await new Promise((ready) => { node.port.onmessage = ready; });
  node.port.onmessage = (event) => page.receive(event.data);
  // Making the piano takes longer than a block of sound: it is heard once it is made.
  node.connect(audio.destination);
  piano = node;
  followSound();
  midi().then((hasKeyboards) => hasKeyboards && tell(`${words.ways}, or with a MIDI keyboard.`));
}

/** Follows the state of the sound, which a call or another program may interrupt. */
function followSound() {
  if (!piano) return;
  const runs = audio.state === "running";
  element("sound").hidden = runs;
  if (!runs) element("sound").textContent = words.again;
  tell(runs ? `${words.ways}.` : `The sound was interrupted. ${words.again}.`);
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
      tell(`${words.ways}. For a MIDI keyboard, allow MIDI in the browser's settings of this page and load it again.`);
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

/** The computer's keys play at once, not with the next frame. */
function key(event) {
  const pressed = event.type === "keydown";
  const isCommand = event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("header");
  if (pressed && isCommand || !page.key(event.code, pressed)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  send();
}
addEventListener("keydown", key, { capture: true });
addEventListener("keyup", key, { capture: true });
addEventListener("blur", () => { page.releaseKeys(); send(); });

/** Once a frame: messages for the piano, downloads, sentences, the address. */
let shown = location.hash.slice(1);
let checked = 0;
function follow(now) {
  send();
  if (now - checked > 250) {
    checked = now;
    page.told().forEach(tell);
    page.downloads().forEach(save);
    element("play").textContent = page.isPlaying() ? "Stop" : "Play a prelude";
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

element("sound").onclick = () => start();
element("play").onclick = async () => {
  await start();
  if (page.isPlaying()) return page.stop();
  page.open("prelude.mid", new Uint8Array(await (await fetch("prelude.mid")).arrayBuffer()));
};
element("fault").onclick = () => page.findAFault();
element("link").onclick = async () => {
  const address = page.address();
  const link = location.href.split("#")[0] + (address ? `#${address}` : "");
  try {
    await navigator.clipboard.writeText(link);
    tell("The link is copied.");
  } catch {
    tell(link);
  }
};

// The computer's keys play the piano again, also after a click on a button by mouse.
document.querySelector("header").addEventListener("pointerup", () => {
  setTimeout(() => element("window").focus());
});

addEventListener("hashchange", () => {
  // A link pasted into the address of the open page.
  if (location.hash.slice(1) !== shown) location.reload();
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
  for (const file of event.dataTransfer.files) {
    page.open(file.name, new Uint8Array(await file.arrayBuffer()));
  }
}, { capture: true });

// For tests: the page, its sound, and what it has for the piano.
globalThis.touchback = { TouchbackPage, page, module, audio: () => audio, piano: () => piano };

if ("serviceWorker" in navigator) navigator.serviceWorker.register("offline.js").catch(() => {});
