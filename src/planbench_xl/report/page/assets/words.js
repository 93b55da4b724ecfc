"use strict";

/* The words of the page for the names in the data. */
const words = (() => {
  const { el } = dom;

  const CLASSES = {
    success: ["Success", "A correct and grounded answer"],
    stopped_short: ["Stopped short", "Every call was progress, yet it ended without the answer"],
    weak_recovery: ["Weak recovery", "Progress again after a call without progress, still failed"],
    irrecoverable_drift: ["Irrecoverable drift", "Progress, then a call without progress, then none again"],
    no_traction: ["No traction", "No call was ever progress"],
    format_error: ["Format error", "Ended by malformed responses, searches or calls"],
    failure: ["Other failure", "Failed, without a failure class"],
    error: ["Infrastructure error", "Ended by the infrastructure; counts neither way"],
  };
  const ENDINGS = {
    surrender: ["Surrender", "Says that it can't tell"],
    wrong_tool_value: ["Wrong value", "Answers with a value that no trusted tool gave"],
    search_exhaustion: ["Search exhaustion", "Ends without a grounded answer after search upon search"],
  };
  const REASONS = {
    exceeded_max_turns: "turn limit",
    exceeded_max_label_errors: "too many responses without one clear action",
    exceeded_max_retrieval_errors: "too many faulty searches",
    exceeded_max_call_errors: "too many faulty calls",
    not_grounded: "answer not grounded",
    wrong_answer: "wrong answer",
  };
  const TURN_ERRORS = {
    label: "No single clear action in the response",
    retrieval_json: "The search is no valid JSON",
    retrieval_semantic: "The search names nothing that can be searched for",
    call_json: "The call is no valid JSON",
    undiscovered: "The tool was never found by a search",
    wrong_arguments: "Wrong argument names",
    untrusted_input: "An argument's value is untrusted",
    missing_input: "An argument's datatype was not obtained yet",
  };
  const ROLES = {
    executable: ["Executable", "●"],
    distractor: ["Distractor", "▲"],
    block_alternative: ["Block alternative", "◆"],
  };
  const KINDS = {
    deprecated: "deprecated: returns an error",
    condition_limited: "limited to a condition: returns an error",
    stale: "stale: returns an outdated value",
    unreliable: "unreliable: returns a neighbouring field",
    non_authoritative: "not authoritative: returns a preview",
    explicit: "explicit failure: returns an error",
    implicit: "implicit failure: returns a wrong value without a word",
    misleading: "misleading: honestly does something else",
  };
  const FOLLOW_UPS = {
    value_reused: "Its value was used as an argument later.",
    search_reused: "What it gave was searched from later.",
    unused: "Nothing was made of its value.",
  };
  const HEADINGS = {
    accuracy: "Accuracy",
    egt_precision: "EGT precision",
    turns: "Turns",
    edt: "EDT",
    search_to_call: "Searches / calls",
    itcr: "Invalid calls",
    uirr: "Untrusted inputs",
    forward_to_backward: "Fwd / backward",
  };

  const label = (table, name) => table[name]?.[0] ?? name.replaceAll("_", " ");
  const meaning = (table, name) => table[name]?.[1] ?? "";

  /** Return the class of an episode: its failure class, success, or error. */
  const classOf = (row) => (row.status === "failure" ? row.category || "failure" : row.status);

  /** Return a class as a small coloured tag. */
  const classTag = (name) =>
    el("span", { class: `tag class-${name}`, "data-tip": meaning(CLASSES, name) }, label(CLASSES, name));

  /** Return the sign of a tool's role. */
  const roleSign = (role) =>
    el("span", { class: `role role-${role}`, role: "img", "aria-label": label(ROLES, role) }, ROLES[role]?.[1] ?? "?");

  return {
    CLASSES, ENDINGS, REASONS, TURN_ERRORS, ROLES, KINDS, FOLLOW_UPS, HEADINGS,
    label, meaning, classOf, classTag, roleSign,
  };
})();
