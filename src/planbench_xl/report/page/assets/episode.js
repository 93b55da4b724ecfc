"use strict";

/* The episode explorer: one episode, or two of one query side by side. */
const episodes = (() => {
  const { el, show, count, path } = dom;

  /** What is on the screen, for the keyboard. */
  let open = null;

  async function draw(main, all, [label, queryId, epochText], query) {
    const run = all.byLabel.get(label);
    const epoch = Number(epochText ?? 0);
    const episode = run && (await data.episode(run.key, queryId, epoch));
    if (!episode) return show(main, el("h1", {}, "No such episode"), el("p", {}, `There is no episode of ‘${queryId}’ (epoch ${epoch}) in ‘${label}’.`));
    const world = await data.world(run.world);
    const other = await second(all, run, queryId, epoch, query.get("with"));
    const around = await runs.neighbours(run, episode.row);
    const views = [view(world, run, episode), other && view(world, other.run, other.episode)].filter(Boolean);
    const sync = el("input", { type: "checkbox", checked: true });
    open = { run, queryId, epoch, other: other?.run.label ?? "", around, views, sync };
    for (const one of views) one.moved = () => moved(one);
    show(main,
      el("div", { class: "episode-head" },
        el("div", {}, el("h1", {}, queryId, epoch > 0 && el("span", { class: "meaning" }, `epoch ${epoch}`)), question(world, queryId)),
        controls(all, run, around, views.length > 1 && sync)),
      el("div", { class: views.length > 1 ? "views two" : "views" }, views.map((one) => one.node)));
    const turn = Number(query.get("turn")) || 1;
    views.forEach((one) => one.go(turn, true));
  }

  async function second(all, run, queryId, epoch, label) {
    const other = label ? all.byLabel.get(label) : null;
    if (!other || other.world !== run.world) return null;
    const found = (await data.episode(other.key, queryId, epoch)) ?? (await data.episode(other.key, queryId, 0));
    return found && { run: other, episode: found };
  }

  function question(world, queryId) {
    const query = world.queries.get(queryId);
    const task = world.tasks.get(query.task);
    const pair = (kind) => ([d, text]) => el("span", { class: "pair" },
      el("span", { class: `chip ${kind}`, "data-tip": world.datatypes[d].description }, world.datatypes[d].name), el("bdi", { class: "code" }, text));
    return [
      dom.foreign(query.text, { tag: "blockquote" }),
      el("p", { class: "given" }, "Given ", query.inputs.map(pair("given")), " · right answer ", query.answers.map(pair("target")), ` · L* = ${task.shortest}, ${count(task.listed, "listed path")}`),
    ];
  }

  function controls(all, run, around, sync) {
    const others = all.runs.filter((one) => one.world === run.world && one.label !== run.label);
    const go = (row, text, key) => el(row ? "a" : "span", { class: "button", href: row && link(run, row), "aria-disabled": row ? null : "true", "aria-keyshortcuts": key }, text);
    return el("div", { class: "episode-tools" },
      el("div", { class: "row" }, go(around.before, "← Previous", "k"), el("span", { class: "meaning" }, `${around.place} of ${around.total.toLocaleString("en")}`), go(around.after, "Next →", "j")),
      others.length > 0 && el("label", { class: "row" }, "Beside",
        el("select", { id: "beside", onchange: (event) => (location.hash = address({ with: event.target.value })) },
          el("option", { value: "" }, "nothing"),
          others.map((one) => el("option", { value: one.label, selected: one.label === open?.other }, one.label)))),
      sync && el("label", { class: "row" }, sync, "Move both"));
  }

  const link = (run, row) => runs.link(run.label, row) + (open?.other ? `?with=${encodeURIComponent(open.other)}` : "");

  /** Return the address of what is on the screen, with some of it changed. */
  function address(changes = {}) {
    const { run, queryId, epoch, other, views } = open;
    const wanted = { turn: views[0].number(), with: other, ...changes };
    const query = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value)).toString();
    return path("episode", run.label, queryId, epoch) + (query ? `?${query}` : "");
  }

  function moved(one) {
    if (open.views.length > 1 && open.sync.checked) for (const other of open.views) if (other !== one) other.go(one.number(), true);
    app.rewrite(address());
  }

  /** Make one episode's half of the explorer. */
  function view(world, run, episode) {
    const task = world.tasks.get(episode.task_id);
    const list = walk.steps(world, episode);
    const picture = graph.make(world, task, episode, list);
    const calls = turns.calls(world, list, (wanted) => self.go(wanted));
    const panel = el("div", { class: "panel", "aria-live": "polite" });
    const strip = list.map((step) => el("button", {
      type: "button", class: `step kind-${step.kind}`, tabindex: -1, "aria-label": step.title, "data-tip": step.title, onclick: () => self.go(step.number),
    }, step.letter));
    const slider = el("input", { type: "range", min: 1, max: Math.max(1, list.length), value: 1, "aria-label": `Turn of ${run.label}`, oninput: () => self.go(Number(slider.value)) });
    const press = (text, label, by) => el("button", { type: "button", "aria-label": label, onclick: () => self.go(number + by) }, text);
    let number = 0;
    const self = {
      moved: () => {},
      number: () => number,
      last: () => list.length,
      go(wanted, quiet = false) {
        const next = Math.min(Math.max(1, wanted), Math.max(1, list.length));
        if (next === number) return;
        number = next;
        slider.value = String(number);
        slider.setAttribute("aria-valuetext", list[number - 1]?.title ?? "no turns");
        strip.forEach((button, i) => {
          button.classList.toggle("past", i < number);
          if (i === number - 1) button.setAttribute("aria-current", "step");
          else button.removeAttribute("aria-current");
        });
        picture.update(number);
        calls.update(number);
        show(panel, turns.panel(world, episode, list, number));
        if (!quiet) self.moved();
      },
    };
    self.node = el("section", { class: "view", "aria-label": `Episode of ${run.label}` },
      el("header", {}, el("h2", {}, el("a", { href: path("run", run.label) }, run.label)), outcome(run, episode)),
      el("div", { class: "player" }, press("◀", "Previous turn", -1), el("div", { class: "track" }, el("div", { class: list.length > 36 ? "strip dense" : "strip" }, strip), slider), press("▶", "Next turn", 1)),
      el("div", { class: "halves" }, el("div", { class: "graph-side" }, picture.node, calls.node), panel));
    return self;
  }

  function outcome(run, episode) {
    const { row } = episode;
    const facts = [
      count(episode.turns.length, "turn"),
      row.reason && words.REASONS[row.reason],
      row.ending && words.label(words.ENDINGS, row.ending).toLowerCase(),
      episode.regret !== undefined && episode.regret !== null && `${count(episode.regret, "turn")} beyond the shortest possible`,
      episode.blocked.length > 0 && `${count(episode.blocked.length, "tool")} blocked`,
      episode.flow && `flow ${episode.flow}`,
      episode.unresolved && "ran without a block plan",
      episode.exact === false && "judged by bounds",
    ].filter(Boolean);
    const name = words.classOf(row);
    return el("p", { class: "outcome" },
      el("a", { href: path("run", run.label, "class", name) }, words.classTag(name)), " ", facts.join(" · "),
      episode.cause && dom.foreign(episode.cause, { label: "Cause" }));
  }

  /** Handle a key; returns whether it meant something here. */
  function key(name) {
    if (!open) return false;
    const [first] = open.views;
    const jump = (row) => row && (location.hash = link(open.run, row));
    const keys = {
      ArrowLeft: () => first.go(first.number() - 1),
      ArrowRight: () => first.go(first.number() + 1),
      Home: () => first.go(1),
      End: () => first.go(first.last()),
      j: () => jump(open.around.after),
      k: () => jump(open.around.before),
      b: () => document.getElementById("beside")?.focus(),
    };
    if (!keys[name]) return false;
    keys[name]();
    return true;
  }

  const close = () => (open = null);

  return { draw, key, close };
})();
