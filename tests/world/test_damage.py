"""Damages one thing of the mini world on disk at a time and expects the fault that names it."""

import pytest

from planbench_xl.world.validate import validate_folder

from .conftest import Change, Folder, add, drop, put, repeat, swap

CARD = "get_borrower_card_from_reservation_number"
LOAN = "get_loan_reference_from_membership_card_and_title_reference"
STALE = "get_member_card_code_from_waitlist_entry_v2"
EXPLICIT = "get_reader_card_number_from_hold_ticket_pro"
IMPLICIT = "get_card_of_the_reader_from_reservation_slip"
MISLEADING = "get_card_design_from_reservation_number_lite"
NOTICE_STALE = "get_lending_desk_and_last_return_date_from_late_notice_pro"

# Part, entry that is damaged, damage, field of the fault, piece of its problem.
DAMAGES: list[tuple[str, str, Change, str, str]] = [
    ("datatypes", "loan_id", put("description", value=" "), "description", "is empty"),
    ("datatypes", "loan_id", put("aliases", 1, value=""), "aliases[1]", "is empty"),
    ("datatypes", "loan_id", put("aliases", 1, value="Checkout number"), "aliases[0]", "more than once"),
    ("datatypes", "loan_due_at", put("example", value="soon"), "example", "'soon' is not a timestamp"),
    ("tools", CARD, put("description", value=""), "description", "is empty"),
    ("tools", CARD, put("arguments", value=[]), "arguments", "is empty"),
    ("tools", CARD, put("outputs", value=[]), "outputs", "is empty"),
    ("tools", CARD, put("arguments", 0, "datatype", value="hold_idd"), "arguments[0].datatype", "closest: 'hold_id'"),
    ("tools", CARD, put("outputs", 0, "datatype", value="ghost"), "outputs[0].datatype", "'ghost' is not a datatype"),
    ("tools", CARD, put("arguments", 0, "name", value=""), "arguments[0].name", "is empty"),
    ("tools", CARD, put("arguments", 0, "description", value=""), "arguments[0].description", "is empty"),
    ("tools", CARD, put("arguments", 0, "type", value="text"), "arguments[0].type", "not a JSON schema type"),
    ("tools", CARD, put("outputs", 0, "name", value=""), "outputs[0].name", "is empty"),
    ("tools", CARD, repeat("outputs"), "outputs[0].datatype", "is used by several outputs"),
    ("tools", LOAN, put("arguments", 1, "name", value="library_card_number"), "arguments[0].name", "several arguments"),
    ("tools", LOAN, repeat("arguments"), "arguments[0].datatype", "is used by several arguments"),
    ("tools", CARD, put("arguments", value=[{"name": c, "datatype": c, "description": c} for c in "abcdef"]),
     "arguments", "has 6 arguments"),
    ("tools", CARD, put("kind", value="stale"), "kind", "an executable tool answers from the records"),
    ("tools", CARD, put("source", value=LOAN), "source", "an executable tool answers from the records"),
    ("tools", CARD, put("return_value", value="RC"), "return_value", "an executable tool answers from the records"),
    ("tools", STALE, drop("kind"), "kind", "is missing from a distractor"),
    ("tools", EXPLICIT, drop("kind"), "kind", "is missing from a block alternative"),
    ("tools", STALE, drop("source"), "source", "is missing from a distractor"),
    ("tools", STALE, put("kind", value="explicit"), "kind", "'explicit' is not a kind of distractor"),
    ("tools", EXPLICIT, put("kind", value="stale"), "kind", "'stale' is not a kind of block alternative"),
    ("tools", IMPLICIT, put("kind", value="explicit"), "kind", "is the explicit alternative"),
    ("tools", STALE, put("source", value="get_nothing"), "source", "'get_nothing' is not an executable tool"),
    ("tools", STALE, put("source", value=EXPLICIT), "source", "is not an executable tool"),
    ("tools", STALE, put("arguments", 0, "datatype", value="loan_id"), "arguments", "take loan_id, but"),
    ("tools", MISLEADING, put("arguments", 0, "datatype", value="loan_id"), "arguments", "take loan_id, but"),
    ("tools", MISLEADING, put("arguments", 0, "datatype", value="ghost"), "arguments[0].datatype", "'ghost'"),
    ("tools", MISLEADING, put("outputs", 0, "datatype", value=""), "outputs[0].datatype", "is empty"),
    ("tools", EXPLICIT, put("outputs", 0, "datatype", value="loan_id"), "outputs", "are loan_id, but"),
    ("tools", NOTICE_STALE, drop("return_value", "lending_desk"), "return_value", "outputs are named last_return_date"),
    ("records", "case_ferns", put("values", "ghost", value=1), "values.ghost", "is not a datatype"),
    ("records", "case_ferns", drop("values", "hold_id"), "values.hold_id", "is missing"),
    ("records", "case_ferns", put("values", "repair_cost_amount", value="57.2"), "values.repair_cost_amount",
     "'57.2' is not a number"),
    ("records", "case_ferns", put("values", "loan_due_at", value="2026-02-31T20:00:00Z"), "values.loan_due_at",
     "is not a timestamp"),
    ("records", "case_ferns", put("values", "charge_id", value=7), "values.charge_id", "7 is not a string"),
    ("tasks", "library_task_03", put("inputs", value=[]), "inputs", "is empty"),
    ("tasks", "library_task_03", put("targets", value=[]), "targets", "is empty"),
    ("tasks", "library_task_03", put("inputs", 0, value="loan"), "inputs[0]", "'loan' is not a datatype"),
    ("tasks", "library_task_03", put("targets", 0, value="ghost"), "targets[0]", "'ghost' is not a datatype"),
    ("tasks", "library_task_03", repeat("inputs"), "inputs[1]", "is listed twice"),
    ("tasks", "library_task_03", put("targets", 0, value="loan_id"), "targets[0]", "is among the inputs"),
    ("tasks", "library_task_03", put("targets", 0, value="title_record_id"), "targets", "can't be reached from"),
    ("tasks", "library_task_03", put("shortest_length", value=4), "shortest_length", "`solution` has 3 steps"),
    ("tasks", "library_task_03", put("shortest_length", value=2), "shortest_length", "shortest listed path has 3"),
    ("tasks", "library_task_03", drop("solution", 0), "solution[0]", "which no earlier step returns"),
    ("tasks", "library_task_03", drop("solution", 2), "solution", "ends without repair_ready_at"),
    ("tasks", "library_task_03", swap("solution"), "solution[0]", "needs damage_report_id"),
    ("tasks", "library_task_03", repeat("solution"), "solution[3]", "returns nothing that is not known by then"),
    ("tasks", "library_task_03", put("solution", 0, value="get_nothing"), "solution[0]", "is not a tool"),
    ("tasks", "library_task_03", put("solution", 0, value=STALE), "solution[0]", "is a distractor"),
    ("queries", "library_query_01", put("text", value=""), "text", "is empty"),
    ("queries", "library_query_01", put("text", value="How much was it?"), "text", "doesn't name 'H-7Q391'"),
    ("queries", "library_query_01", put("task_id", value="library_task_99"), "task_id", "is not a task"),
    ("queries", "library_query_01", put("record_id", value="case_atlass"), "record_id", "closest: 'case_atlas'"),
    ("queries", "library_query_11", put("split", value="dev"), "split", "was used in split '' before"),
    ("queries", "library_query_01", put("record_id", value="case_ferns"), "inputs.hold_id", "has 'H-4X728'"),
    ("queries", "library_query_01", put("inputs", value={}), "inputs", "has no value for hold_id"),
    ("queries", "library_query_01", put("inputs", "loan_id", value="L26-118083"), "inputs", "doesn't name"),
    ("queries", "library_query_01", put("answers", value={}), "answers", "has no value for repair_cost_amount"),
    ("queries", "library_query_01", put("answers", "loan_id", value="L26-118083"), "answers", "has loan_id, which"),
    ("queries", "library_query_01", put("answers", "repair_cost_amount", value=23.5), "answers.repair_cost_amount",
     "is 23.5, but the records give 23.4"),
    ("queries", "library_query_01", put("answers", "repair_cost_amount", value=None), "answers.repair_cost_amount",
     "is empty"),
    ("paths", "library_task_03", put("tool_sets", value=[]), "tool_sets", "is empty"),
    ("paths", "library_task_03", put("tool_sets", 0, 1, value="get_nothing"), "tool_sets[0][1]", "is not a tool"),
    ("paths", "library_task_03", put("tool_sets", 0, 1, value=EXPLICIT), "tool_sets[0][1]", "is a block alternative"),
    ("paths", "library_task_03", drop("tool_sets", 1, 0), "tool_sets[1]", "doesn't reach repair_ready_at"),
    ("paths", "library_task_03", add("tool_sets", 1, value=CARD), "tool_sets[1]", "it is not minimal"),
    ("paths", "library_task_03", repeat("tool_sets", 1), "tool_sets[1]", "names a tool twice"),
    ("paths", "library_task_03", repeat("tool_sets"), "tool_sets[2]", "has the same tools as tool_sets[0]"),
    ("paths", "library_task_03", drop("tool_sets", 0), "tool_sets", "lacks the task's `solution`"),
]  # fmt: skip


@pytest.mark.parametrize(("part", "name", "change", "field", "problem"), DAMAGES)
def test_damage_is_found(folder: Folder, part: str, name: str, change: Change, field: str, problem: str) -> None:
    folder.edit(part, name, change)
    world, faults = validate_folder(folder.path)
    assert world is not None
    noun = {"queries": "query", "paths": "task"}.get(part, part.removesuffix("s"))
    matching = [fault for fault in faults if problem in fault.problem and fault.field == field]
    assert [(fault.file, fault.entry) for fault in matching] == [(f"{part}.jsonl", f"{noun} '{name}'")]
    for fault in faults:
        assert fault.remedy
        assert not fault.remedy.endswith(".")
        assert not fault.problem.endswith(".")
    assert faults[0].file == "manifest.json", "the fingerprint differs too"
