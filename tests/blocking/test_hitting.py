from __future__ import annotations

from random import Random

from planbench_xl.blocking.hitting import smallest_hitting_set


def brute_force(sets: list[int], elements: int) -> int:
    return min(mask.bit_count() for mask in range(1 << elements) if all(mask & one for one in sets))


def test_against_brute_force() -> None:
    rng = Random(0)
    for _ in range(400):
        elements = rng.randrange(1, 9)
        sets = [rng.randrange(1, 1 << elements) for _ in range(rng.randrange(0, 12))]
        hit = smallest_hitting_set(sets)
        assert hit.smallest
        assert all(hit.mask & one for one in sets)
        assert hit.mask.bit_count() == brute_force(sets, elements)


def test_a_stopped_search_says_so() -> None:
    rng = Random(1)
    sets = [sum(1 << e for e in rng.sample(range(60), 4)) for _ in range(150)]
    hit = smallest_hitting_set(sets, max_nodes=10)
    assert not hit.smallest
    assert all(hit.mask & one for one in sets)
