"use strict";

/* Loads the data. A page opened from disk may not fetch, but it may add scripts: each data file is one, which calls
   `planbench(name, value)`. Rows are lists in the files and objects here; module `data.py` describes both. */
const data = (() => {
  const FORMAT = 1;
  const CHUNKS_KEPT = 12;
  const SECONDS = 30;

  const waiting = new Map();
  const kept = new Map();
  const chunks = [];

  const policy = window.trustedTypes?.createPolicy("planbench", {
    createScriptURL(url) {
      if (!/^data\/[a-z0-9/]+\.js$/.test(url)) throw new TypeError(`not a data file: ${url}`);
      return url;
    },
  });

  function receive(name, value) {
    waiting.get(name)?.(value);
  }

  /** Load a data file; a second request for it waits for the first. */
  function load(name) {
    if (!kept.has(name)) {
      const file = new Promise((resolve, reject) => {
        const script = document.createElement("script");
        const end = (act) => (value) => {
          clearTimeout(timer);
          waiting.delete(name);
          script.remove();
          act(value);
        };
        const fail = end(() => {
          kept.delete(name);
          reject(new Error(`data/${name}.js can't be read. Is the folder whole?`));
        });
        const timer = setTimeout(fail, SECONDS * 1000);
        waiting.set(name, end(resolve));
        script.onerror = fail;
        script.onload = () => waiting.has(name) && fail();
        const url = `data/${name}.js`;
        script.src = policy ? policy.createScriptURL(url) : url;
        document.head.append(script);
      });
      kept.set(name, file);
    }
    return kept.get(name);
  }

  const named = (fields) => (row) => Object.fromEntries(fields.map((field, i) => [field, row[i]]));
  const metricOf = named(["key", "head", "meaning", "percent"]);
  const estimateOf = named(["value", "low", "high"]);
  const shareOf = named(["name", "episodes", "succeeded"]);
  const toolOf = named(["name", "role", "kind", "source", "inputs", "outputs", "description"]);
  const datatypeOf = named(["name", "description"]);
  const taskOf = named(["id", "inputs", "targets", "shortest", "sets", "listed"]);
  const queryOf = named(["id", "task", "text", "inputs", "answers"]);
  const rowOf = named([
    "query", "epoch", "status", "category", "ending", "reason", "turns", "shortest", "calls", "progress", "chunk",
  ]);
  const spreadOf = named(["turn", "arguments", "answer"]);
  const blockedOf = named(["tool", "alternatives"]);

  const once = new Map();

  /** Make something of a file once. */
  function made(name, make) {
    if (!once.has(name)) {
      const result = load(name).then(make);
      result.catch(() => once.delete(name));
      once.set(name, result);
    }
    return once.get(name);
  }

  const overview = () =>
    made("overview", (value) => {
      if (value.format !== FORMAT) throw new Error("The data are of another version than this page; write it again.");
      value.metrics = value.metrics.map(metricOf);
      value.worlds = new Map(value.runs.map((run) => [run.world.key, run.world]));
      value.runs.forEach((run) => {
        run.worldName = run.world.name;
        run.world = run.world.key;
        run.figures = run.figures.map(estimateOf);
        for (const key of ["categories", "endings", "lengths", "causes"]) run[key] = run[key].map(shareOf);
        run.accuracy = run.figures[0];
      });
      value.byLabel = new Map(value.runs.map((run) => [run.label, run]));
      return value;
    });

  const world = (key) =>
    made(`worlds/${key}`, (value) => {
      value.tools = value.tools.map(toolOf);
      value.datatypes = value.datatypes.map(datatypeOf);
      value.tasks = new Map(value.tasks.map(taskOf).map((task) => [task.id, task]));
      value.queries = new Map(value.queries.map(queryOf).map((query) => [query.id, query]));
      return value;
    });

  const run = (key) => made(`runs/${key}`, (value) => value.rows.map(rowOf));

  /** Return an episode, or null if the run has none of that key. Only the last few chunks stay in memory. */
  async function episode(key, query, epoch) {
    const rows = await run(key);
    const row = rows.find((one) => one.query === query && one.epoch === epoch);
    if (!row) return null;
    const name = `runs/${key}/${row.chunk}`;
    const chunk = await load(name);
    const at = chunks.indexOf(name);
    if (at >= 0) chunks.splice(at, 1);
    chunks.push(name);
    while (chunks.length > CHUNKS_KEPT) kept.delete(chunks.shift());
    const found = chunk.find((one) => one.query_id === query && one.epoch === epoch);
    return {
      ...found,
      turns: found.turns ?? [],
      spreads: (found.spreads ?? []).map(spreadOf),
      blocked: (found.blocked ?? []).map(blockedOf),
      shortest: found.shortest_length ?? 0,
      row,
    };
  }

  return { receive, overview, world, run, episode };
})();

function planbench(name, value) {
  data.receive(name, value);
}
