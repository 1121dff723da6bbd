// Keeps the page's files, so that it works without a network once loaded. Files are fetched anew whenever the
// network has them: a page and its modules must be of one build.

const STORE = "touchback";
const FILES = [
  "./", "page.css", "page.js", "touchback_web.js", "touchback_web_bg.wasm", "touchback_web_audio.wasm",
  "worklet.js", "controls.js",
];

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(STORE).then((store) => store.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  event.respondWith(fetch(event.request)
    .then(async (answer) => {
      if (answer.ok && new URL(event.request.url).origin === location.origin) {
        const store = await caches.open(STORE);
        await store.put(event.request, answer.clone());
      }
      return answer;
    })
    .catch(() => caches.match(event.request, { ignoreSearch: true })));
});
