"use strict";

/* The first page: the main table, accuracy by model and setting, and why episodes failed. */
const overview = (() => {
  const { el, show, percent, number, count, path } = dom;
  const BARS = 30;

  const shown = (metric, value) => (metric.percent ? number(value === null ? null : value * 100) : number(value));

  function columns(metrics, several) {
    const text = (head, key) => ({ head, key, value: (run) => run[key], cell: (run) => run[key] });
    const label = {
      head: "Run", key: "label", value: (run) => run.label,
      cell: (run) => el("a", { href: path("run", run.label) }, run.label),
    };
    const agent = {
      head: "Model", key: "agent", value: (run) => run.agent,
      cell: (run) => el("a", { href: path("model", run.agent) }, run.agent),
    };
    const figures = metrics.map((metric, i) => ({
      head: metric.head, key: metric.key, number: true,
      tip: `${words.HEADINGS[metric.key] ?? metric.head}: ${metric.meaning}.`,
      value: (run) => run.figures[i].value,
      cell: (run) => figureCell(metric, run.figures[i], run, i === 0),
    }));
    const world = { head: "World", key: "world", value: (run) => run.world, cell: (run) => run.worldName };
    const episodes = {
      head: "Episodes", key: "scored", number: true, tip: "Episodes scored; infrastructure errors are left out.",
      value: (run) => run.scored, cell: (run) => run.scored.toLocaleString("en"),
    };
    return [label, agent, text("Setting", "setting"), several && world, ...figures, episodes].filter(Boolean);
  }

  function figureCell(metric, estimate, run, main) {
    const { value, low, high } = estimate;
    const known = low !== null && low !== undefined;
    const range = known && el("span", { class: "interval" }, `${shown(metric, low)} – ${shown(metric, high)}`);
    const mark = main && !run.complete && el("span", { class: "warn", "data-tip": "Not all episodes are scored: the figure isn't final." }, "*");
    return [main && charts.whisker(estimate), el("span", { class: "value" }, shown(metric, value), mark), range];
  }

  /** Draw the overview, or what concerns one model. */
  function draw(main, all, agent = null) {
    const runs = all.runs.filter((run) => agent === null || run.agent === agent);
    if (!runs.length) return show(main, el("h1", {}, "No such model"), el("p", {}, `There is no run of ‘${agent}’.`));
    const state = { text: "", setting: "", agent: "" };
    const results = el("div", { class: "results" });
    const update = () => show(results, content(all, runs.filter((run) => matches(run, state))));
    show(main,
      el("h1", {}, agent ?? all.title),
      el("p", { class: "lead" }, summary(all, runs)),
      runs.length > 5 && filters(runs, state, update),
      results);
    update();
  }

  function summary(all, runs) {
    const worlds = [...new Set(runs.map((run) => run.world))].map((key) => all.worlds.get(key));
    const episodes = runs.reduce((sum, run) => sum + run.scored, 0);
    const names = worlds.map((world) => `${world.name} ${world.version} (${world.fingerprint.slice(0, 12)})`);
    return `${count(runs.length, "run")}, ${count(episodes, "episode")}. World ${names.join(", ")}. Judge ${[...new Set(runs.map((run) => run.judge))].join(", ")}.`;
  }

  const matches = (run, state) =>
    (!state.agent || run.agent === state.agent) && (!state.setting || run.setting === state.setting) &&
    (!state.text || `${run.label} ${run.agent} ${run.setting} ${run.worldName}`.toLowerCase().includes(state.text.toLowerCase()));

  function filters(runs, state, update) {
    const choice = (key, label) => {
      const names = [...new Set(runs.map((run) => run[key]))];
      if (names.length < 2) return null;
      return el("label", {}, label, el("select", { onchange: (event) => ((state[key] = event.target.value), update()) },
        el("option", { value: "" }, "all"), names.map((name) => el("option", { value: name }, name))));
    };
    return el("form", { class: "filters", onsubmit: (event) => event.preventDefault() },
      el("label", {}, "Find", el("input", { type: "search", oninput: (event) => ((state.text = event.target.value), update()) })),
      choice("agent", "Model"), choice("setting", "Setting"));
  }

  function content(all, runs) {
    if (!runs.length) return el("p", { class: "none" }, "No run fits.");
    const failed = runs.filter((run) => run.scored > run.succeeded);
    const worlds = [...new Set(runs.map((run) => run.world))];
    return [
      charts.patterns(),
      tables.table(columns(all.metrics, all.worlds.size > 1), runs, { caption: "Main table" }),
      notes(runs),
      worlds.map((world) => accuracies(runs.filter((run) => run.world === world), worlds.length > 1 && all.worlds.get(world).name)),
      failed.length > 0 && failures(failed),
    ];
  }

  /* Accuracy on one world, as far as there are several runs to compare and few enough to draw. */
  function accuracies(runs, world) {
    const agents = [...new Set(runs.map((run) => run.agent))];
    const settings = [...new Set(runs.map((run) => run.setting))];
    const many = settings.length > 1;
    const shown = [
      many && agents.length > 1 && matrix(runs, agents, settings),
      many && agents.length <= charts.MOST && charts.bySetting(runs, agents, settings),
      runs.length <= charts.MOST && charts.byLength(runs),
    ].filter(Boolean);
    return shown.length > 0 && el("section", {}, el("h2", {}, world ? `Accuracy on ${world}` : "Accuracy"), el("div", { class: "figures" }, shown));
  }

  function notes(runs) {
    const incomplete = runs.filter((run) => !run.complete).length;
    const errors = runs.reduce((sum, run) => sum + run.errors, 0);
    const unresolved = runs.reduce((sum, run) => sum + run.unresolved, 0);
    return el("ul", { class: "notes" },
      runs.some((run) => run.accuracy.low !== null && run.accuracy.low !== undefined) && el("li", {}, "Ranges are 95 % intervals."),
      incomplete > 0 && el("li", { class: "warn" }, `* ${count(incomplete, "run")} incomplete: the figures aren't final.`),
      errors > 0 && el("li", { class: "warn" }, `${count(errors, "episode")} ended by the infrastructure, left out of the figures.`),
      unresolved > 0 && el("li", { class: "warn" }, `${count(unresolved, "episode")} ran without what the setting does, for want of a plan.`));
  }

  function matrix(runs, agents, settings) {
    const cell = (agent, setting) => {
      const run = runs.find((one) => one.agent === agent && one.setting === setting);
      if (!run) return el("td", { class: "number" }, "–");
      const text = `${agent}, ${setting}: ${charts.interval(run.accuracy)}`;
      const step = run.accuracy.value === null ? 0 : Math.round(run.accuracy.value * 10);
      return el("td", { class: `number heat heat-${step}` },
        el("a", { href: path("run", run.label), "aria-label": text, "data-tip": text }, number(run.accuracy.value === null ? null : run.accuracy.value * 100, 1)));
    };
    return el("figure", { class: settings.length > 4 ? "whole" : null }, el("figcaption", {}, "Accuracy by model and setting, in per cent"),
      el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Accuracy by model and setting" },
        el("table", { class: "matrix" },
          el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Model"), settings.map((name) => el("th", { scope: "col", class: "number" }, name)))),
          el("tbody", {}, agents.map((agent) => el("tr", {},
            el("th", { scope: "row" }, el("a", { href: path("model", agent) }, agent)),
            settings.map((setting) => cell(agent, setting))))))));
  }

  function failures(runs) {
    const list = el("div", { class: "bars" });
    const rows = (some) => some.map((run) => [
      el("a", { class: "name", href: path("run", run.label) }, run.label),
      charts.stacked(run, parts(run)),
      el("span", { class: "number" }, (run.scored - run.succeeded).toLocaleString("en")),
    ]);
    show(list, rows(runs.slice(0, BARS)));
    const more = runs.length > BARS && el("button", {
      type: "button", class: "more", onclick: (event) => (show(list, rows(runs)), event.target.remove()),
    }, `Show all ${runs.length} runs`);
    const present = Object.keys(words.CLASSES).filter((name) => runs.some((run) => parts(run).some((part) => part.name === name && part.episodes)));
    return el("section", {}, el("h2", {}, "Why episodes failed"),
      el("p", { class: "lead" }, "Failed episodes by class; each part leads to its episodes."),
      charts.classLegend(present), list, more);
  }

  /** Return the failure classes of a run, with what the analysis put in none. */
  function parts(run) {
    const known = run.categories.reduce((sum, share) => sum + share.episodes, 0);
    return [...run.categories, { name: "failure", episodes: run.scored - run.succeeded - known }];
  }

  return { draw, parts, shown };
})();
