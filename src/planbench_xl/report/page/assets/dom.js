"use strict";

/* Makes elements. Text gets into the page here and nowhere else, and only as text. */
const dom = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  /* Characters that can't be seen or that turn the direction of what follows; line ends and tabs are fine, and so are the
     two selectors that choose between the plain and the coloured form of a sign. */
  const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Co}\p{Cs}]/gu;
  const HARMLESS = new Set(["\n", "\t", "\ufe0e", "\ufe0f"]);

  const mark = (sign) =>
    HARMLESS.has(sign) ? sign : `⟦U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟧`;

  /** Return a text in which invisible characters are visible marks. */
  const clean = (text) => String(text).replace(/\r\n/g, "\n").replace(INVISIBLE, mark);

  function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === null || value === false) continue;
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else node.setAttribute(name, value === true ? "" : clean(value));
    }
    add(node, children);
    return node;
  }

  /** Add children: nodes, texts, lists of them; nothing for null and false. */
  function add(node, children) {
    for (const child of children.flat(Infinity)) {
      if (child === null || child === undefined || child === false) continue;
      node.append(child instanceof Node ? child : clean(child));
    }
    return node;
  }

  /** Make an HTML element. An attribute that starts with `on` is a listener. */
  const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

  /** Make an SVG element. */
  const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

  /** Replace what is in a node. */
  function show(node, ...children) {
    node.replaceChildren();
    return add(node, children);
  }

  /** Return a name in the code's type that may break after its words. */
  const code = (name, tag = "span") =>
    el(tag, { class: "code" }, clean(name).split(/(?<=_)/).map((part, i) => [i > 0 && el("wbr"), part]));

  const FIRST = 1500;

  /** Return a block with a text that someone else wrote: isolated, and folded if it is long. */
  function foreign(text, { tag = "pre", label, length = 0 } = {}) {
    const whole = String(text);
    const body = el(tag, { class: "foreign", dir: "auto", tabindex: tag === "pre" ? 0 : null, "aria-label": label });
    if (whole.length <= FIRST * 1.2) return add(body, [whole]);
    add(body, [whole.slice(0, FIRST) + " …"]);
    const button = el("button", {
      type: "button",
      class: "more",
      onclick: () => {
        show(body, whole);
        button.remove();
      },
    }, `Show all ${(length || whole.length).toLocaleString("en")} characters`);
    return [body, button];
  }

  /** Return a number with some decimals; a dash for none. */
  const number = (value, decimals = 2) => (value === null || value === undefined ? "–" : value.toFixed(decimals));

  /** Return a fraction in per cent. */
  const percent = (value, decimals = 1) => (value === null || value === undefined ? "–" : `${(value * 100).toFixed(decimals)} %`);

  /** Return a count with its noun. */
  const count = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

  /** Return a link within the page. */
  const path = (...parts) => "#/" + parts.map(encodeURIComponent).join("/");

  return { el, svg, show, clean, code, foreign, number, percent, count, path };
})();

/* A tooltip for whatever has `data-tip`: at the pointer, or at what has the focus. */
const tip = (() => {
  let box = null;
  const place = (x, y) => {
    const width = box.offsetWidth;
    box.style.left = `${Math.max(8, Math.min(x + 12, innerWidth - width - 8))}px`;
    box.style.top = `${y + 18 + box.offsetHeight > innerHeight ? y - box.offsetHeight - 10 : y + 18}px`;
  };
  const open = (target, x, y) => {
    dom.show(box, target.dataset.tip);
    box.hidden = false;
    place(x, y);
  };
  const close = () => (box.hidden = true);
  const of = (event) => (event.target instanceof Element ? event.target.closest("[data-tip]") : null);

  function start() {
    box = document.getElementById("tip");
    document.addEventListener("pointermove", (event) => {
      const target = of(event);
      if (target) open(target, event.clientX, event.clientY);
      else close();
    });
    document.addEventListener("focusin", (event) => {
      const target = of(event);
      if (!target || !target.matches(":focus-visible")) return close();
      const at = target.getBoundingClientRect();
      open(target, at.left + at.width / 2, at.bottom - 12);
    });
    document.addEventListener("focusout", close);
    document.addEventListener("keydown", (event) => event.key === "Escape" && close());
    addEventListener("hashchange", close);
  }
  return { start };
})();
