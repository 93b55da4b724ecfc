"use strict";

/* A table that sorts by any of its columns. */
const tables = (() => {
  const { el, show } = dom;

  /**
   * Make a table.
   *
   * columns: {head, key, value(row), cell(row), number, tip}; `value` is what is sorted by, `cell` what is shown.
   * options: caption, sort (a column's key, `-` before it for descending), onsort(sort), row(row) → attributes.
   */
  function table(columns, rows, { caption, sort = "", onsort = () => {}, row: attributes = () => ({}) } = {}) {
    const body = el("tbody");
    const heads = columns.map((column) =>
      el("th", { scope: "col", class: column.number ? "number" : null },
        el("button", { type: "button", "data-tip": column.tip, onclick: () => choose(column) },
          column.head, el("span", { class: "arrow", "aria-hidden": "true" }))));
    let key = sort.replace(/^-/, "");
    let down = sort.startsWith("-");

    function choose(column) {
      down = key === column.key ? !down : Boolean(column.number);
      key = column.key;
      draw();
      onsort((down ? "-" : "") + key);
    }

    function draw() {
      const column = columns.find((one) => one.key === key);
      const inOrder = column ? sorted(rows, column, down) : rows;
      columns.forEach((one, i) => {
        const state = one === column ? (down ? "descending" : "ascending") : null;
        if (state) heads[i].setAttribute("aria-sort", state);
        else heads[i].removeAttribute("aria-sort");
      });
      show(body, inOrder.map((entry) =>
        el("tr", attributes(entry), columns.map((one, i) =>
          el(i ? "td" : "th", { scope: i ? null : "row", class: one.number ? "number" : null }, one.cell(entry))))));
    }

    draw();
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
      el("table", {}, el("caption", { class: "hidden" }, caption), el("thead", {}, el("tr", {}, heads)), body));
  }

  /** Return rows sorted by a column. */
  const sorted = (rows, column, down) =>
    [...rows].sort((a, b) => compare(column.value(a), column.value(b), down));

  /* What is undefined comes last either way. */
  function compare(a, b, down) {
    const missing = (value) => value === null || value === undefined || value === "";
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    const order = typeof a === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });
    return down ? -order : order;
  }

  return { table, sorted };
})();
