"use strict";

/* One turn in words: the response, how it was understood, what came back, and what it was worth. */
const turns = (() => {
  const { el, foreign, count } = dom;

  /** Return the contents of the panel for a turn. */
  function panel(world, episode, list, number) {
    const step = list[number - 1];
    if (!step) return el("p", { class: "none" }, "The episode has no turns.");
    const { turn } = step;
    return [
      el("h3", {}, `Turn ${number} of ${list.length}: ${action(turn)} `, badge(list, step)),
      verdict(world, episode, list, step),
      turn.action === "retrieve" && searched(world, turn),
      turn.action === "call" && called(world, episode, step),
      turn.action === "answer" && answered(world, episode, turn),
      shouldHave(world, list, step),
      turn.tools && found(world, list, step),
      section("Response", turn.raw ? foreign(turn.raw, { label: "Response", length: turn.raw_length ?? 0 }) : el("p", { class: "none" }, "empty")),
      turn.request && section("Request as understood", foreign(indented(turn.request), { label: "Request" })),
    ];
  }

  /* Lay JSON text out, an entry on each line, without reading numbers: long ones would lose digits. */
  function indented(json) {
    const line = (depth) => `\n${"  ".repeat(depth)}`;
    let depth = 0;
    return json.replace(/"(?:[^"\\]|\\.)*"?|\{\}|\[\]|[{[}\],:]/g, (part) => {
      if (part === "{" || part === "[") return part + line(++depth);
      if (part === "}" || part === "]") return line(--depth) + part;
      return part === "," ? part + line(depth) : part === ":" ? ": " : part;
    });
  }

  const section = (head, ...content) => el("section", {}, el("h4", {}, head), content);
  const action = (turn) => ({ retrieve: "search", call: "call", answer: "answer", invalid: "no clear action" })[turn.action];

  function badge(list, step) {
    const { kind } = step;
    const before = list.slice(0, step.number - 1).some((one) => one.kind === "progress");
    const after = list.slice(step.number).some((one) => one.kind === "progress");
    const lost = before ? (after ? "Detour" : "Drift") : "No progress";
    const text = { search: "Search", progress: "Progress", drift: lost, imitation: lost, rejected: "Refused", right: "Right", wrong: "Wrong", continued: "Asked to go on" }[kind];
    return el("span", { class: `badge kind-${kind}` }, text);
  }

  /* One sentence on what the turn was worth. */
  function verdict(world, episode, list, step) {
    const { turn, kind } = step;
    const said = [];
    if (turn.error) said.push(`${words.TURN_ERRORS[turn.error] ?? turn.error}.`);
    if (kind === "progress") said.push(`It gave ${graph.names(world, turn.call.gained ?? [])}, which a remaining path needs.`);
    if (kind === "drift") {
      const gained = turn.call?.gained ?? [];
      said.push(gained.length ? `It gave ${graph.names(world, gained)}, which no remaining path needs.` : turn.success ? "It gave nothing new." : "The records have no answer.");
    }
    if (kind === "imitation") said.push(turn.broken ? "The tool had broken down: its value is untrusted." : turn.success === false ? "The tool reported failure." : "Its value is untrusted.");
    if (turn.follow_up) said.push(words.FOLLOW_UPS[turn.follow_up] ?? "");
    if (episode.first_wrong_turn === step.number) said.push("From here on, the end came no nearer for the first time.");
    for (const spread of episode.spreads) said.push(...spreads(spread, step));
    return said.length > 0 && el("p", { class: "verdict" }, said.join(" "));
  }

  function spreads({ turn, arguments: uses, answer }, step) {
    if (turn === step.number) {
      const places = [uses.length > 0 && `the arguments of turn ${uses.join(", ")}`, answer && "the answer"].filter(Boolean);
      return places.length ? [`The value went on into ${places.join(" and ")}.`] : [];
    }
    return uses.includes(step.number) ? [`An argument is the untrusted value of turn ${turn}.`] : [];
  }

  const chip = (world, datatype, name = "") => el("span", { class: `chip ${name}`, "data-tip": world.datatypes[datatype].description }, world.datatypes[datatype].name);

  function searched(world, turn) {
    const parts = [
      turn.output !== undefined && turn.output !== null && ["tools that give ", chip(world, turn.output)],
      turn.inputs?.length > 0 && ["tools that take ", turn.inputs.map((d) => chip(world, d))],
    ].filter(Boolean);
    return parts.length > 0 && section("Searched for", el("p", {}, parts.map((part, i) => [i > 0 && ", and ", part])));
  }

  function called(world, episode, step) {
    const { turn } = step;
    const tool = world.tools[turn.tool];
    const missing = [
      turn.missing?.length > 0 && el("p", {}, "Not yet obtained: ", turn.missing.map((d) => chip(world, d, "open"))),
      turn.untrusted?.length > 0 && el("p", {}, "Untrusted: ", turn.untrusted.map((d) => chip(world, d, "tainted"))),
    ];
    return [
      section("Tool called", tool ? toolLine(world, turn.tool) : el("p", {}, turn.name ? ["There is no tool ", el("bdi", { class: "code" }, turn.name)] : "The call names no tool."), missing),
      turn.value !== undefined && turn.value !== null && section("What came back", value(world, turn, tool)),
    ];
  }

  function value(world, turn, tool) {
    const trust = walk.trusted(world, turn);
    const name = trust ? (turn.success ? "trusted" : "nothing") : "untrusted";
    const said = { trusted: "trusted", nothing: turn.ambiguous ? "several answers" : "no answer in the records", untrusted: "untrusted" }[name];
    return [
      el("p", {}, tool.outputs.map((d) => chip(world, d, trust ? "" : "tainted")), el("span", { class: `trust ${name}` }, said), turn.success === false && trust === false && el("span", { class: "meaning" }, "the tool reported failure")),
      el("div", { class: `value ${name}` }, foreign(turn.value, { label: `Value, ${said}` })),
    ];
  }

  function toolLine(world, id, extra) {
    const tool = world.tools[id];
    return el("details", { class: "tool-line" },
      el("summary", {}, words.roleSign(tool.role), " ", dom.code(tool.name),
        tool.role !== "executable" && el("span", { class: "meaning" }, tool.kind.replaceAll("_", " ")), extra),
      el("p", {}, `${words.label(words.ROLES, tool.role)}${tool.kind ? `, ${words.KINDS[tool.kind]}` : ""}. ${graph.names(world, tool.inputs)} → ${graph.names(world, tool.outputs)}.`),
      el("p", {}, tool.description));
  }

  function answered(world, episode, turn) {
    const query = world.queries.get(episode.query_id);
    const { answer } = turn;
    if (!answer) return null;
    const check = (right, yes, no) => el("li", { class: right ? "yes" : "no" }, right ? `✓ ${yes}` : `✗ ${no}`);
    return [
      section("Answer", foreign(answer.text, { label: "Answer", length: answer.length ?? 0 }),
        el("ul", { class: "checks" },
          check(answer.correct, "the judge accepts it", "the judge refuses it"),
          check(answer.reached, "all that was asked for was obtained", "what was asked for was not obtained"),
          check(!answer.untrusted?.length, "no untrusted value in it", `holds untrusted values: ${(answer.untrusted ?? []).join(", ")}`))),
      query && section("Right answer", el("p", {}, query.answers.map(([d, text]) => [chip(world, d, "target"), el("bdi", { class: "code" }, text), " "]))),
    ];
  }

  /* What it should have done instead, for turns that brought nothing. */
  function shouldHave(world, list, step) {
    if (step.kind === "progress" || step.kind === "right") return null;
    const tools = walk.useful(list, step.number);
    if (tools === null) return null;
    const head = step.kind === "search" ? "Found before, and progress if called now" : "It should have used";
    if (!tools.length) return step.kind !== "search" && section(head, el("p", { class: "none" }, "None of the tools found so far: it had to search."));
    const line = (tool) => el("li", {}, toolLine(world, tool, el("span", { class: "meaning" }, seen(list, tool, step.number))));
    const rest = tools.slice(5);
    return section(head, el("ul", { class: "plain" }, tools.slice(0, 5).map(line)),
      rest.length > 0 && el("details", {}, el("summary", {}, `and ${count(rest.length, "more tool")}`), el("ul", { class: "plain" }, rest.map(line))));
  }

  function seen(list, tool, number) {
    const turn = walk.sighting(list, tool, number);
    return turn ? `seen in turn ${turn}` : "";
  }

  /* The tools that a search brought, by role; those that can be used first. */
  function found(world, list, step) {
    const { tools } = step.turn;
    const useful = new Set((walk.useful(list, step.number + 1) ?? []).filter((tool) => tools.includes(tool)));
    const by = (role) => tools.filter((id) => world.tools[id].role === role);
    const groups = Object.keys(words.ROLES).map((role) => [role, by(role)]).filter(([, some]) => some.length);
    const known = new Set(list.slice(0, step.number - 1).flatMap((one) => one.turn.tools ?? []));
    const extra = (id) => [useful.has(id) && el("span", { class: "badge kind-useful" }, "would be progress"), !known.has(id) && el("span", { class: "meaning" }, "new")];
    const first = (some) => [...some].sort((a, b) => useful.has(b) - useful.has(a));
    return section(`What came back: ${count(tools.length, "tool")}`,
      groups.map(([role, some]) => el("details", { class: "group", open: role !== "distractor" || groups.length === 1 },
        el("summary", {}, words.roleSign(role), ` ${role === "executable" ? count(some.length, "executable tool") : count(some.length, words.label(words.ROLES, role).toLowerCase())}`),
        el("ul", { class: "plain" }, first(some).map((id) => el("li", {}, toolLine(world, id, extra(id))))))));
  }

  /** Return the calls of an episode as a list to go by: {node, update(number)}. */
  function calls(world, list, go) {
    const rows = list.filter((step) => step.turn.action === "call").map((step) => {
      const tool = world.tools[step.turn.tool];
      const gives = tool && step.kind !== "rejected" ? ` → ${graph.names(world, tool.outputs)}` : "";
      return { step, node: el("li", {}, el("button", { type: "button", class: `kind-${step.kind}`, onclick: () => go(step.number) },
        el("span", { class: "number" }, step.number), el("span", { class: "badge", "aria-hidden": "true" }, step.letter), tool ? words.roleSign(tool.role) : "?",
        el("span", { class: "called" }, dom.code(tool ? tool.name : step.turn.name || "no tool"), gives), el("span", { class: "hidden" }, step.title))) };
    });
    const update = (number) => rows.forEach(({ step, node }) => {
      node.classList.toggle("past", step.number <= number);
      if (step.number === number) node.firstChild.setAttribute("aria-current", "step");
      else node.firstChild.removeAttribute("aria-current");
    });
    return { node: rows.length > 0 && el("details", { class: "calls", open: true }, el("summary", {}, count(rows.length, "call")), el("ol", { class: "plain" }, rows.map((row) => row.node))), update };
  }

  return { panel, calls };
})();
