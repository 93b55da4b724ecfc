"""Judges of final answers."""

from __future__ import annotations

import msgspec
import pytest

from planbench_xl.judging import JUDGES, LONGEST, contains, exact, normalise
from planbench_xl.world import Datatype, Query, Record, Value, World

TYPES = {
    "amount": "number",
    "quantity": "number",
    "done_at": "timestamp",
    "day": "timestamp",
    "locked": "boolean",
    "refund_id": "string",
    "order_id": "string",
    "auth_code": "string",
    "method": "string",
    "colour": "string",
    "size": "string",
    "holder": "string",
    "address": "string",
    "phone": "string",
    "tags": "string",
}
ROWS: list[dict[str, Value]] = [
    {
        "amount": 79.99,
        "quantity": 2,
        "done_at": "2026-04-06T11:45:00Z",
        "day": "2026-04-06",
        "locked": True,
        "refund_id": "ref_18001",
        "order_id": "ord_7001",
        "auth_code": "AUTH-AX91",
        "method": "credit_card",
        "colour": "Navy Blue",
        "size": "L",
        "holder": "Emily Wright",
        "address": "900 Lake Shore Dr, Chicago, IL",
        "phone": "+1-312-555-0155",
        "tags": ["new", "fragile"],
    },
    {
        "amount": 1234.5,
        "quantity": 3,
        "done_at": "2026-04-07T08:00:30Z",
        "day": "2026-04-07",
        "locked": False,
        "refund_id": "ref_18002",
        "order_id": "ord_7002",
        "auth_code": "AUTH-BR44",
        "method": "wallet",
        "colour": "Navy",
        "size": "M",
        "holder": "Emily",
        "address": "77 Beacon St, Boston, MA",
        "phone": "+1-617-555-0166",
        "tags": ["old"],
    },
]


def made(*targets: str, row: int = 0, inputs: tuple[str, ...] = ()) -> tuple[World, Query]:
    """Return a world of two records and a query for some datatypes of one of them."""
    values = ROWS[row]
    query = Query("q", "t", "?", {name: values[name] for name in inputs}, {name: values[name] for name in targets}, "0")
    world = World(
        name="judged",
        version="1",
        domain="test",
        overview="",
        datatypes=tuple(Datatype(name, "", kind) for name, kind in TYPES.items()),  # type: ignore[arg-type]
        tools=(),
        records=tuple(Record(str(i), values) for i, values in enumerate(ROWS)),
        tasks=(),
        queries=(query,),
        paths=(),
    )
    return world, query


def test_normalise():
    assert normalise('  **Ref_18001** \n`x`  "y"  it\'s ') == "ref18001 x y its"
    assert normalise(42.0) == "42.0"
    assert normalise({"b": 1, "a": [True]}) == "{a: [true], b: 1}"


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("ref_18001", True),
        ("**REF_18001**", True),
        ("It is `ref_18001`, or ref_18002.", True),
        ("ref18001", True),
        ("ref_180", False),
        ("", False),
    ],
)
def test_contains(answer, right):
    assert contains(*made("refund_id"), answer) is right


def test_contains_needs_every_target_and_a_gold_answer():
    world, query = made("refund_id", "amount")
    assert contains(world, query, "ref_18001 for 79.99")
    assert not contains(world, query, "ref_18001")
    assert not contains(world, msgspec.structs.replace(query, answers={"refund_id": ""}), "ref_18001")
    assert not contains(world, msgspec.structs.replace(query, answers={"refund_id": "`*`"}), "ref_18001")


ACCEPTED = [
    ("amount", "79.99"),
    ("amount", "79.990"),
    ("amount", "+79.99"),
    ("amount", "$79.99"),
    ("amount", "US$79.99"),
    ("amount", "USD 79.99"),
    ("amount", "79.99USD"),
    ("amount", "79.99 €"),
    ("amount", "The refund was **$79.99**."),
    ("amount", "The refund for order ord_7001 was 79.99 (in US dollars)."),
    ("amount", "79.99 on 2026-04-06"),
    ("amount", "79.99, paid out on April 6, 2026 at 11:45 AM UTC"),
    ("amount", "\\boxed{79.99}"),
    ("amount", "$79.99$"),
    ("amount", '{"amount": 79.99}'),
    ("amount", '{"amount":79.99}'),
    ("amount", "79.99/unit"),
    ("amount", "79.99, i.e. 79.99"),
    ("amount", "1. 79.99"),
    ("amount", "<b>79.99</b>"),
    ("amount", "79.99"),
    ("amount", "Amount\u202f=\u202f79.99"),
    ("amount", "The amount is 79.99 or, if you wish, $79.990."),
    ("quantity", "2"),
    ("quantity", "2.0"),
    ("quantity", "2 items"),
    ("quantity", "A quantity of 2."),
    ("quantity", "x = (2)"),
    ("done_at", "2026-04-06T11:45:00Z"),
    ("done_at", "`2026-04-06T11:45:00Z`"),
    ("done_at", "2026-04-06T11:45:00.000Z"),
    ("done_at", "2026-04-06T11:45Z"),
    ("done_at", "2026-04-06 11:45:00"),
    ("done_at", "2026-04-06 11:45 UTC"),
    ("done_at", "2026-04-06 at 11:45 GMT"),
    ("done_at", "2026-04-06T13:45:00+02:00"),
    ("done_at", "2026-04-06T13:45:00+0200"),
    ("done_at", "It was done on April 6, 2026 at 11:45 AM (UTC)."),
    ("done_at", "6 April 2026, 11:45"),
    ("done_at", "the 6th of Apr 2026 at 11:45:00 a.m. UTC"),
    ("done_at", "On 2026-04-06, namely at 2026-04-06T11:45:00Z."),
    ("done_at", "2026-04-06T11:45:00Z (2026-04-06 07:45 -04:00)"),
    ("done_at", "2026\u201104\u201106T11:45:00Z"),
    ("day", "2026-04-06"),
    ("day", "April 6th, 2026"),
    ("locked", "True"),
    ("locked", "true."),
    ("locked", "Yes"),
    ("locked", "Yes, it is locked."),
    ("locked", "There is no doubt: true"),
    ("refund_id", "ref_18001"),
    ("refund_id", "REF_18001."),
    ("refund_id", "The refund is `ref_18001`."),
    ("refund_id", "The refund is **ref_18001** (order ord_7001)."),
    ("refund_id", "The refund is ref\\_18001!"),
    ("refund_id", "refund_id: ref_18001"),
    ("refund_id", "refund_id=ref_18001"),
    ("refund_id", '{"refund_id":"ref_18001"}'),
    ("refund_id", "ref_18001 — the refund of 79.99 made on 2026-04-06"),
    ("refund_id", "(ref_18001)"),
    ("refund_id", "\u201cref_18001\u201d"),
    ("refund_id", "ref_18001\n\nref_18001"),
    ("refund_id", "Order ord_7001 was refunded by AUTH-AX91 as ref_18001, and 2 items came back."),
    ("auth_code", "AUTH\u2011AX91"),
    ("auth_code", "code AUTH-AX91."),
    ("method", "credit_card"),
    ("method", "Paid by credit_card"),
    ("method", "\\text{credit\\_card}"),
    ("method", "Method:credit_card"),
    ("colour", "navy  blue"),
    ("colour", "It is Navy Blue."),
    ("size", "L"),
    ("size", "The size is 'L'."),
    ("size", "It's size L"),
    ("holder", "Emily Wright"),
    ("holder", "The holder is Emily Wright, of course."),
    ("address", "900 Lake Shore Dr, Chicago, IL"),
    ("address", "They live at 900 Lake Shore Dr, Chicago, IL."),
    ("phone", "+1-312-555-0155"),
    ("phone", "Call +1-312-555-0155."),
    ("tags", '["new", "fragile"]'),
]


@pytest.mark.parametrize(("target", "answer"), ACCEPTED)
def test_exact_accepts(target, answer):
    assert exact(*made(target), answer)


REFUSED = [
    ("amount", ""),
    ("amount", "79"),
    ("amount", "79.9"),
    ("amount", "-79.99"),
    ("amount", "\u221279.99"),
    ("amount", "$79.99 or $1,234.50"),
    ("amount", "79.99, 1234.5"),
    ("amount", "79.99,1234.5"),
    ("amount", "79.99/1234.5"),
    ("amount", "79.99-80"),
    ("amount", "between 70 and 79.99"),
    ("amount", "1. 79.99\n2. 1234.5"),
    ("amount", "7999"),
    ("amount", "79.99.1"),
    ("amount", "v79.99"),
    ("amount", "79.99e3"),
    ("amount", "I could not find it"),
    ("quantity", "1, 2, 3, 4"),
    ("quantity", "1,2,3,4"),
    ("quantity", "two"),
    ("done_at", "2026-04-06"),
    ("done_at", "2026-04-06T11:45:01Z"),
    ("done_at", "2026-04-06T11:45:00+02:00"),
    ("done_at", "2026-04-06T11:45:00Z or 2026-04-07T08:00:30Z"),
    ("done_at", "2026-04-06T11:45:00Z or 2026-13-07T08:00:30Z"),
    ("done_at", "2026-04-06 11:45 EST"),
    ("done_at", "2026-04-06 11:45 PM"),
    ("done_at", "2026-04-06 99:45"),
    ("done_at", "2026-04-06T11:45:00Z on 2026-04-09"),
    ("day", "2026-04-06 or 2026-04-07"),
    ("day", "2026-04-06 11:45"),
    ("locked", "False"),
    ("locked", "yes or no"),
    ("locked", "true/false"),
    ("locked", "maybe"),
    ("refund_id", "ref_18002"),
    ("refund_id", "ref_18001 or ref_18002"),
    ("refund_id", "ref_18001/ref_18002"),
    ("refund_id", "ref_18001,ref_99"),
    ("refund_id", "ref_18001 (not ref_99999)"),
    ("refund_id", "ref_180011"),
    ("refund_id", "xref_18001"),
    ("refund_id", "ref_18001-b"),
    ("refund_id", "ref_18001\nord_7001"),
    ("refund_id", "ord_7001, ref_18001"),
    ("refund_id", "| ref_18001 | 79.99 |"),
    ("refund_id", "ref_18001 and credit_card"),
    ("auth_code", "AUTH-AX91; AUTH-BR44"),
    ("auth_code", "AX91"),
    ("method", "credit_card or wallet"),
    ("method", "credit_card/wallet"),
    ("method", "a wallet"),
    ("method", "credit_card_2"),
    ("colour", "Navy"),
    ("colour", "Navy Blue or Navy"),
    ("colour", "Navy-Blue"),
    ("size", "L, M"),
    ("size", "XL"),
    ("size", "S, M, L"),
    ("holder", "Emily"),
    ("holder", "Emily Wright and Emily"),
    ("address", "Chicago, IL"),
    ("address", "900 Lake Shore Dr, Chicago, IL; 77 Beacon St, Boston, MA"),
    ("phone", "+1-312-555-0155 or +1-312-555-0199"),
    ("tags", "new"),
]


@pytest.mark.parametrize(("target", "answer"), REFUSED)
def test_exact_refuses(target, answer):
    assert not exact(*made(target), answer)


@pytest.mark.parametrize("answer", ["$1,234.50", "1234.5", "1'234.50", "USD 1,234.5", "1234.500 dollars"])
def test_exact_reads_thousands(answer):
    assert exact(*made("amount", row=1), answer)


def test_exact_lets_the_question_be_repeated():
    world, query = made("amount", inputs=("quantity", "refund_id"))
    assert exact(world, query, "For 2 items of ref_18001 the amount is 79.99")
    assert exact(world, query, "ref_18001, 2, 79.99")
    assert not exact(world, query, "For 3 items of ref_18001 the amount is 79.99")
    assert not exact(world, query, "For 2 items of ref_18001")


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("ref_18001, 79.99", True),
        ("The refund ref_18001 amounts to $79.99.", True),
        ("ref_18001", False),
        ("79.99", False),
        ("ref_18001 and ref_18002, 79.99", False),
        ("ref_18001: 79.99 or 1234.5", False),
    ],
)
def test_exact_needs_every_target(answer, right):
    assert exact(*made("refund_id", "amount"), answer) is right


def test_exact_allows_targets_of_one_type_beside_each_other():
    world, query = made("amount", "quantity")
    assert exact(world, query, "2 items for 79.99")
    assert not exact(world, query, "2 items for 79.99, 3 in all")


def test_exact_takes_a_gold_answer_that_is_not_of_its_type_as_text():
    world, query = made("amount")
    query = msgspec.structs.replace(query, answers={"amount": "unknown"})
    assert exact(world, query, "unknown")
    assert not exact(world, query, "79.99")
    assert not exact(world, msgspec.structs.replace(query, answers={"amount": None}), "nothing")
    assert not exact(world, msgspec.structs.replace(query, answers={"amount": "--"}), "--")


PHRASINGS = (
    "{gold}",
    "**{gold}**",
    "The answer is `{gold}`.",
    "Based on the records for {given}, the value you asked for is {gold}.",
    "<p>Final answer: {gold}</p>",
    "I followed the chain of records step by step.\n\nAnswer: {gold}\n",
)


@pytest.mark.parametrize("judge", sorted(JUDGES))
@pytest.mark.parametrize("phrasing", PHRASINGS)
def test_every_gold_answer_is_accepted_in_any_phrasing(release, judge, phrasing):
    for query in release.queries:
        given = " and ".join(map(str, query.inputs.values()))
        gold = " / ".join(map(str, query.answers.values()))
        assert JUDGES[judge](release, query, phrasing.format(gold=gold, given=given)), (query.query_id, gold)


@pytest.mark.parametrize("separator", [", ", "\n", " or ", "; "])
def test_listing_everything_is_refused_by_exact_alone(release, separator):
    """All values of the target datatype or, where it has a single one, of all status-like datatypes."""
    statuses = [d.name for d in release.datatypes if d.name.endswith("_status")]
    seen = {str(r.values[name]) for r in release.records for name in statuses if r.values.get(name) is not None}
    for query in release.queries:
        (target,) = query.answers
        options = {str(r.values[target]) for r in release.records if r.values.get(target) is not None}
        answer = separator.join(sorted(options if len(options) > 1 else seen))
        assert not exact(release, query, answer), (query.query_id, answer[:80])
        assert contains(release, query, answer), (query.query_id, answer[:80])


def test_exact_refuses_long_answers():
    world, query = made("amount")
    assert exact(world, query, "79.99" + " " * (LONGEST - 5))
    assert not exact(world, query, "79.99" + " " * (LONGEST - 4))


HOSTILE = [
    "9",
    ".",
    "-",
    "1,",
    "1,111",
    "9.",
    " ",
    "\n",
    "a",
    "a-",
    "(",
    "jan",
    "jan ",
    "2026-",
    "navy ",
    "+",
    "_",
    "$",
    "1. ",
    "é",
    "\u200b",
    "ref_1 ",
    "or ",
]


@pytest.mark.parametrize("target", sorted(TYPES))
def test_exact_gets_through_hostile_texts(target):
    """A pattern that backtracks would never get through these."""
    world, query = made(target)
    for piece in HOSTILE:
        for tail in ("", "x", " 79.99"):
            text = (piece * LONGEST)[: LONGEST - len(tail)] + tail
            assert isinstance(exact(world, query, text), bool)


@pytest.mark.parametrize("judge", sorted(JUDGES))
@pytest.mark.parametrize("piece", ["9", "a ", "**", "ref_18001 ", "\n", "9,999"])
def test_ten_megabytes_are_judged(judge, piece):
    world, query = made("amount")
    text = piece * (10_000_000 // len(piece))
    assert not JUDGES[judge](world, query, text)
