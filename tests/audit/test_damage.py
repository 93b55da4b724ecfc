"""One damage to the mini world per kind of finding: each must be found."""

from typing import Any

import pytest

from planbench_xl.audit import AuditReport, Level, audit
from planbench_xl.blocking import BlockingConfig
from planbench_xl.world import Argument, Datatype, Output, Role, TaskPaths, Tool, World
from tests.audit.conftest import Damage, edit, edit_all, imitation, replace, value, without_tool

COST = "get_mending_cost_from_workshop_ticket"
RECEIPT = "get_proof_of_payment_from_reader_bill_max"
LOAN = "get_loan_reference_from_membership_card_and_title_reference"


def drop_last_path(world: World) -> World:
    return edit("paths", "library_task_01", lambda entry: {"tool_sets": entry.tool_sets[:-1]})(world)


def needless_tool(world: World) -> World:
    more = "get_fee_number_from_inspection_report_number"
    return edit("paths", "library_task_03", lambda entry: {"tool_sets": ((*entry.tool_sets[0], more),)})(world)


def unknown_tool(world: World) -> World:
    return edit("paths", "library_task_03", lambda entry: {"tool_sets": (*entry.tool_sets, ("ghost",))})(world)


def repeated_path(world: World) -> World:
    return edit("paths", "library_task_03", lambda entry: {"tool_sets": (*entry.tool_sets, entry.tool_sets[0][::-1])})(
        world
    )


def path_of_no_task(world: World) -> World:
    return replace(world, paths=(*world.paths, TaskPaths("ghost", ((COST,),))))


def unlisted_tool(world: World) -> World:
    name = "get_courier_slip_from_waitlist_entry_pro"
    return edit_all("paths", lambda entry: {"tool_sets": tuple(s for s in entry.tool_sets if name not in s)})(world)


def new_datatype(world: World, **fields: Any) -> World:
    entry = Datatype(
        **{"name": "shelf_mark", "description": "Where a volume stands.", "value_type": "string", **fields}
    )
    return replace(world, datatypes=(*world.datatypes, entry))


def unreachable_target(world: World) -> World:
    return edit("tasks", "library_task_03", lambda entry: {"targets": ("shelf_mark",)})(new_datatype(world))


def tool(name: str, given: str, wanted: str) -> Tool:
    arguments = (Argument("some_input", given, "What is given."),)
    return Tool(name, Role.EXECUTABLE, "Looks it up.", arguments, (Output(wanted, "some_output"),))


def useless_tool(world: World) -> World:
    return replace(world, tools=(*world.tools, tool("get_hold", "receipt_id", "hold_id")))


def needless_argument(world: World) -> World:
    more = Argument("reader", "patron_card_id", "Card of the reader.")
    return edit("tools", RECEIPT, lambda entry: {"arguments": (*entry.arguments, more)})(world)


def same_words(world: World) -> World:
    first = world.datatype["patron_card_id"]
    texts = {"aliases": (*first.aliases, "receipt id", "receipt_id"), "description": first.description}
    one = edit("datatypes", "patron_card_id", lambda entry: texts)(world)
    return edit("datatypes", "receipt_id", lambda entry: {"aliases": (), "description": first.description})(one)


def other_words(world: World) -> World:
    words = world.datatype["notice_id"].description
    return edit("tools", COST, lambda entry: {"arguments": (replace(entry.arguments[0], description=words),)})(world)


def everything_constant(world: World) -> World:
    return edit_all("records", lambda entry: {"values": {**entry.values, "repair_ready_at": "2026-04-02T09:35:00Z"}})(
        world
    )


def alike_but_for_space(world: World) -> World:
    new = edit_all("records", lambda entry: {"values": {**entry.values, "receipt_id": "T  1"}})(world)
    new = value("case_atlas", receipt_id="T 1")(new)
    return edit_all("queries", lambda e: {"answers": {name: "T 1" for name in e.answers if name == "receipt_id"}})(new)


def returns(source: str, kind: str, wanted: Any) -> Damage:
    return lambda world: edit("tools", imitation(world, source, kind).name, lambda e: {"return_value": wanted})(world)


def no_implicit(world: World) -> World:
    gone = imitation(world, COST, "implicit")
    return replace(world, tools=tuple(entry for entry in world.tools if entry is not gone))


def no_distractors(world: World) -> World:
    tools = (t for t in world.tools if t.source != COST or t.role is Role.BLOCK_ALTERNATIVE)
    return replace(world, tools=tuple(tools))


def telling_names(world: World) -> World:
    return edit_all("tools", lambda t: {"name": f"{t.name}_legacy"} if t.role is Role.DISTRACTOR else {})(world)


def query_text(add: str) -> Damage:
    return edit("queries", "library_query_01", lambda entry: {"text": f"{entry.text} {add}"})


DAMAGES: list[tuple[str, Damage, str]] = [
    ("catalogue-incomplete", drop_last_path, "library_task_01"),
    ("listed-path-invalid", needless_tool, "library_task_03[0]"),
    ("listed-path-invalid", unknown_tool, "library_task_03[2]"),
    ("listed-path-invalid", repeated_path, "library_task_03[2]"),
    ("listed-path-invalid", path_of_no_task, "ghost[0]"),
    (
        "listed-path-not-executable",
        value("case_atlas", damage_report_id=None),
        "library_task_01[0] on library_query_01",
    ),
    ("wrong-shortest-length", edit("tasks", "library_task_03", lambda e: {"shortest_length": 4}), "library_task_03"),
    ("tools-on-no-listed-path", unlisted_tool, "get_courier_slip_from_waitlist_entry_pro"),
    ("unsolvable-tasks", unreachable_target, "library_task_03"),
    (
        "unneeded-inputs",
        edit("tasks", "library_task_03", lambda e: {"inputs": ("loan_id", "hold_id")}),
        "library_task_03",
    ),
    ("single-path-tasks", without_tool("get_account_charge_from_checkout_transaction_core"), "library_task_03"),
    ("unused-tools", useless_tool, "get_hold"),
    ("unused-datatypes", new_datatype, "shelf_mark"),
    ("ambiguous-calls", value("case_ballads", loan_id="L26-118083"), "get_condition_report_from_lending_record"),
    ("unanswered-calls", value("case_atlas", damage_report_id=None), "library_query_01"),
    ("unsolvable-queries", value("case_atlas", repair_cost_amount=None), "library_query_01"),
    (
        "gold-not-derivable",
        edit("queries", "library_query_01", lambda e: {"answers": {"repair_cost_amount": 23.5}}),
        "library_query_01:repair_cost_amount",
    ),
    ("redundant-tool-inputs", needless_argument, RECEIPT),
    ("unreachable-tools", same_words, RECEIPT),
    (
        "few-distinct-answers",
        edit_all("queries", lambda e: {"answers": dict.fromkeys(e.answers, 5)}),
        "library_query_04",
    ),
    ("majority-answer", everything_constant, "library_query_04"),
    ("constant-answers", everything_constant, "library_query_04"),
    ("queries-on-one-record", edit_all("queries", lambda e: {"record_id": "case_atlas"}), "library_query_11"),
    ("list-everything", alike_but_for_space, "library_query_03"),
    ("do-nothing", edit("queries", "library_query_01", lambda e: {"answers": {}}), "library_query_01"),
    ("gold-inside-other-values", value("case_ferns", repair_cost_amount=123.45), "library_query_01:repair_cost_amount"),
    ("gold-held-by-other-records", value("case_ferns", repair_cost_amount=23.4), "library_query_01:repair_cost_amount"),
    ("gold-contains-untrusted", returns(COST, "implicit", 3), "library_query_01:repair_cost_amount"),
    ("untrusted-contains-gold", returns(COST, "implicit", 123.4), "library_query_01:repair_cost_amount"),
    ("imitation-true-for-query", returns(COST, "implicit", "23.40"), "library_query_01"),
    ("imitations-without-value", returns(COST, "implicit", None), "get_"),
    ("imitation-true-somewhere", returns(RECEIPT, "implicit", "T-0093-4417"), "get_"),
    ("tools-without-imitations", no_implicit, COST),
    ("tools-without-imitations", no_distractors, COST),
    (
        "duplicate-descriptions",
        lambda w: edit("tools", COST, lambda e: {"description": w.tool[RECEIPT].description})(w),
        COST,
    ),
    (
        "duplicate-queries",
        lambda w: edit("queries", "library_query_02", lambda e: {"text": w.query["library_query_01"].text})(w),
        "library_query_02",
    ),
    ("duplicate-queries", edit("queries", "library_query_02", lambda e: {"inputs": {"hold_id": "H-7Q391"}}), "library"),
    ("datatype-names-in-texts", query_text("I mean the repair-cost amount."), "query of library_query_01"),
    ("target-named-in-query", query_text("I mean the repair_cost_amount."), "library_query_01"),
    ("gold-in-query", query_text("Not 23.4 again!"), "library_query_01"),
    ("role-words", edit("tools", COST, lambda e: {"description": f"{e.description} A noisy tool."}), COST),
    ("names-tell-roles", telling_names, "get_"),
]


@pytest.mark.parametrize(("name", "damage", "entry"), DAMAGES, ids=[f"{n}-{i}" for i, (n, _, _) in enumerate(DAMAGES)])
def test_each_damage_is_found(mini: World, mini_report: AuditReport, name: str, damage: Damage, entry: str) -> None:
    before, found = mini_report.finding(name), audit(damage(mini), settings={}).finding(name)
    assert before is None or before.level is Level.INFO
    assert found is not None
    assert any(item.startswith(entry) for item in found.entries), found.entries
    assert found.count == len(found.entries)
    assert found.total is None or found.count <= found.total
    assert found.example and found.effect and found.remedy
    if name == "list-everything":
        assert found.level is Level.ERROR


def test_misread_phrases(mini: World) -> None:
    found = audit(other_words(mini), settings={}).finding("misread-phrases")
    assert found is not None and found.count == 1
    assert "is of bindery_job_id and is taken for notice_id" in found.example


def test_faults_of_any_kind_do_not_end_the_audit(mini: World) -> None:
    bad = edit("queries", "library_query_01", lambda e: {"record_id": "ghost", "task_id": "ghost"})(mini)
    bad = edit("tasks", "library_task_03", lambda e: {"inputs": ("ghost",), "targets": ("ghost", "spook")})(bad)
    bad = edit("tools", COST, lambda e: {"arguments": (replace(e.arguments[0], datatype="ghost"),)})(bad)
    bad = edit("queries", "library_query_02", lambda e: {"answers": {"ghost": None}, "inputs": {}})(bad)
    found = audit(bad, settings={}).finding("faults")
    assert found is not None and found.count > 5


def test_an_empty_world() -> None:
    empty = World("empty", "1", "none", "", *([()] * 6))
    report = audit(empty)
    assert not [finding for finding in report.findings if finding.id not in ("faults",)]


def test_plans_that_cannot_be_made(mini: World) -> None:
    settings = {"never": (BlockingConfig(enabled=True, max_blocked=0), 42)}
    report = audit(mini, settings=settings)
    unresolved, off = report.finding("unresolved-plans"), report.finding("one-path-plans-off-aim")
    assert unresolved is not None and off is not None
    # Two paths left are near enough to one for the reference planner.
    assert set(unresolved.entries) == {"library_task_01", "library_task_02", "library_task_07"}
    assert off.count == len(mini.tasks)
    assert unresolved.figures["unresolved_by_setting"] == {"never": 3}


def test_plans_that_leave_more_than_the_list_says(mini: World) -> None:
    found = audit(drop_last_path(mini)).finding("one-path-plans-leave-more")
    if found is None:  # the plan may happen to block the missing path too
        found = audit(unlisted_tool(mini)).finding("one-path-plans-leave-more")
    assert found is not None and found.level is Level.ERROR
    assert "library_task_01" in found.entries or "library_task_02" in found.entries


def test_unsolvable_levels(mini: World) -> None:
    found = audit(unreachable_target(mini), settings={})
    assert {finding.id for finding in found.at_least(Level.ERROR)} >= {"unsolvable-tasks", "faults"}
    assert len(found.at_least(Level.INFO)) == len(found.findings)
