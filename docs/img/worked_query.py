"""Draw the worked query of `concepts.md`: `python docs/img/worked_query.py` writes `worked-query.svg` beside this file.

What is drawn comes from the packaged world `mini` and its block plan; only the places on the page are chosen here.
"""

from __future__ import annotations

from html import escape
from pathlib import Path

from planbench_xl.blocking import BlockPlan, ExactPlanner
from planbench_xl.paths import ToolGraph, useful
from planbench_xl.runs.presets import load_setting
from planbench_xl.world import World, load_world

TASK = "library_task_01"
TARGET = Path(__file__).with_name("worked-query.svg")

DATATYPES = {
    "hold_id": (280, 40),
    "title_record_id": (92, 190),
    "patron_card_id": (280, 190),
    "transfer_slip_id": (450, 190),
    "copy_barcode_id": (450, 310),
    "loan_id": (280, 430),
    "charge_id": (430, 530),
    "damage_report_id": (280, 630),
    "bindery_job_id": (280, 740),
    "repair_cost_amount": (280, 850),
}
"""Where datatypes stand."""

TOOLS = {
    "get_catalogue_entry_from_hold_request_v2": (92, 115),
    "get_borrower_card_from_reservation_number": (280, 115),
    "get_courier_slip_from_waitlist_entry_pro": (450, 115),
    "get_item_barcode_from_transfer_docket": (450, 250),
    "get_loan_reference_from_membership_card_and_title_reference": (160, 340),
    "get_checkout_number_from_reader_card_number_and_copy_label_lite": (365, 370),
    "get_account_charge_from_checkout_transaction_core": (355, 480),
    "get_condition_report_from_lending_record": (280, 530),
    "get_damage_note_from_billing_entry_v3": (355, 580),
    "get_repair_order_from_wear_report_plus": (280, 685),
    "get_mending_cost_from_workshop_ticket": (280, 795),
}
"""Where tools stand."""

STYLE = """
  .page { fill: #fff; stroke: #d0d7de }
  text { font: 15px system-ui, sans-serif; fill: #1f2328; text-anchor: middle; dominant-baseline: central }
  .given, .target { font-weight: 600 }
  .datatype { fill: #f3f4f6; stroke: #6e7781 }
  .datatype.given, .datatype.target { fill: #fff3cd; stroke: #9a6700; stroke-width: 2 }
  line { stroke: #8c959f; stroke-width: 1.6 }
  circle { fill: #fff; stroke: #8c959f; stroke-width: 1.6 }
  .kept line { stroke: #0969da; stroke-width: 3 }
  .kept circle { fill: #0969da; stroke: #0969da }
  .kept text { fill: #fff; font-weight: 600 }
  .blocked line { stroke: #b42318; stroke-dasharray: 5 4 }
  .blocked circle { stroke: #b42318; stroke-width: 2.4 }
  .blocked text { fill: #b42318; font-weight: 600 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #1c2128; stroke: #444c56 }
    text { fill: #e6edf3 }
    .datatype { fill: #2d333b; stroke: #768390 }
    .datatype.given, .datatype.target { fill: #4a3a0a; stroke: #d4a72c }
    circle { fill: #1c2128 }
    .kept line { stroke: #58a6ff }
    .kept circle { fill: #1f6feb; stroke: #58a6ff }
    .blocked line, .blocked circle { stroke: #ff7b72 }
    .blocked text { fill: #ff7b72 }
  }
"""


def labels(plan: BlockPlan) -> dict[str, str]:
    """Return a tool's mark: its number on the kept path, or else a letter."""
    on_path = {name: str(number) for number, name in enumerate(plan.kept_path, 1)}
    return on_path | dict(zip((name for name in TOOLS if name not in on_path), "ABC", strict=True))


def draw(world: World) -> str:
    """Return the drawing as SVG."""
    task = world.task[TASK]
    plan = ExactPlanner(world).plan(TASK, load_setting("one-path").blocking, load_setting("one-path").seed)
    graph = ToolGraph((tool.name, tool.inputs, tool.output_datatypes) for tool in world.executable)
    needed = useful(graph, task.inputs, task.targets)
    assert set(TOOLS) == needed.tools, "the tools drawn are not those on the paths of the task"
    assert set(DATATYPES) == needed.datatypes | set(task.inputs)
    marks = labels(plan)
    shapes = [_tool(world, name, marks[name], _state(plan, name)) for name in TOOLS]
    for name in DATATYPES:
        role = "given" if name in task.inputs else "target" if name in task.targets else ""
        shapes.append(_datatype(name, world.datatype[name].aliases[0], role))
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="560" height="890" viewBox="0 0 560 890" role="img">\n'
        f"<title>{escape('Tools and datatypes on the solution paths of ' + TASK)}</title>\n<style>{STYLE}</style>\n"
        '<rect class="page" x="1" y="1" width="558" height="888" rx="10"/>\n' + "\n".join(shapes) + "\n</svg>\n"
    )


def _state(plan: BlockPlan, name: str) -> str:
    return "kept" if name in plan.kept_path else "blocked" if name in plan.blocked else "other"


def _tool(world: World, name: str, mark: str, state: str) -> str:
    x, y = TOOLS[name]
    ends = [*world.tool[name].inputs, *world.tool[name].output_datatypes]
    lines = "".join(f'<line x1="{x}" y1="{y}" x2="{DATATYPES[e][0]}" y2="{DATATYPES[e][1]}"/>' for e in ends)
    title = f"<title>{escape(name)}</title>"
    return f'<g class="{state}">{title}{lines}<circle cx="{x}" cy="{y}" r="14"/><text x="{x}" y="{y}">{mark}</text></g>'


def _datatype(name: str, alias: str, role: str) -> str:
    x, y = DATATYPES[name]
    width = 9 * len(alias) + (26 if role else 8)
    return (
        f'<rect class="datatype {role}" x="{x - width / 2:g}" y="{y - 16}" width="{width}" height="32" rx="16"/>'
        f'<text class="{role}" x="{x}" y="{y}">{escape(alias)}</text>'
    )


if __name__ == "__main__":
    TARGET.write_text(draw(load_world("mini")), encoding="utf-8")
