"""Prints the findings of an audit as a table in Markdown, as docs/audit.md has it for the release.

python benchmarks/audit_findings.py ../shared/release
"""

from __future__ import annotations

import sys
import time

from planbench_xl.audit import Finding, audit
from planbench_xl.world import load_world


def row(finding: Finding) -> str:
    """Return the line of a finding."""
    total = "" if finding.total is None else f"{finding.total:,}"
    share = "" if finding.share is None else f"{finding.share:.1%}"
    return f"| {finding.level} | `{finding.id}` | {finding.title} | {finding.count:,} | {total} | {share} |"


def main() -> None:
    """Audit the world that the command line names."""
    world = load_world(sys.argv[1] if len(sys.argv) > 1 else "mini")
    started = time.perf_counter()
    report = audit(world)
    seconds = time.perf_counter() - started
    print("| level | finding | what | count | of | share |")
    print("| --- | --- | --- | ---: | ---: | ---: |")
    for finding in report.findings:
        print(row(finding))
    print(f"\nNothing found by: {', '.join(f'`{name}`' for name in report.passed)}.")
    print(f"{seconds:.1f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
