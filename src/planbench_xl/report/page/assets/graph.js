"use strict";

/* Draws a task's tool graph, and an agent's walk on it up to a turn. */
const graph = (() => {
  const { el, svg, show } = dom;
  const EXTRA = 12;
  const LINE = 13;
  const LETTER = 6.5;

  /** Return the tools to be drawn: those of the listed paths, all that were called, and some more that were of use. */
  function chosen(world, task, list) {
    const tools = new Set(task.sets.flat());
    const calls = list.filter((step) => step.turn.action === "call" && step.turn.tool >= 0);
    for (const step of calls) tools.add(walk.place(world, step.turn.tool));
    const more = new Set(calls.flatMap((step) => step.turn.call?.useful ?? []).filter((tool) => !tools.has(tool)));
    for (const tool of [...more].slice(0, EXTRA)) tools.add(tool);
    return [...tools].sort((a, b) => a - b);
  }

  /** Make the graph of an episode. Returns its node and `update(turn number)`. */
  function make(world, task, episode, list) {
    const ids = chosen(world, task, list);
    const tools = ids.map((id) => ({ id, inputs: world.tools[id].inputs, outputs: world.tools[id].outputs }));
    const datatypes = new Set([...task.inputs, ...task.targets, ...tools.flatMap((tool) => [...tool.inputs, ...tool.outputs])]);
    const longest = Math.max(...[...datatypes].flatMap((d) => lines(world.datatypes[d].name)).map((line) => line.length));
    const placed = layout.place(tools, task.inputs, task.targets, Math.max(56, longest * LETTER + 14));
    const blocked = new Map(episode.blocked.map((entry) => [entry.tool, entry.alternatives]));
    const listed = new Set(task.sets.flat());
    const detail = el("div", { class: "detail" });
    const context = { world, task, blocked, listed, list, detail };
    const edges = placed.edges.map(edge);
    const nodes = placed.nodes.map((node) => (node.tool === undefined ? datatypeNode(node, context) : toolNode(node, context)));
    const picture = svg("svg", {
      class: "graph", viewBox: `0 0 ${Math.ceil(placed.width)} ${Math.ceil(placed.height)}`, role: "group",
      "aria-label": `Tool graph of ${task.id}: from ${names(world, task.inputs)} to ${names(world, task.targets)}, ${ids.length} tools, ${blocked.size} of them blocked`,
    }, edges.map((one) => one.node), nodes.map((one) => one.node));
    picture.style.minWidth = `${Math.round(placed.width * 0.75)}px`;
    picture.style.maxWidth = `${Math.round(placed.width * 1.3)}px`;
    const box = el("div", { class: "scroll-x graph-box" }, picture);
    const update = (number) => draw(context, edges, nodes, number, box);
    return { node: [box, key(blocked.size > 0), note(task), detail, inWords(context, ids)], update };
  }

  const names = (world, datatypes) => datatypes.map((d) => world.datatypes[d].name).join(", ");

  function edge({ from, to, tool }) {
    const [x1, x2] = [from.x + from.size.width / 2, to.x - to.size.width / 2];
    const bend = Math.max(14, Math.abs(x2 - x1) / 2);
    return { tool, node: svg("path", { class: "edge", d: `M${x1} ${from.y}C${x1 + bend} ${from.y} ${x2 - bend} ${to.y} ${x2} ${to.y}` }) };
  }

  /* A name on at most two lines, broken where its words are. */
  function lines(name) {
    const found = [""];
    for (const word of name.split(/(?<=[_\s])/)) {
      if (found.at(-1) && found.at(-1).length + word.length > LINE) found.push("");
      found[found.length - 1] += word;
    }
    const cut = (text) => (text.length > LINE ? text.slice(0, LINE - 1) + "…" : text);
    return found.length > 2 ? [cut(found[0]), cut(found[1].slice(0, LINE - 1) + "…")] : found.map(cut);
  }

  function datatypeNode(node, context) {
    const { world, task } = context;
    const { name } = world.datatypes[node.datatype];
    const target = task.targets.includes(node.datatype);
    const text = lines(name);
    const label = svg("title");
    const { width, height } = node.size;
    const frame = { x: node.x - width / 2, y: node.y - height / 2, width, height, rx: 9 };
    const made = svg("g", { class: "datatype", tabindex: 0, role: "img" }, label,
      target && svg("rect", { class: "outer", x: frame.x - 3.5, y: frame.y - 3.5, width: frame.width + 7, height: frame.height + 7, rx: 12 }),
      svg("rect", { class: "shape", ...frame }),
      text.map((line, i) => svg("text", { x: node.x, y: node.y + (i - (text.length - 1) / 2) * 12.5 }, line)));
    listen(made, context, () => datatypeDetail(context, node.datatype));
    return { ...node, node: made, label };
  }

  function toolNode(node, context) {
    const { blocked, listed } = context;
    const w = node.size.width;
    const [x, y] = [node.x - w / 2, node.y - w / 2];
    const label = svg("title");
    const number = svg("text", { x: node.x, y: node.y });
    const struck = blocked.has(node.tool);
    const made = svg("g", { class: `tool${struck ? " blocked" : ""}${listed.has(node.tool) ? "" : " unlisted"}`, tabindex: 0, role: "img" }, label,
      svg("rect", { class: "halo", x: x - 5, y: y - 5, width: w + 10, height: w + 10, rx: 8 }),
      svg("rect", { class: "shape", x, y, width: w, height: w, rx: 5 }),
      struck && svg("path", { class: "strike", d: `M${x - 3} ${y + w + 3}L${x + w + 3} ${y - 3}M${x - 3} ${y - 3}L${x + w + 3} ${y + w + 3}` }),
      number,
      svg("path", { class: "imitated", d: `M${x + w} ${y - 8}l8 8l-8 8l-8 -8Z` }));
    listen(made, context, () => toolDetail(context, node.tool));
    return { ...node, node: made, label, number };
  }

  function listen(node, context, detail) {
    const open = () => show(context.detail, detail());
    for (const event of ["focus", "pointerenter", "click"]) node.addEventListener(event, open);
  }

  function draw(context, edges, nodes, number, box) {
    const { world, task, list } = context;
    const known = walk.after(world, task, list, number);
    const step = list[number - 1];
    const useful = new Set(walk.useful(list, number) ?? []);
    context.known = known;
    context.number = number;
    const now = step?.turn.action === "call" && step.turn.tool >= 0 ? walk.place(world, step.turn.tool) : -1;
    const current = (tool) => tool === now;
    for (const one of edges) {
      const calls = known.called.get(one.tool) ?? [];
      one.node.setAttribute("class", ["edge", edgeState(calls), current(one.tool) && "now", context.blocked.has(one.tool) && "cut"].filter(Boolean).join(" "));
    }
    for (const one of nodes) {
      if (one.tool === undefined) drawDatatype(context, one, step);
      else drawTool(context, one, useful.has(one.tool), current(one.tool));
      const asked = step?.turn.action === "answer" && task.targets.includes(one.datatype);
      if (asked || (one.tool !== undefined && current(one.tool))) into(box, one.node);
    }
    if (!context.detail.textContent) show(context.detail, el("p", { class: "hint" }, "Point at a node, or move to it with Tab, to read what it is."));
  }

  const edgeState = (calls) => {
    const kinds = new Set(calls.map((step) => step.kind));
    return ["progress", "drift", "imitation", "rejected"].find((kind) => kinds.has(kind)) ?? "";
  };

  /* Keep the tool just called, or what was answered, in sight where the graph is wider than its box. */
  function into(box, node) {
    const [outer, inner] = [box.getBoundingClientRect(), node.getBoundingClientRect()];
    if (!outer.width) return;
    if (inner.left < outer.left + 40 || inner.right > outer.right - 40) box.scrollLeft += inner.left - outer.left - outer.width / 2;
  }

  function datatypeState({ known, task }, datatype) {
    if (task.inputs.includes(datatype)) return "given";
    if (known.obtained.has(datatype)) return "obtained";
    return known.untrusted.has(datatype) ? "tainted" : "open";
  }

  function drawDatatype(context, one, step) {
    const state = datatypeState(context, one.datatype);
    const asked = step?.turn.action === "retrieve" && (step.turn.output === one.datatype || step.turn.inputs?.includes(one.datatype));
    one.node.setAttribute("class", ["datatype", state, context.task.targets.includes(one.datatype) && "target", asked && "asked"].filter(Boolean).join(" "));
    label(one, `${context.world.datatypes[one.datatype].name}: ${stateWords(context, one.datatype)}`);
  }

  function stateWords({ known, task }, datatype) {
    const turn = known.obtained.get(datatype);
    const said = task.inputs.includes(datatype) ? "given" : turn ? `obtained in turn ${turn}`
      : known.untrusted.has(datatype) ? `only an untrusted value, from turn ${known.untrusted.get(datatype)}` : "not obtained";
    return task.targets.includes(datatype) ? `asked for, ${said}` : said;
  }

  function drawTool(context, one, useful, current) {
    const calls = context.known.called.get(one.tool) ?? [];
    const own = calls.filter((step) => step.kind !== "imitation" && step.turn.tool === one.tool);
    const found = context.known.found.has(one.tool);
    const add = (name, on) => one.node.classList.toggle(name, Boolean(on));
    for (const kind of ["progress", "drift", "rejected"]) add(kind, edgeState(own) === kind);
    add("found", found);
    add("fresh", context.known.found.get(one.tool) === context.number);
    add("useful", useful);
    add("now", current);
    add("mimicked", calls.some((step) => step.kind === "imitation"));
    show(one.number, shortNumbers(own.length ? own : calls));
    label(one, `${context.world.tools[one.tool].name}: ${toolWords(context, one.tool)}${useful ? ", would be progress now" : ""}`);
  }

  const shortNumbers = (calls) => (calls.length < 2 ? calls.map((step) => step.number).join("") : `${calls[0].number}+`);

  function toolWords({ known, blocked, listed }, tool) {
    const calls = known.called.get(tool) ?? [];
    return [
      blocked.has(tool) && "blocked",
      !listed.has(tool) && "not on a listed path",
      known.found.has(tool) ? `found in turn ${known.found.get(tool)}` : !blocked.has(tool) && "not found yet",
      ...calls.map((step) => `${step.title.replace("Turn", "turn")}`),
    ].filter(Boolean).join(", ");
  }

  function label(one, text) {
    show(one.label, text);
    one.node.setAttribute("aria-label", dom.clean(text));
  }

  function datatypeDetail(context, datatype) {
    const { name, description } = context.world.datatypes[datatype];
    return [el("p", {}, el("b", {}, name), ` – ${stateWords(context, datatype)}.`), el("p", {}, description)];
  }

  function toolDetail(context, id) {
    const { world, blocked } = context;
    const tool = world.tools[id];
    const alternatives = blocked.get(id) ?? [];
    return [
      el("p", {}, words.roleSign(tool.role), " ", dom.code(tool.name, "b")),
      el("p", {}, `${names(world, tool.inputs)} → ${names(world, tool.outputs)}. ${toolWords(context, id)}.`),
      el("p", {}, tool.description),
      blocked.has(id) && el("p", {}, "In its place a search shows:"),
      blocked.has(id) && el("ul", { class: "plain" }, alternatives.map((one) =>
        el("li", {}, words.roleSign(world.tools[one].role), " ", dom.code(world.tools[one].name), el("span", { class: "meaning" }, words.KINDS[world.tools[one].kind] ?? "")))),
    ];
  }

  function note(task) {
    const kept = task.sets.length;
    return task.listed > kept && el("p", { class: "hint" }, `Drawn: the ${kept} shortest of ${task.listed.toLocaleString("en")} listed paths, and every tool that was called.`);
  }

  function key(blocked) {
    const item = (name, text) => el("li", {}, el("i", { class: `key key-${name}`, "aria-hidden": "true" }), text);
    return el("ul", { class: "legend keys", "aria-label": "Signs" },
      item("given", "given"), item("obtained", "obtained"), item("tainted", "untrusted"), item("target", "asked for"),
      item("found", "tool found"), item("fresh", "found now"), item("progress", "progress"), item("drift", "no progress"), item("mimicked", "imitation called"),
      item("useful", "would be progress"), blocked && item("blocked", "blocked"));
  }

  /* The graph in words, for whoever can't see it. */
  function inWords({ world, blocked }, ids) {
    return el("details", { class: "in-words" }, el("summary", {}, `The ${ids.length} tools in words`),
      el("ul", {}, ids.map((id) => {
        const tool = world.tools[id];
        return el("li", {}, dom.code(tool.name, blocked.has(id) ? "s" : "span"), ` ${names(world, tool.inputs)} → ${names(world, tool.outputs)}${blocked.has(id) ? " (blocked)" : ""}`);
      })));
  }

  return { make, names };
})();
