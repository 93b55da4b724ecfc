"""Builds a domain with several seeds and lets agents play each world: equivalent worlds give scores within noise.

python benchmarks/seed_agreement.py retail --seeds 1 2 3 4 5 --out agreement

Prints, per agent and setting, the accuracy on each world with its 95 % interval (Wilson), and how likely worlds that
are equally hard are to differ by so much: the share of shuffled outcomes with at least that chi-square. A folder that
holds worlds and runs already is continued.
"""

from __future__ import annotations

import argparse
from math import sqrt
from pathlib import Path
from random import Random

from planbench_xl.construct import Knobs, Recipe, build_world, load_domain
from planbench_xl.runs.presets import load_setting
from planbench_xl.runs.run import run
from planbench_xl.world import load_world, save_world

SHUFFLES = 10_000


def built(name: str, seed: int, folder: Path) -> Path:
    """Return the folder of a domain's world, which is built if it isn't there."""
    if not (folder / "manifest.json").exists():
        domain, digest = load_domain(name)
        save_world(build_world(domain, Recipe(name, digest, seed, "template", Knobs())), folder)
    return folder


def wilson(right: int, count: int, z: float = 1.96) -> tuple[float, float]:
    """Return the 95 % interval of a share."""
    share = right / count
    middle, width = share + z * z / (2 * count), z * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return (middle - width) / (1 + z * z / count), (middle + width) / (1 + z * z / count)


def chi_square(rights: list[int], counts: list[int]) -> float:
    """Return how far shares are from their common one."""
    share = sum(rights) / sum(counts)
    if share in (0, 1):
        return 0.0
    return sum((r - n * share) ** 2 / (n * share * (1 - share)) for r, n in zip(rights, counts, strict=True))


def p_value(rights: list[int], counts: list[int]) -> float:
    """Return how often outcomes that are dealt to the worlds at random differ by at least as much."""
    rng = Random("seed agreement")
    outcomes = [place < sum(rights) for place in range(sum(counts))]
    seen = chi_square(rights, counts)
    more = 0
    for _ in range(SHUFFLES):
        rng.shuffle(outcomes)
        dealt, start = [], 0
        for count in counts:
            dealt.append(sum(outcomes[start : start + count]))
            start += count
        more += chi_square(dealt, counts) >= seen - 1e-9
    return more / SHUFFLES


def main() -> None:
    """Build, play and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domain", nargs="?", default="retail", help="packaged domain or domain file")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--agents", nargs="+", default=["explorer"])
    parser.add_argument("--settings", nargs="+", default=["default", "one-path"])
    parser.add_argument("--out", type=Path, default=Path("agreement"), help="folder for worlds and runs")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    for agent in options.agents:
        for setting in options.settings:
            rights, counts = [], []
            for seed in options.seeds:
                folder = built(options.domain, seed, options.out / f"{options.domain}-{seed}")
                world = load_world(folder)
                name = f"{options.domain}-{seed}-{agent}-{setting}"
                result = run(
                    world,
                    options.out / "runs" / name,
                    agent=agent,
                    setting=load_setting(setting),
                    workers=options.workers,
                    source=str(folder),
                )
                counts.append(result.progress.done)
                rights.append(round((result.progress.accuracy or 0) * result.progress.done))
                low, high = wilson(rights[-1], counts[-1])
                share = rights[-1] / counts[-1]
                print(f"{name}: {share:.1%} ({low:.1%} to {high:.1%}), {counts[-1]} queries", flush=True)
            seen = chi_square(rights, counts)
            print(
                f"{agent}, {setting}: {sum(rights) / sum(counts):.1%} over {len(counts)} worlds; "
                f"chi-square {seen:.2f} with {len(counts) - 1} degrees of freedom, p = {p_value(rights, counts):.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
