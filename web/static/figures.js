// Figures of the source documents with sliders for their numbers: `figures.html#000-fig-5.8&t=0.2`. The tables come from
// the module `touchback_web_figures`, which computes as the command does.

const element = (id) => document.getElementById(id);
const figures = await (await fetch("figures.json")).json();
const module = await WebAssembly.instantiateStreaming(fetch("touchback_web_figures.wasm"));
const { memory, request, run, place, length } = module.instance.exports;

/** The module's answer to `text`: rows, or a text. */
function ask(text) {
  const bytes = new TextEncoder().encode(text);
  const at = request(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  const columns = run();
  if (columns === 0) return new TextDecoder().decode(new Uint8Array(memory.buffer, place(), length()));
  const cells = new Float64Array(memory.buffer, place(), length());
  return Array.from({ length: cells.length / columns }, (_, i) => Array.from(cells.slice(i * columns, (i + 1) * columns)));
}

const functions = JSON.parse(ask(""));
const WHOLE = ["delay", "strikes", "steps", "action", "euler"];
let figure = figures[0];
let chosen = {};
/** Column names and rows of what is drawn. */
let shown = { columns: [], rows: [] };

const own = (id) => functions[figure.of].numbers.find((number) => number.id === id);
const value = (id) => chosen[id] ?? figure.set[id] ?? own(id).usual;
const lines = (of) => Object.entries({ ...figure.set, ...of }).map(([id, number]) => `${id}=${number}`);

/** Computes the table of the present numbers. */
function compute() {
  const all = functions[figure.of].columns;
  const table = (more) => ask([figure.of, ...lines({ ...chosen, ...more })].join("\n"));
  if (!figure.over) {
    const rows = table({});
    return typeof rows === "string" ? rows : { columns: all, rows };
  }
  const { id, from, to, count } = figure.over;
  const rows = [];
  let told = "";
  for (let i = 0; i < count; i++) {
    const at = Number((from + (to - from) * i / (count - 1)).toPrecision(6));
    const found = table({ [id]: at });
    if (typeof found === "string") told = found;
    else rows.push([at, ...found[0]]);
  }
  return rows.length > 0 ? { columns: [id, ...all], rows } : told;
}

const WIDTH = 820, LEFT = 70, HIGH = 190, STEP = 220;
const short = (x) => String(Number(x.toPrecision(4)));

/** A part of the picture. */
function drawn(kind, attributes, text) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, of] of Object.entries(attributes)) node.setAttribute(name, of);
  if (text !== undefined) node.textContent = text;
  element("plot").append(node);
  return node;
}

/** The range of finite numbers, not empty. */
function range(numbers) {
  let [low, high] = [Infinity, -Infinity];
  for (const x of numbers) if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
  if (!(low <= high)) return [0, 1];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

let ball = null;

function draw() {
  const plot = element("plot");
  plot.replaceChildren();
  plot.setAttribute("viewBox", `0 0 ${WIDTH} ${STEP * figure.y.length + 20}`);
  const { columns, rows } = shown;
  const x = figure.over ? 0 : columns.indexOf(figure.x);
  const [first, last] = range(rows.map((row) => row[x]));
  const across = (t) => LEFT + (WIDTH - LEFT - 20) * (t - first) / (last - first);
  const stride = Math.ceil(rows.length / 4000);
  ball = null;
  figure.y.forEach((name, panel) => {
    const y = columns.indexOf(name);
    const [low, high] = range([...rows.map((row) => row[y]), ...(figure.ball ? [0] : [])]);
    const up = (v) => STEP * panel + 20 + HIGH * (high - v) / (high - low);
    drawn("text", { x: LEFT, y: STEP * panel + 12 }, name);
    for (const v of [low, high]) {
      drawn("line", { class: "axis", x1: LEFT, x2: WIDTH - 20, y1: up(v), y2: up(v) });
      drawn("text", { x: LEFT - 6, y: up(v) + 4, "text-anchor": "end" }, short(v));
    }
    const points = rows.filter((row, i) => i % stride === 0 && Number.isFinite(row[y]));
    if (figure.dots) points.forEach((row) => drawn("circle", { class: "dot", cx: across(row[x]), cy: up(row[y]), r: 1.5 }));
    else drawn("polyline", { points: points.map((row) => `${across(row[x])},${up(row[y])}`).join(" ") });
    if (figure.ball && panel === 0) {
      drawn("line", { class: "axis", x1: LEFT, x2: WIDTH - 20, y1: up(0), y2: up(0) });
      ball = { node: drawn("circle", { class: "ball", r: 8 }), across, up, x, y };
      fall(0);
    }
  });
  const bottom = STEP * figure.y.length + 12;
  drawn("text", { x: LEFT, y: bottom }, short(first));
  drawn("text", { x: (LEFT + WIDTH) / 2, y: bottom, "text-anchor": "middle" }, columns[x]);
  drawn("text", { x: WIDTH - 20, y: bottom, "text-anchor": "end" }, short(last));
}

/** Puts the ball, which rests on its lowest point, to the row at `share` of the run. */
function fall(share) {
  const row = shown.rows[Math.min(shown.rows.length - 1, Math.floor(share * shown.rows.length))];
  if (!ball || !row) return;
  ball.node.setAttribute("cx", ball.across(row[ball.x]));
  ball.node.setAttribute("cy", ball.up(row[ball.y]) - 8);
}

/** A run of the ball on the screen lasts this long, s. */
const FALL = 12;
let begun = null;
function follow(now) {
  if (begun === null) return;
  const share = (now - begun) / 1000 / FALL;
  fall(share);
  if (share < 1) requestAnimationFrame(follow);
  else begun = null;
}
element("play").onclick = () => {
  begun = performance.now();
  requestAnimationFrame(follow);
};

/** Computes, draws and tells; keeps the last picture where the numbers have no result. */
function renew() {
  const before = performance.now();
  const found = compute();
  const isFound = typeof found !== "string";
  if (isFound) {
    shown = found;
    draw();
  }
  element("told").value = isFound ? `${shown.rows.length} rows in ${short(performance.now() - before)} ms` : found;
  const options = lines(chosen).map((line) => ` --set ${line}`).join("");
  element("command").textContent = `touchback lab ${figure.lab}${options}`;
  const address = [figure.id, ...Object.entries(chosen).map(([id, number]) => `${id}=${number}`)].join("&");
  history.replaceState(null, "", `#${address}`);
}

/** Sets a number by its id. */
function set(id, number) {
  chosen[id] = number;
  renew();
}

/** The sliders of the figure. */
function controls() {
  const rows = Object.entries(figure.sliders).flatMap(([id, [least, most]]) => {
    const { unit, about } = own(id);
    const isWhole = WHOLE.includes(id);
    // Numbers above zero by equal ratios, others by equal steps.
    const isRatio = least > 0;
    const plain = (at) => isRatio ? least * (most / least) ** at : least + (most - least) * at;
    const share = (v) => isRatio ? Math.log(v / least) / Math.log(most / least) : (v - least) / (most - least);
    const label = document.createElement("label");
    label.textContent = `${id}${unit ? `, ${unit}` : ""}: ${about}`;
    label.htmlFor = `slider-${id}`;
    const slider = Object.assign(document.createElement("input"), { type: "range", id: `slider-${id}`, min: 0, max: 1, step: 0.001 });
    const field = Object.assign(document.createElement("input"), { type: "number", step: "any", id: `field-${id}` });
    field.setAttribute("aria-label", label.textContent);
    slider.value = share(value(id));
    field.value = value(id);
    slider.oninput = () => {
      const at = plain(Number(slider.value));
      const number = isWhole ? Math.round(at) : Number(at.toPrecision(3));
      field.value = number;
      set(id, number);
    };
    field.onchange = () => {
      slider.value = share(Number(field.value));
      set(id, Number(field.value));
    };
    return [label, slider, field];
  });
  element("numbers").replaceChildren(...rows);
  element("play").hidden = !figure.ball;
  // Only the book has the chapters beside the page.
  element("chapter").hidden = !location.pathname.endsWith("/web/figures.html");
  element("chapter").href = `../sources/${figure.chapter}.html`;
}

/** Shows what the address has: a figure, and numbers as `ID=VALUE`. */
function open() {
  const [id, ...words] = decodeURIComponent(location.hash.slice(1)).split("&");
  figure = figures.find((of) => of.id === id) ?? figures[0];
  chosen = {};
  for (const [name, number] of words.map((word) => word.split("="))) {
    if (own(name) && number !== "" && Number.isFinite(Number(number))) chosen[name] = Number(number);
  }
  element("figure").value = figure.id;
  begun = null;
  controls();
  renew();
}
for (const { id, name } of figures) element("figure").append(new Option(`${id}: ${name}`, id));
element("figure").onchange = () => { location.hash = element("figure").value; };
addEventListener("hashchange", open);
open();

// For tests: what is drawn, and what is asked.
globalThis.figures = { ask, shown: () => shown, figure: () => figure, all: figures };
