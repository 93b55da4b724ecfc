"use strict";

/* Light or dark: the system's choice until the reader makes one. Runs before the first paint. */
const theme = (() => {
  const key = "planbench-xl-theme";
  const system = matchMedia("(prefers-color-scheme: dark)");
  let chosen = null;
  try {
    chosen = localStorage.getItem(key);
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }

  const current = () => chosen ?? (system.matches ? "dark" : "light");
  const apply = () => (document.documentElement.dataset.theme = current());

  function toggle() {
    chosen = current() === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(key, chosen);
    } catch {
      // As above.
    }
    apply();
  }

  system.addEventListener("change", apply);
  apply();
  return { toggle };
})();
