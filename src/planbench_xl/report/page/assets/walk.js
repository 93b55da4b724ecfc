"use strict";

/* What an agent did, turn by turn: what each turn was, and what was known by then. */
const walk = (() => {
  const NAMES = {
    search: "search", progress: "call, progress", drift: "call without progress", imitation: "call of an imitation",
    rejected: "refused", right: "right answer", wrong: "wrong answer", continued: "answer, asked to go on",
  };
  const LETTERS = {
    search: "S", progress: "✓", drift: "–", imitation: "!", rejected: "×", right: "A", wrong: "A", continued: "A",
  };

  /** Return what sort of turn it was. */
  function kindOf(world, turn, answeredRight) {
    if (turn.error || turn.action === "invalid") return "rejected";
    if (turn.action === "retrieve") return "search";
    if (turn.action === "answer") return turn.answer?.continued ? "continued" : answeredRight ? "right" : "wrong";
    if (turn.call?.progress) return "progress";
    return trusted(world, turn) ? "drift" : "imitation";
  }

  /** Whether a call's value came from an executable tool that works. */
  const trusted = (world, turn) => world.tools[turn.tool]?.role === "executable" && !turn.broken;

  /** Return every turn with its number and sort. */
  const steps = (world, episode) =>
    episode.turns.map((turn, i) => {
      const kind = kindOf(world, turn, episode.status === "success" && i === episode.turns.length - 1);
      return { turn, number: i + 1, kind, letter: LETTERS[kind], title: `Turn ${i + 1}: ${NAMES[kind]}` };
    });

  /** Return the tool that the graph shows a call at: the one that an imitation imitates, or the tool itself. */
  function place(world, tool) {
    const source = world.tools[tool]?.source ?? -1;
    return source >= 0 ? source : tool;
  }

  /** Return what was known after some turns: datatypes by turn, tools found and called. */
  function after(world, task, list, number) {
    const known = { obtained: new Map(task.inputs.map((d) => [d, 0])), untrusted: new Map(), found: new Map(), called: new Map() };
    for (const step of list.slice(0, number)) {
      const { turn } = step;
      for (const tool of turn.tools ?? []) if (!known.found.has(tool)) known.found.set(tool, step.number);
      if (turn.action !== "call" || turn.tool === undefined || turn.tool < 0) continue;
      const at = place(world, turn.tool);
      known.called.set(at, [...(known.called.get(at) ?? []), step]);
      if (turn.success === undefined || turn.success === null) continue;
      const worked = trusted(world, turn);
      if (worked && !turn.success) continue;
      for (const datatype of world.tools[turn.tool].outputs) {
        const into = worked ? known.obtained : known.untrusted;
        if (!into.has(datatype)) into.set(datatype, step.number);
      }
    }
    return known;
  }

  /** Return the tools found before a turn that would have been progress then; null if the analysis doesn't tell. */
  function useful(list, number) {
    const call = list.slice(number - 1).find((step) => step.turn.call);
    if (!call) return null;
    const before = new Set(list.slice(0, number - 1).flatMap((step) => step.turn.tools ?? []));
    const tools = call.turn.call.useful ?? [];
    // What is useful changes with calls only: up to the next call, only the finding of tools is to be undone.
    return call.number === number ? tools : tools.filter((tool) => before.has(tool));
  }

  /** Return the number of the newest turn before another that showed a tool; 0 for none. */
  function sighting(list, tool, number) {
    for (let i = number - 2; i >= 0; i--) if (list[i].turn.tools?.includes(tool)) return i + 1;
    return 0;
  }

  return { steps, after, place, useful, sighting, trusted };
})();
