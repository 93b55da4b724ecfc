"""Writes a draft as a domain file, with comments for the person who goes on with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from planbench_xl.construct.catalogues.draft import Doubt, Draft
from planbench_xl.construct.catalogues.names import LONGEST, one_line
from planbench_xl.construct.domain import Entity, Field, Of


def to_toml(draft: Draft, source: str) -> str:
    """Return the text of the domain file.

    Args:
        draft: The draft.
        source: Name of the file that it was made from.
    """
    return "\n".join(_lines(draft, source)) + "\n"


def _lines(draft: Draft, source: str) -> Iterator[str]:
    domain = draft.domain
    yield _comment(f"Drafted from {source}: {draft.operations} operations, {draft.fields} fields.")
    yield _comment(f"{len(draft.doubts)} lines with CHECK say what the catalogue leaves open; read them first.")
    yield _comment("docs/building.md explains every field. What people call things is worth writing anew.")
    if "" in draft.left_out:
        yield _comment(f"Left out: {', '.join(draft.left_out[''])}.")
    yield ""
    yield f"format = {domain.format}"
    for name in ("name", "version", "domain", "overview"):
        yield f"{name} = {_text(getattr(domain, name))}"
    yield ""
    yield "[words]"
    for name, texts in domain.words.items():
        yield f"{name} = {_texts(texts)}"
    for entity in domain.entity:
        yield ""
        yield from _entity(entity, draft)
    for scenario in domain.scenario:
        yield ""
        yield "[[scenario]]"
        yield f"openings = {_texts(scenario.openings)}"
        yield f"closings = {_texts(scenario.closings)}"


def _entity(entity: Entity, draft: Draft) -> Iterator[str]:
    doubts = [doubt for doubt in draft.doubts if doubt.entity == entity.noun]
    yield "[[entity]]"
    yield from _checks([doubt for doubt in doubts if not doubt.field])
    if left_out := draft.left_out.get(entity.noun):
        yield _comment(f"Left out: {', '.join(left_out)}.")
    for name in ("name", "noun", "register", "flow"):
        yield f"{name} = {_text(getattr(entity, name))}"
    if entity.of is not None:
        yield f"of = {_of(entity.of)}"
    if entity.leads_to:
        yield f"leads_to = {_texts(entity.leads_to)}"
    yield f"views = {'true' if entity.views else 'false'}"
    for key in entity.key:
        yield ""
        yield "[[entity.key]]"
        yield f"fields = {_texts(key.fields)}"
        if key.because:
            yield f"because = {_text(key.because)}"
    for field in entity.field:
        yield ""
        yield from _field(field, [doubt for doubt in doubts if doubt.field == field.name])


def _field(field: Field, doubts: Sequence[Doubt]) -> Iterator[str]:
    yield "[[entity.field]]"
    yield from _checks(doubts)
    for name in ("name", "make", "description"):
        yield f"{name} = {_text(getattr(field, name))}"
    if field.unique is not None:
        yield f"unique = {'true' if field.unique else 'false'}"
    for name in ("aliases", "says", "uses", "given", "asked", "question"):
        if texts := getattr(field, name):
            yield f"{name} = {_texts(texts)}"
    near = [f"{{ name = {_text(n.name)}, says = {_text(n.says)}, make = {_text(n.make)} }}" for n in field.near]
    yield f"near = [{', '.join(near)}]"


def _of(of: Of) -> str:
    parts = [f"entity = {_text(of.entity)}"]
    if of.group:
        parts.append(f"group = [{of.group[0]}, {of.group[1]}]")
    if of.pool:
        parts.append(f"pool = {of.pool}")
    if of.apart:
        parts.append(f"apart = {_text(of.apart)}")
    return f"{{ {', '.join(parts)} }}"


def _checks(doubts: Sequence[Doubt]) -> Iterator[str]:
    for doubt in doubts:
        yield _comment(f"CHECK: {doubt.reason}.")


def _comment(text: str) -> str:
    # A comment must stay on its line: what documents say can hold anything.
    return f"# {one_line(text, LONGEST)}"


def _text(text: str) -> str:
    # JSON's escapes are among TOML's; the control characters that it leaves alone are refused there.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _texts(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_text, texts))}]"
