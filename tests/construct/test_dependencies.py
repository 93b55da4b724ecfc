from __future__ import annotations

from itertools import chain, combinations

from hypothesis import given
from hypothesis import strategies as st

from planbench_xl.construct.dependencies import Dependencies
from planbench_xl.world import Record

ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=12)


def brute(rows: list[tuple[int, ...]], inputs: tuple[int, ...], output: int) -> bool:
    return all(
        one[output] == other[output] for one in rows for other in rows if all(one[i] == other[i] for i in inputs)
    )


@given(ROWS)
def test_agrees_with_brute_force(rows: list[tuple[int, ...]]) -> None:
    records = [Record(str(n), {str(i): value for i, value in enumerate(row)}) for n, row in enumerate(rows)]
    dependencies = Dependencies(records)
    for inputs in chain.from_iterable(combinations(range(3), size) for size in (1, 2, 3)):
        named = [str(i) for i in inputs]
        determined = brute(rows, inputs, 3)
        assert dependencies.determines(named, "3") == determined
        subsets = chain.from_iterable(combinations(inputs, size) for size in range(len(inputs)))
        assert dependencies.minimally(named, "3") == (determined and not any(brute(rows, part, 3) for part in subsets))
