"""Runs every check on a world."""

from __future__ import annotations

from planbench_xl.audit.answers import check_answers
from planbench_xl.audit.catalogue import check_catalogue
from planbench_xl.audit.context import Context, Progress
from planbench_xl.audit.imitations import check_imitations
from planbench_xl.audit.phrases import check_phrases
from planbench_xl.audit.plans import Settings, check_plans, paper_settings
from planbench_xl.audit.records import check_records
from planbench_xl.audit.report import AuditReport, assemble
from planbench_xl.audit.tasks import check_tasks
from planbench_xl.audit.texts import check_texts
from planbench_xl.world import World


def audit(
    world: World,
    progress: Progress = None,
    *,
    settings: Settings | None = None,
    time_limit: float | None = 10.0,
) -> AuditReport:
    """Find what in a world makes scores wrong or easy to misread. Nothing is taken from a list of known faults.

    Args:
        world: Any world that can be loaded; it may have faults.
        progress: Told how far the work is: what is being done, steps done, steps in all.
        settings: Blocking and seed of the settings to plan, by name. None: the presets that block.
        time_limit: Seconds for the paths of one task; beyond it figures are bounds and say so. None: no limit.
    """
    context = Context(world, progress, time_limit)
    findings, tasks = check_catalogue(context)
    findings += check_tasks(context)
    findings += check_records(context)
    findings += check_phrases(context)
    findings += check_answers(context)
    findings += check_imitations(context)
    findings += check_texts(context)
    findings += check_plans(context, paper_settings() if settings is None else settings)
    return assemble(world.name, world.fingerprint, findings, tasks)
