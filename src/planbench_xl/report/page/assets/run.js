"use strict";

/* A run: its figures, its failure classes, and the list of its episodes. */
const runs = (() => {
  const { el, show, percent, count, path } = dom;
  const BATCH = 500;

  /** The rows last listed, for going on from one episode to the next. */
  const listed = { label: "", rows: [] };

  async function draw(main, all, label, name = "", query = new URLSearchParams()) {
    const run = all.byLabel.get(label);
    if (!run) return show(main, el("h1", {}, "No such run"), el("p", {}, `There is no run ‘${label}’ on this page.`));
    const rows = await data.run(run.key);
    const state = { name, text: query.get("find") ?? "", ending: query.get("ending") ?? "", sort: query.get("sort") ?? "" };
    const list = el("div", { class: "results" });
    const update = () => show(list, episodes(run, rows, state));
    show(main,
      el("h1", {}, label),
      el("p", { class: "lead" }, el("a", { href: path("model", run.agent) }, run.agent), ` in setting ${run.setting}, world ${run.worldName}, protocol ${run.protocol}, judge ${run.judge}.`),
      charts.patterns(),
      cards(all, run),
      warnings(run),
      el("div", { class: "figures" }, classes(run, rows, name), run.lengths.length > 1 && charts.byLength([run])),
      el("section", {},
        el("h2", { id: "episodes" }, name ? ["Episodes: ", words.classTag(name)] : "Episodes"),
        filters(rows, state, update), list));
    update();
  }

  function cards(all, run) {
    const card = (metric, i) => {
      const { value, low, high } = run.figures[i];
      const unit = metric.percent ? " %" : "";
      return el("div", { class: "card", "data-tip": `${metric.meaning}.` },
        el("dt", {}, words.HEADINGS[metric.key] ?? metric.head),
        el("dd", {}, overview.shown(metric, value) + (value === null ? "" : unit),
          low !== null && low !== undefined && el("span", { class: "interval" }, `${overview.shown(metric, low)} – ${overview.shown(metric, high)}`)));
    };
    return el("dl", { class: "cards" }, all.metrics.map(card));
  }

  function warnings(run) {
    const causes = run.causes.map((share) => `${share.episodes} ${share.name}`).join(", ");
    return el("ul", { class: "notes" },
      el("li", {}, `${count(run.scored, "episode")} scored${run.expected ? ` of ${run.expected.toLocaleString("en")}` : ""}, ${run.succeeded.toLocaleString("en")} succeeded.`),
      !run.complete && el("li", { class: "warn" }, "Incomplete: the figures aren't final."),
      run.errors > 0 && el("li", { class: "warn" }, `${count(run.errors, "episode")} ended by the infrastructure (${causes}); as failures they would make the accuracy ${percent(run.accuracy_with_errors)}.`),
      run.unresolved > 0 && el("li", { class: "warn" }, `${count(run.unresolved, "episode")} ran without what the setting does, for want of a plan.`));
  }

  function classes(run, rows, chosen) {
    const counts = new Map();
    for (const row of rows) counts.set(words.classOf(row), (counts.get(words.classOf(row)) ?? 0) + 1);
    const line = (name) => {
      const share = counts.get(name) / rows.length;
      return el("li", { class: name === chosen ? "chosen" : null },
        el("a", { href: path("run", run.label, "class", name), "aria-current": name === chosen ? "true" : null }, words.classTag(name), el("span", { class: "meaning" }, words.meaning(words.CLASSES, name))),
        el("span", { class: "number" }, counts.get(name).toLocaleString("en")),
        el("span", { class: "number share" }, percent(share)));
    };
    const names = Object.keys(words.CLASSES).filter((name) => counts.get(name));
    return el("figure", {}, el("figcaption", {}, "How episodes came out"),
      charts.stacked(run, names.map((one) => ({ name: one, episodes: counts.get(one) })), { of: "episodes" }),
      el("ul", { class: "classes" }, names.map(line)),
      chosen && el("p", {}, el("a", { href: path("run", run.label) }, "Show all classes")));
  }

  function filters(rows, state, update) {
    const endings = [...new Set(rows.map((row) => row.ending).filter(Boolean))];
    return el("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
      el("label", {}, "Find", el("input", { type: "search", value: state.text, placeholder: "query", oninput: (event) => ((state.text = event.target.value), update()) })),
      endings.length > 0 && el("label", {}, "Ending", el("select", { onchange: (event) => ((state.ending = event.target.value), update()) },
        el("option", { value: "" }, "all"),
        endings.map((name) => el("option", { value: name, selected: name === state.ending }, words.label(words.ENDINGS, name))))));
  }

  const fits = (row, state) =>
    (!state.name || words.classOf(row) === state.name) && (!state.ending || row.ending === state.ending) &&
    (!state.text || row.query.toLowerCase().includes(state.text.toLowerCase()));

  function episodes(run, rows, state) {
    const fitting = rows.filter((row) => fits(row, state));
    if (!fitting.length) return el("p", { class: "none" }, "No episode fits.");
    const repeated = rows.some((row) => row.epoch > 0);
    const many = (head, key, tip) => ({ head, key, tip, number: true, value: (row) => row[key], cell: (row) => row[key] });
    const columns = [
      { head: "Query", key: "query", value: (row) => row.query, cell: (row) => el("a", { href: link(run.label, row) }, row.query) },
      repeated && many("Epoch", "epoch", "Number of the repetition."),
      { head: "Class", key: "class", value: (row) => words.classOf(row), cell: (row) => words.classTag(words.classOf(row)) },
      { head: "Ending", key: "ending", value: (row) => row.ending, cell: (row) => ending(row) },
      many("L*", "shortest", "Tools on the shortest solution."),
      many("Turns", "turns", "Responses."),
      many("Calls", "calls", "Calls, rejected ones too."),
      many("Progress", "progress", "Calls that gave a new value which a path needs."),
    ].filter(Boolean);
    const draw = (some) => tables.table(columns, some, {
      caption: `Episodes of ${run.label}`, sort: state.sort, onsort: (sort) => {
        state.sort = sort;
        remember();
      },
    });
    const remember = () => remembered(run.label, fitting, state.sort, columns);
    remember();
    const box = el("div", {}, draw(fitting.slice(0, BATCH)));
    const more = fitting.length > BATCH && el("button", {
      type: "button", class: "more", onclick: (event) => (show(box, draw(fitting)), event.target.remove()),
    }, `Show all ${count(fitting.length, "episode")}`);
    return [el("p", { class: "lead", role: "status" }, `${count(fitting.length, "episode")}${fitting.length < rows.length ? ` of ${rows.length.toLocaleString("en")}` : ""}`), box, more];
  }

  const ending = (row) =>
    row.ending ? words.label(words.ENDINGS, row.ending) : (words.REASONS[row.reason] ?? "");

  function remembered(label, rows, sort, columns) {
    const column = columns.find((one) => one.key === sort.replace(/^-/, ""));
    listed.label = label;
    listed.rows = column ? tables.sorted(rows, column, sort.startsWith("-")) : rows;
  }

  const link = (label, row) => path("episode", label, row.query, row.epoch);

  /** Return the episodes before and after one: in the list last seen, or in the whole run. */
  async function neighbours(run, row) {
    let rows = listed.label === run.label ? listed.rows : [];
    const same = (one) => one.query === row.query && one.epoch === row.epoch;
    if (!rows.some(same)) rows = await data.run(run.key);
    const at = rows.findIndex(same);
    return { before: rows[at - 1] ?? null, after: rows[at + 1] ?? null, place: at + 1, total: rows.length };
  }

  return { draw, link, neighbours, ending };
})();
