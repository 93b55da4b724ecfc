"use strict";

/* Places a task's tool graph from left to right: what is given, then tool by tool what can be had from it, then what is
   asked for. Datatypes and tools take turns in the columns. It draws nothing. */
const layout = (() => {
  const HEIGHT = 32;
  const BOX = { width: 28, height: 28, gap: 13 };
  const GAP = 14;
  const BETWEEN = 15;
  const MARGIN = 14;
  const SWEEPS = 12;

  /** Return the level of each datatype and tool: steps from what is given. Whatever nothing leads to starts at 0. */
  function levels(tools, inputs, targets) {
    const datatypes = new Map(inputs.map((d) => [d, 0]));
    const made = new Set(tools.flatMap((tool) => tool.outputs));
    for (const tool of tools) for (const d of tool.inputs) if (!made.has(d)) datatypes.set(d, 0);
    const placed = new Map();
    while (placed.size < tools.length) {
      const open = tools.filter((tool) => !placed.has(tool.id));
      const ready = open.filter((tool) => tool.inputs.every((d) => datatypes.has(d)));
      if (!ready.length) {
        // A circle that nothing given leads into: it has to be cut somewhere.
        for (const d of open[0].inputs) if (!datatypes.has(d)) datatypes.set(d, 0);
        continue;
      }
      const level = Math.min(...ready.map((tool) => Math.max(0, ...tool.inputs.map((d) => datatypes.get(d)))));
      for (const tool of ready) {
        if (Math.max(0, ...tool.inputs.map((d) => datatypes.get(d))) > level) continue;
        placed.set(tool.id, level + 1);
        for (const d of tool.outputs) if (!datatypes.has(d)) datatypes.set(d, level + 1);
      }
    }
    const last = Math.max(1, ...placed.values(), ...datatypes.values());
    for (const d of targets) datatypes.set(d, last);
    return { datatypes, placed };
  }

  /** Return the nodes and edges of a graph, placed. Tools: {id, inputs, outputs}; `width` is that of a datatype's node. */
  function place(tools, inputs, targets, width) {
    const PILL = { width, height: HEIGHT, gap: GAP };
    const { datatypes, placed } = levels(tools, inputs, targets);
    const nodes = new Map();
    for (const [d, level] of datatypes) nodes.set(`d${d}`, { key: `d${d}`, datatype: d, column: 2 * level, size: PILL, near: [] });
    for (const tool of tools) {
      nodes.set(`t${tool.id}`, { key: `t${tool.id}`, tool: tool.id, column: 2 * placed.get(tool.id) - 1, size: BOX, near: [] });
    }
    const edges = [];
    const join = (from, to, tool) => {
      edges.push({ from: nodes.get(from), to: nodes.get(to), tool });
      nodes.get(from).near.push(nodes.get(to));
      nodes.get(to).near.push(nodes.get(from));
    };
    for (const tool of tools) {
      for (const d of new Set(tool.inputs)) join(`d${d}`, `t${tool.id}`, tool.id);
      for (const d of new Set(tool.outputs)) join(`t${tool.id}`, `d${d}`, tool.id);
    }
    const columns = [];
    for (const node of nodes.values()) (columns[node.column] ??= []).push(node);
    const used = columns.filter(Boolean);
    across(used);
    order(used);
    const height = down(used);
    return { nodes: [...nodes.values()], edges, width: used.at(-1)[0].x + width / 2 + MARGIN, height };
  }

  function across(columns) {
    let x = MARGIN;
    for (const column of columns) {
      const width = Math.max(...column.map((node) => node.size.width));
      for (const node of column) node.x = x + width / 2;
      x += width + BETWEEN;
    }
  }

  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

  /* Sweeps to and fro: each node goes to the mean place of its neighbours on the side the sweep comes from. */
  function order(columns) {
    const rank = (column) => column.forEach((node, i) => (node.rank = (i + 0.5) / column.length));
    columns.forEach(rank);
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const forward = sweep % 2 === 0;
      for (const column of forward ? columns : [...columns].reverse()) {
        for (const node of column) {
          const side = node.near.filter((other) => (forward ? other.x < node.x : other.x > node.x));
          node.wish = side.length ? mean(side.map((other) => other.rank)) : node.rank;
        }
        column.sort((a, b) => a.wish - b.wish);
        rank(column);
      }
    }
  }

  /* Each node as near to the mean of its neighbours as the order and the gaps allow. */
  function down(columns) {
    const step = (a, b) => (a.size.height + b.size.height) / 2 + Math.max(a.size.gap, b.size.gap);
    for (const column of columns) {
      let y = 0;
      column.forEach((node, i) => (node.y = i ? (y += step(column[i - 1], node)) : y));
      for (const node of column) node.y -= y / 2;
    }
    for (let round = 0; round < SWEEPS; round++) {
      for (const column of round % 2 ? [...columns].reverse() : columns) {
        const wishes = column.map((node) => (node.near.length ? mean(node.near.map((other) => other.y)) : node.y));
        column.forEach((node, i) => (node.y = i ? Math.max(wishes[i], column[i - 1].y + step(column[i - 1], node)) : wishes[i]));
        const shift = mean(column.map((node, i) => wishes[i] - node.y));
        for (const node of column) node.y += shift;
      }
    }
    const all = columns.flat();
    const top = Math.min(...all.map((node) => node.y - node.size.height / 2));
    for (const node of all) node.y += MARGIN - top;
    return Math.max(...all.map((node) => node.y + node.size.height / 2)) + MARGIN;
  }

  return { place };
})();
