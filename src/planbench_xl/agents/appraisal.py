"""Judges what tools say about themselves: does a description disclose a flaw, or hint at one?

The vocabulary is general English about software and records. It knows nothing of any world.
"""

from __future__ import annotations

import re
from functools import lru_cache

_FLAWS: tuple[tuple[float, str], ...] = (
    (1.0, r"deprecat\w+|obsolete|legacy|discontinued|sunset|retired|superseded|switched off|shut down|dismantled"),
    (1.0, r"no longer|not any ?more|(?:can ?not|can't) (?:answer|serve)|used to (?:return|give|serve|be)|has ended"),
    (1.0, r"backward compatib\w+|(?:compatibility|older|old) (?:route|path|workflows?|version|scripts?)|early version"),
    (
        1.0,
        r"outdated|stale|cached?|lagging|out of date|old(?:er)? (?:cached? |copy|copies|values?|data|numbers?|state)",
    ),
    (
        1.0,
        r"nightly|last (?:night|week|month|year)(?:'s)? (?:copy|archive|snapshot|export|dump)|still (?:show|list)\w*",
    ),
    (1.0, r"frozen|historical value|has been replaced|the former|before the (?:migration|upgrade|move|update)"),
    (1.0, r"not (?:be )?(?:valid|usable|suitable|appropriate|authoritative|dependable|reliable|final|official|meant)"),
    (1.0, r"(?:should|must|do) not be (?:used|relied)|non[- ]authoritative|unofficial|unverified|unconfirmed"),
    (1.0, r"unreliable|undependable|noisy|unstable|flaky|erratic|miswired|misrouted|broken|faulty|mix-?ups?"),
    (1.0, r"(?:supposed|meant|intended) to (?:return|give|show)|known (?:to be|issues?|bugs?)|off by (?:one|a)"),
    (1.0, r"shifted|swapped|mixed up|drift\w*|wrong (?:field|value|column|row|record)|no telling"),
    (1.0, r"(?:nearby|neighbou?ring|adjacent|related but) (?:\w+ )?(?:field|value|column|row|entry|record)"),
    (1.0, r"(?:may|might|can|could) (?:also |still |well |even )*(?:not|serve|surface|drift|map|pull|read|lag|slip)"),
    (1.0, r"(?:may|might) (?:well |also |still )*(?:be (?!\w+(?:ed|en|wn|id|ld)\b)|return|differ|appear|contain|show)"),
    (1.0, r"end[- ]of[- ]life|(?:has|have|was|were|is|been) (?:removed|withdrawn|decommissioned|abandoned|dropped)"),
    (1.0, r"no (?:more|further) (?:answers|results|support)"),
    (1.0, r"stopped (?:working|answering|being \w+)|(?:a while|long) ago"),
    (1.0, r"back-?ups?|(?:old|older|early|stale) snapshots?|snapshot (?:taken|from)|archived|amendments|corrections"),
    (1.0, r"(?:earlier|previous) (?:state|version|value)"),
    (1.0, r"last (?:refreshed|updated|synchroni[sz]ed|loaded|copied)"),
    (1.0, r"out[- ]of[- ]sync|behind by|days? behind|historical"),
    (1.0, r"what is there now|(?:as|when) (?:it was )?first (?:entered|recorded|written|filed)|lags? behind|delayed"),
    (1.0, r"(?:can ?not|can't|must not|not to) be (?:trusted|relied on|depended on)"),
    (1.0, r"(?:went|gone|goes|go) wrong|garbled"),
    (1.0, r"confus(?:es?|ed|ing)|mistak(?:es?|en)|mis(?:read|match|place|label|align)\w*|jumbled|scrambled|corrupt\w*"),
    (1.0, r"test environment|made[- ]up|fictitious|invented|synthetic|simulat\w+|suggestions?|proposal|speculat\w+"),
    (1.0, r"system of record|say something else"),
    (1.0, r"not (?:yet )?(?:binding|committed|confirmed|checked|verified|approved)"),
    (1.0, r"whatever happen\w+|was (?:planned|intended|hoped)"),
    (1.0, r"hardly ever|(?:almost|practically) never|pilot (?:group|phase)"),
    (1.0, r"(?:only|solely|exclusively) (?:when|while|if|to|after|before|once|with|by|in|on|where|those|between)"),
    (1.0, r"(?:during|for|in|to|on|with|after|before|while)\b[^.,;]{0,60} only(?=[.;,]|$)|unless|members of"),
    (1.0, r"(?:opens?|answers?|works?|available|accessible|open|responds?|usable) only"),
    (1.0, r"only (?:\w+ )?(?:cases|members)"),
    (
        1.0,
        r"sometimes|often answers|occasionally|intermittent\w*|at times|now and then|hit[- ]or[- ]miss|best[- ]effort",
    ),
    (1.0, r"only (?:works?|opens?|available|answers?|under|during|valid|serves?|covers?)|only for|but only|stays shut"),
    (1.0, r"limited (?:\w+ )?conditions?|special (?:\w+ )?conditions?|uncommon|rare|narrow|restricted to|gated"),
    (1.0, r"(?:is|are) refused|not covered|not expected|provided (?:that|the)|excluded|outside such"),
    (1.0, r"preview|provisional|tentative|pencilled|placeholder|predict\w+|guess\w*|suggests?|sandbox|mock|dummy"),
    (
        1.0,
        r"estimated? (?:value|before)|serves an estimated?|instead of the (?:final|current|committed|actual|confirmed)",
    ),
    (1.0, r"experimental|beta|prototype|test (?:data|copy|system)|demo|rough|approximate\w*|forecast\w*|projects? a"),
    (0.6, r"estimated?|archives?|planned|expected|rather than the|older|temporary|conditions?|treat it as|early|dead"),
)
"""Weight and pattern of words that disclose a flaw. From 1 a description counts as flawed; lighter ones add up."""

_HINTS = re.compile(
    r"\b(?:not|\w+n't|never|no|nothing|none|without|nobody|hardly|rarely|seldom|barely|scarcely"
    r"|only|limited|just|unless|except\w*|but|though|although|however|yet|whatever|instead|rather"
    r"|earlier|previous\w*|former\w*|past|ago|lately|last|old|then|already|first|since|stopped|used to|was|were"
    r"|may|might|could|likely|usually|mostly|normally|typically|often|would|should|hope\w*|idea|hint\w*|drafts?"
    r"|itself|so-called|roughly|about|some|any other|else)\b",
    re.IGNORECASE,
)
"""Words that say nothing alone, but are more frequent where something is wrong: no, only, but, once …"""

_PATTERNS = tuple((weight, re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)) for weight, pattern in _FLAWS)
_TICKED = re.compile(r"`[^`]*`")
_PURPOSE = re.compile(
    r"(?:^|(?<=[.;] ))(?:use|reach|useful|helpful|helps|handy|good|call it|worth|think"
    r"|(?:meant|made|needed most) (?:for|when)|(?:it|this|that)"
    r"(?: is| lets|'s)? (?:helps?|useful|helpful|handy|good|lets|you))\b[^.]*\.?"
    r"|\b(?:whether|such as)\b[^.]*"
    r"|(?:^|(?<=[.;?] ))if [^.,;]*,"
    r"|(?<!only )(?<!except )\bwhen(?:ever)? (?!it was )[^.;]*",
    re.IGNORECASE,
)
"""What a tool is good for, and the states that a value can have, disclose nothing about the tool itself."""

FLAWED = 1.0
"""A description from this score on is taken to disclose a flaw."""


def flaw_score(description: str, topic: frozenset[str] = frozenset()) -> float:
    """Return how strongly a description discloses a flaw; from `FLAWED` on it does.

    Args:
        description: What the tool says about itself.
        topic: Lower-case words that name the tool's inputs and output. A word of the domain (a *draft* order, a
            price *estimate*) discloses nothing.
    """
    return _score(_about_itself(description), topic)


def hint_score(description: str, topic: frozenset[str] = frozenset()) -> float:
    """Return how many hints a description gives that something is wrong, from 0 to 1.

    Honest descriptions use such words too, so only tools that do the same should be compared by it.
    """
    found = {word.lower() for word in _HINTS.findall(_about_itself(description))} - topic
    return min(1.0, 0.35 * len(found))


@lru_cache(maxsize=65_536)
def _about_itself(description: str) -> str:
    return _PURPOSE.sub("", _TICKED.sub("", description.lower()))


@lru_cache(maxsize=65_536)
def _score(text: str, topic: frozenset[str]) -> float:
    score = 0.0
    for weight, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if not topic.issuperset(re.findall(r"\w+", match[0])):
                score += weight
                break
    return score
