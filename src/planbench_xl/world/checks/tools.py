"""Checks of tools and of what imitates them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from planbench_xl.world.checks.report import Add, Report, closest, show
from planbench_xl.world.model import BLOCK_KINDS, DISTRACTOR_KINDS, Argument, Kind, Output, Role, Tool, World

MAX_ARGUMENTS = 5
KINDS = {Role.DISTRACTOR: DISTRACTOR_KINDS, Role.BLOCK_ALTERNATIVE: BLOCK_KINDS}
SCHEMA_TYPES = frozenset({"string", "number", "integer", "boolean", "array", "object"})


def check_tools(report: Report) -> None:
    """Every tool is complete, names known datatypes and fits its role."""
    world = report.world
    replaced: dict[tuple[str, Kind], str] = {}
    for index, tool in enumerate(world.tools):
        add = report.at("tools", index)
        if not tool.description.strip():
            add("description", "is empty", "Say what the tool looks up")
        _check_arguments(tool, world, add)
        _check_outputs(tool, world, add)
        if tool.role is Role.EXECUTABLE:
            _check_executable(tool, add)
            continue
        _check_role(tool, world, add)
        if tool.role is Role.BLOCK_ALTERNATIVE and tool.source and tool.kind:
            first = replaced.setdefault((tool.source, tool.kind), tool.name)
            if first != tool.name:
                problem = f"'{first}' is the {tool.kind.value} alternative of '{tool.source}' already"
                add("kind", problem, "Keep one alternative of each kind per executable tool")
    if replaced:
        _check_coverage(report, replaced)


def _check_arguments(tool: Tool, world: World, add: Add) -> None:
    if not tool.arguments:
        add("arguments", "is empty", "Give the tool at least one argument")
    if len(tool.arguments) > MAX_ARGUMENTS:
        problem = f"has {len(tool.arguments)} arguments, more than {MAX_ARGUMENTS}"
        add("arguments", problem, "Split the tool or drop arguments")
    _check_repeats("arguments", tool.arguments, add)
    for number, argument in enumerate(tool.arguments):
        where = f"arguments[{number}]"
        if not argument.name.strip():
            add(f"{where}.name", "is empty", "Name the argument")
        if not argument.description.strip():
            add(f"{where}.description", "is empty", "Describe what the argument holds")
        _check_type(argument.type, where, add)
        _check_datatype(argument.datatype, world, where, add)


def _check_outputs(tool: Tool, world: World, add: Add) -> None:
    if not tool.outputs:
        add("outputs", "is empty", "Give the tool at least one output")
    _check_repeats("outputs", tool.outputs, add)
    for number, output in enumerate(tool.outputs):
        where = f"outputs[{number}]"
        if not output.name.strip():
            add(f"{where}.name", "is empty", "Name the output")
        _check_type(output.type, where, add)
        if tool.kind is not Kind.MISLEADING:
            _check_datatype(output.datatype, world, where, add)
        elif not output.datatype.strip():
            add(f"{where}.datatype", "is empty", "Name what the tool returns; it may be undeclared")


def _check_repeats(field: str, entries: Sequence[Argument | Output], add: Add) -> None:
    """No two arguments or outputs of a tool share a name or a datatype."""
    for part in ("name", "datatype"):
        counts = Counter(getattr(entry, part) for entry in entries)
        for number, entry in enumerate(entries):
            value = getattr(entry, part)
            if counts.pop(value, 0) > 1:
                add(f"{field}[{number}].{part}", f"'{value}' is used by several {field}", "Keep one of them")


def _check_type(name: str, where: str, add: Add) -> None:
    if name not in SCHEMA_TYPES:
        remedy = f"Use one of: {', '.join(sorted(SCHEMA_TYPES))}"
        add(f"{where}.type", f"{show(name)} is not a JSON schema type", remedy)


def _check_datatype(name: str, world: World, where: str, add: Add) -> None:
    if name not in world.datatype:
        problem = f"'{name}' is not a datatype{closest(name, world.datatype)}"
        add(f"{where}.datatype", problem, "Declare it in the datatypes or correct the name")


def _check_executable(tool: Tool, add: Add) -> None:
    for field in ("kind", "source", "return_value"):
        value = getattr(tool, field)
        if value is not None:
            problem = f"is {show(value)}, but an executable tool answers from the records"
            add(field, problem, "Remove the field or correct the tool's role")


def _check_role(tool: Tool, world: World, add: Add) -> None:
    role = tool.role.value.replace("_", " ")
    allowed = ", ".join(KINDS[tool.role])
    if tool.kind is None:
        add("kind", f"is missing from a {role}", f"Give it one of: {allowed}")
    elif tool.kind not in KINDS[tool.role]:
        add("kind", f"'{tool.kind.value}' is not a kind of {role}", f"Use one of: {allowed}")
    if tool.source is None:
        add("source", f"is missing from a {role}", "Name the executable tool that it imitates")
        return
    source = world.tool.get(tool.source)
    if source is None or source.role is not Role.EXECUTABLE:
        executable = {other.name: other for other in world.executable}
        problem = f"'{tool.source}' is not an executable tool{closest(tool.source, executable)}"
        add("source", problem, "Name the executable tool that it imitates")
        return
    if sorted(tool.inputs) != sorted(source.inputs):
        problem = f"take {_listed(tool.inputs)}, but '{source.name}' takes {_listed(source.inputs)}"
        add("arguments", problem, "Give it the datatypes of its source")
    outputs = tool.output_datatypes
    if tool.kind is not Kind.MISLEADING and sorted(outputs) != sorted(source.output_datatypes):
        problem = f"are {_listed(outputs)}, but '{source.name}' returns {_listed(source.output_datatypes)}"
        add("outputs", problem, "Give it the datatypes of its source")
    names = sorted(output.name for output in tool.outputs)
    if len(names) > 1 and isinstance(tool.return_value, dict) and sorted(tool.return_value) != names:
        problem = f"has {_listed(tuple(tool.return_value))}, but the outputs are named {_listed(tuple(names))}"
        add("return_value", problem, "Give it one value per output, by the output's name")


def _check_coverage(report: Report, replaced: dict[tuple[str, Kind], str]) -> None:
    """Every tool on a listed path can be replaced by each kind, or blocking could not take it away."""
    listed = {name for entry in report.world.paths for tool_set in entry.tool_sets for name in tool_set}
    for index, tool in enumerate(report.world.tools):
        if tool.role is not Role.EXECUTABLE or tool.name not in listed:
            continue
        missing = [kind.value for kind in BLOCK_KINDS if (tool.name, kind) not in replaced]
        if missing:
            problem = f"lies on a listed path and has no block alternative of kind {', '.join(missing)}"
            report.at("tools", index)("", problem, "Add the missing alternative, with this tool as its `source`")


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(sorted(names)) or "nothing"
