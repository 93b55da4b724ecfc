"use strict";

/* The figures of the page. Colours never stand alone: classes have patterns, runs have shapes. */
const charts = (() => {
  const { el, svg, percent, count, path } = dom;

  const MARKS = ["circle", "square", "diamond", "triangle", "cross", "ring", "bar", "down"];
  const MOST = MARKS.length;

  /** Return a small sign, different for each of the first eight series. */
  function sign(index, x, y, r = 5) {
    const kind = MARKS[index % MOST];
    const common = { class: `series series-${index % MOST}` };
    const line = (d) => svg("path", { ...common, d });
    if (kind === "circle" || kind === "ring") return svg("circle", { class: `${common.class} ${kind}`, cx: x, cy: y, r });
    if (kind === "square") return svg("rect", { ...common, x: x - r, y: y - r, width: 2 * r, height: 2 * r });
    if (kind === "diamond") return line(`M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}Z`);
    if (kind === "triangle") return line(`M${x} ${y - r}L${x + r + 1} ${y + r}H${x - r - 1}Z`);
    if (kind === "down") return line(`M${x} ${y + r}L${x + r + 1} ${y - r}H${x - r - 1}Z`);
    if (kind === "bar") return svg("rect", { ...common, x: x - 2.5, y: y - r - 1, width: 5, height: 2 * r + 2 });
    return svg("path", { class: `${common.class} stroke`, d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}` });
  }

  const legend = (names) =>
    el("ul", { class: "legend" }, names.map((name, i) =>
      el("li", {}, svg("svg", { width: 16, height: 14, "aria-hidden": "true" }, sign(i, 8, 7)), name)));

  /** The patterns of the classes, once per page: a figure on paper has no colours. */
  function patterns() {
    const line = (d) => svg("path", { d, class: "hatch" });
    const shapes = {
      irrecoverable_drift: line("M-1 7L7 -1M-1 1L1 -1M5 7L7 5"),
      weak_recovery: line("M-1 -1L7 7M-1 5L1 7M5 -1L7 1"),
      stopped_short: line("M3 0V6"),
      no_traction: svg("circle", { cx: 3, cy: 3, r: 1.1, class: "hatch dot" }),
      format_error: line("M0 3H6M3 0V6"),
      failure: line("M0 3H6"),
    };
    return svg("svg", { width: 0, height: 0, class: "defs", "aria-hidden": "true" }, svg("defs", {},
      Object.entries(shapes).map(([name, shape]) =>
        svg("pattern", { id: `pattern-${name}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" }, shape))));
  }

  /** Return the parts of a run as a bar; each part leads to its episodes. Parts: {name, episodes}. */
  function stacked(run, parts, { of = "failed episodes" } = {}) {
    const total = parts.reduce((sum, part) => sum + part.episodes, 0);
    if (!total) return el("p", { class: "none" }, "none");
    let at = 0;
    const pieces = parts.filter((part) => part.episodes).map((part) => {
      const [x, width] = [(at / total) * 100, (part.episodes / total) * 100];
      at += part.episodes;
      const text = `${words.label(words.CLASSES, part.name)}: ${part.episodes} of ${total} ${of} (${percent(part.episodes / total)})`;
      return svg("a", { href: path("run", run.label, "class", part.name), "aria-label": `${text}, ${run.label}`, "data-tip": `${text}. ${words.meaning(words.CLASSES, part.name)}.` },
        svg("rect", { class: `fill class-${part.name}`, x: `${x}%`, y: 0, width: `${width}%`, height: "100%" }),
        svg("rect", { class: "over", fill: `url(#pattern-${part.name})`, x: `${x}%`, y: 0, width: `${width}%`, height: "100%" }),
        width > 7 && svg("text", { class: "halo", x: `${x + width / 2}%`, y: "50%" }, part.episodes));
    });
    return svg("svg", { class: "stack", width: "100%", height: 22, role: "group", "aria-label": `${of} of ${run.label}` }, pieces);
  }

  const classLegend = (names) =>
    el("ul", { class: "legend" }, names.map((name) =>
      el("li", { "data-tip": words.meaning(words.CLASSES, name) },
        svg("svg", { width: 16, height: 14, "aria-hidden": "true" },
          svg("rect", { class: `fill class-${name}`, width: 16, height: 14, rx: 2 }),
          svg("rect", { class: "over", fill: `url(#pattern-${name})`, width: 16, height: 14, rx: 2 })),
        words.label(words.CLASSES, name))));

  /** Return an interval as a whisker on a line from 0 to 1. */
  function whisker(estimate) {
    const x = (value) => `${value * 100}%`;
    const { value, low, high } = estimate;
    return svg("svg", { class: "whisker", width: 64, height: 14, "aria-hidden": "true" },
      svg("line", { class: "axis", x1: 0, x2: "100%", y1: 7, y2: 7 }),
      low !== null && low !== undefined && svg("line", { class: "range", x1: x(low), x2: x(high), y1: 7, y2: 7 }),
      value !== null && svg("circle", { class: "point", cx: x(value), cy: 7, r: 3.5 }));
  }

  const interval = ({ value, low, high }) =>
    low === null || low === undefined ? percent(value) : `${percent(value)}, 95 % interval ${percent(low)} to ${percent(high)}`;

  /** Return accuracy by setting: a row per setting, a sign per agent. */
  function bySetting(runs, agents, settings) {
    const [left, right, top, step] = [130, 34, 8, settings.length > 4 ? 32 : 44];
    const [width, height] = [540, top + step * settings.length + 34];
    const x = (value) => left + value * (width - left - right);
    const rows = settings.map((setting, i) => {
      const y = top + step * (i + 0.5);
      const here = runs.filter((run) => run.setting === setting && run.accuracy.value !== null);
      return [
        svg("text", { class: "label", x: left - 10, y, "text-anchor": "end" }, short(setting, 18)),
        svg("line", { class: "axis", x1: left, x2: width - right, y1: y, y2: y }),
        here.map((run) => {
          const index = agents.indexOf(run.agent);
          const at = y + (agents.length > 1 ? (index / (agents.length - 1) - 0.5) * 18 : 0);
          const { value, low, high } = run.accuracy;
          const text = `${run.agent}, ${setting}: ${interval(run.accuracy)}`;
          return svg("a", { href: path("run", run.label), "aria-label": text, "data-tip": text },
            low !== null && low !== undefined && svg("line", { class: `series-line series-${index % MOST}`, x1: x(low), x2: x(high), y1: at, y2: at }),
            sign(index, x(value), at));
        }),
      ];
    });
    return figure("Accuracy by setting", width, height,
      [scale(x, top, height - 26, [0, 0.25, 0.5, 0.75, 1]), rows], legend(agents));
  }

  const scale = (x, top, bottom, values) =>
    values.map((value) => [
      svg("line", { class: "grid", x1: x(value), x2: x(value), y1: top, y2: bottom }),
      svg("text", { class: "tick", x: x(value), y: bottom + 14, "text-anchor": "middle" }, `${value * 100} %`),
    ]);

  /** Return accuracy by the length of the shortest solution: a line per run. */
  function byLength(runs) {
    const lengths = [...new Set(runs.flatMap((run) => run.lengths.map((share) => Number(share.name))))].sort((a, b) => a - b);
    const [left, right, top, bottom] = [48, 20, 10, 40];
    const [width, height] = [540, 230];
    const x = (length) => left + ((lengths.indexOf(length) + 0.5) / lengths.length) * (width - left - right);
    const y = (value) => top + (1 - value) * (height - top - bottom);
    const axes = [
      [0, 0.5, 1].map((value) => [
        svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
        svg("text", { class: "tick", x: left - 8, y: y(value), "text-anchor": "end" }, `${value * 100} %`),
      ]),
      lengths.map((length) => svg("text", { class: "tick", x: x(length), y: height - bottom + 16, "text-anchor": "middle" }, length)),
      svg("text", { class: "label", x: (left + width - right) / 2, y: height - 8, "text-anchor": "middle" }, "tools on the shortest solution (L*)"),
    ];
    const lines = runs.map((run, i) => {
      // A little apart, so that equal lines don't hide each other.
      const apart = (i - (runs.length - 1) / 2) * Math.min(4, 24 / runs.length);
      const points = run.lengths.map((share) => ({ length: Number(share.name), value: share.succeeded / share.episodes, share }));
      const line = points.map((p, n) => `${n ? "L" : "M"}${(x(p.length) + apart).toFixed(1)} ${y(p.value).toFixed(1)}`).join("");
      return [
        svg("path", { class: `series-line dash-${i % MOST} series-${i % MOST}`, d: line }),
        points.map(({ length, value, share }) => {
          const text = `${run.label}, L* = ${length}: ${share.succeeded} of ${share.episodes} (${percent(value)})`;
          return svg("a", { href: path("run", run.label), "aria-label": text, "data-tip": text }, sign(i, x(length) + apart, y(value), 4));
        }),
      ];
    });
    return figure("Accuracy by length of the shortest solution", width, height, [axes, lines], legend(runs.map((run) => run.label)));
  }

  const short = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

  const figure = (title, width, height, content, below) =>
    el("figure", {}, el("figcaption", {}, title), el("div", { class: "scroll-x" },
      svg("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": title }, content)), below);

  return { stacked, classLegend, patterns, whisker, interval, bySetting, byLength, MOST };
})();
