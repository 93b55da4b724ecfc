"use strict";

/* Decides by the address what to draw, and listens to the keyboard.

     #/                                          overview
     #/model/AGENT                               the runs of a model
     #/run/LABEL                                 a run
     #/run/LABEL/class/NAME                      its episodes of a class
     #/episode/LABEL/QUERY/EPOCH?turn=N&with=LABEL
*/
const app = (() => {
  const { el, show, path } = dom;
  const main = document.getElementById("main");
  let written = null;
  let drawing = 0;

  function parsed() {
    const [place, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
    const decode = (part) => {
      try {
        return decodeURIComponent(part);
      } catch {
        return part;
      }
    };
    return { parts: place.split("/").filter(Boolean).map(decode), query: new URLSearchParams(query) };
  }

  async function route() {
    if (location.hash === written) return;
    written = null;
    const mine = ++drawing;
    const { parts, query } = parsed();
    const stage = el("div");
    try {
      const all = await data.overview();
      dom.show(document.getElementById("title"), all.title);
      episodes.close();
      await page(stage, all, parts, query);
      crumbs(parts, all);
    } catch (error) {
      console.error(error);
      show(stage, el("h1", {}, "This can't be shown"), el("p", { role: "alert" }, error.message));
    }
    if (mine !== drawing) return;
    show(main, stage);
    const head = stage.querySelector("h1");
    document.title = [head?.textContent, "PlanBench-XL"].filter(Boolean).join(" · ");
    scrollTo(0, 0);
    const list = parts[2] === "class" && document.getElementById("episodes");
    if (list) list.scrollIntoView();
  }

  function page(stage, all, parts, query) {
    const [kind, ...rest] = parts;
    if (!kind) return overview.draw(stage, all);
    if (kind === "model") return overview.draw(stage, all, rest[0] ?? "");
    if (kind === "run") return runs.draw(stage, all, rest[0], rest[1] === "class" ? rest[2] : "", query);
    if (kind === "episode") return episodes.draw(stage, all, rest, query);
    return show(stage, el("h1", {}, "No such page"), el("p", {}, el("a", { href: "#/" }, "To the overview")));
  }

  function crumbs(parts, all) {
    const [kind, label, third, fourth] = parts;
    const run = kind === "run" || kind === "episode" ? all.byLabel.get(label) : null;
    const trail = [["Overview", "#/"]];
    if (kind === "model") trail.push([label, path("model", label)]);
    if (run) trail.push([run.agent, path("model", run.agent)], [run.label, path("run", run.label)]);
    if (kind === "run" && third === "class") trail.push([words.label(words.CLASSES, fourth ?? ""), path("run", label, "class", fourth ?? "")]);
    if (kind === "episode") trail.push([third ?? "", location.hash]);
    const items = trail.map(([text, href], i) =>
      el("li", {}, i === trail.length - 1 ? el("span", { "aria-current": "page" }, text) : el("a", { href }, text)));
    show(document.getElementById("crumbs"), trail.length > 1 && el("ol", {}, items));
  }

  /** Change the address without drawing anew. */
  function rewrite(hash) {
    written = new URL(hash, location.href).hash;
    if (location.hash !== written) location.replace(written);
  }

  const KEYS = [
    ["← →", "turn before, turn after"],
    ["Home End", "first turn, last turn"],
    ["j k", "next episode, previous episode of the list"],
    ["b", "choose an episode to show beside"],
    ["u", "up: from the episode to its run, from the run to the overview"],
    ["Tab", "to the next link, control or node of the graph"],
    ["?", "this list"],
  ];

  function help() {
    const dialog = document.getElementById("keys");
    show(dialog, el("h2", { id: "keys-head" }, "Keys"),
      el("dl", {}, KEYS.map(([keys, text]) => [el("dt", {}, keys.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, text)])),
      el("button", { type: "button", onclick: () => dialog.close() }, "Close"));
    dialog.showModal();
  }

  function up() {
    const { parts } = parsed();
    if (parts[0] === "episode" || parts[2] === "class") location.hash = path("run", parts[1]);
    else location.hash = "#/";
  }

  function press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.getElementById("keys").open) return;
    const { target } = event;
    if (target.matches("input:not([type=range], [type=checkbox]), select, textarea")) return;
    if (target.matches("input[type=range]") && event.key.startsWith("Arrow")) return;
    if (event.key === "?") help();
    else if (event.key === "u") up();
    else if (!episodes.key(event.key)) return;
    event.preventDefault();
  }

  function start() {
    tip.start();
    addEventListener("hashchange", route);
    addEventListener("keydown", press);
    document.getElementById("help").addEventListener("click", help);
    document.getElementById("theme").addEventListener("click", theme.toggle);
    document.querySelector(".skip").addEventListener("click", (event) => {
      event.preventDefault();
      main.focus();
    });
    route();
  }

  return { start, rewrite };
})();

app.start();
