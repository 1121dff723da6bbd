// The window's controls as elements of the document, for screen readers: the canvas itself is a picture to them. The
// keyboard's focus stays with the canvas, which names the control that has it.

/** Follows the window `canvas` of `page` by elements in `box`. Returns the function that brings them up to date. */
export function mirror(page, canvas, box) {
  const elements = new Map();
  let shown = "";

  function create({ id, role }) {
    // A reader on a telephone turns sliders of the browser's kind alone.
    const element = document.createElement(role === "slider" ? "input" : "span");
    element.id = `control-${id}`;
    element.tabIndex = -1;
    if (role === "slider") {
      [element.type, element.step] = ["range", "any"];
      element.oninput = () => page.setControl(id, element.valueAsNumber);
    } else if (role !== "text") {
      element.setAttribute("role", role);
    }
    element.onclick = () => { page.focusControl(id); page.clickControl(id); };
    element.onfocus = () => page.focusControl(id);
    return element;
  }

  /** Sets or removes an attribute, if it differs. */
  function put(element, name, value) {
    if (value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }

  function update(element, { role, name, description, value, number, chosen, disabled, place }) {
    const isField = role === "combobox" || role === "textbox";
    const content = role === "text" ? name : isField ? value ?? "" : "";
    if (element.textContent !== content) element.textContent = content;
    put(element, "aria-label", role === "text" ? undefined : name);
    put(element, "aria-description", description);
    put(element, "aria-disabled", disabled);
    put(element, role === "checkbox" || role === "radio" ? "aria-checked" : "aria-pressed", chosen);
    put(element, "aria-expanded", role === "combobox" ? false : undefined);
    put(element, "aria-valuenow", number?.[0]);
    put(element, "aria-valuetext", number && value ? value : undefined);
    if (role === "slider" && number && element !== document.activeElement) {
      // The value last: the element clamps it to the range that it has.
      [element.min, element.max, element.value] = [number[1], number[2], number[0]];
    }
    const [left, top, width, height] = place;
    element.style.cssText = `left:${left}px;top:${top}px;width:${width}px;height:${height}px`;
  }

  return () => {
    const text = page.controls();
    if (text === shown) return;
    shown = text;
    const controls = JSON.parse(text);
    const gone = new Set(elements.keys());
    let before = null;
    let focused;
    for (const control of controls) {
      const key = `${control.id} ${control.role}`;
      gone.delete(key);
      if (!elements.has(key)) elements.set(key, create(control));
      const element = elements.get(key);
      update(element, control);
      // In reading order; an element that stays in its place is not touched.
      const next = before ? before.nextSibling : box.firstChild;
      if (next !== element) box.insertBefore(element, next);
      before = element;
      if (control.focused) focused = element.id;
    }
    for (const key of gone) {
      elements.get(key).remove();
      elements.delete(key);
    }
    put(canvas, "aria-activedescendant", focused);
  };
}
