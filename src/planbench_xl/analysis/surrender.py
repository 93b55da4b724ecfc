"""Does an answer give up? A rule on its words alone, for English; `docs/reading-a-failure.md` says how good it is."""

from __future__ import annotations

import re

_NOTHING = re.compile(
    r"(?:(?:the )?(?:final )?answer(?: is)?:? )?"
    r"(?:n/?a|none|null|nil|unknown|undetermined|unavailable|not (?:available|known|found|determined|applicable)"
    r"|no (?:answer|results?|data|value|information)(?: (?:found|available))?"
    r"|(?:i )?(?:do not|don't) know|i give up|[?.-]*)[.! ]*"
)
"""Answers that are empty, or a mere word for nothing."""

_FIND = (
    "(?:find|determine|retrieve|obtain|identify|locate|get|answer|provide|give|resolve|derive|establish|look|access|"
    "complete|compute|calculate|confirm|verify|discover|fetch|reach|return|trace|say|tell|report|conclude|ascertain|"
    "fulfil|fulfill|solve|supply|infer|extract|figure|work out|help|proceed|continue|make|trust|arrive)"
)
_FOUND = (
    "(?:found|determined|retrieved|obtained|identified|located|answered|provided|given|resolved|derived|established|"
    "looked up|accessed|completed|computed|calculated|confirmed|verified|discovered|fetched|reached|returned|traced|"
    "ascertained|inferred|known|concluded|worked out|figured out|available|accessible|possible|able|determinable)"
)
_LY = r"(?:(?:\w+ly|yet|be|been|currently|still|just|even|seem to) )*"

_GIVING_UP = (
    rf"(?:can ?not|can't|could not|couldn't|did not|didn't) {_LY}{_FIND}\b",
    r"\b(?:unable|not able|wasn't able|impossible|not possible|not manage|not in a position|failed) (?:for me )?to \w+",
    rf"(?:can ?not|can't|could not|couldn't|has not|have not|hasn't|haven't|was not|wasn't|is not|isn't|aren't|not) "
    rf"{_LY}{_FOUND}\b",
    r"(?:do not|don't|did not|didn't|does not|doesn't|won't) (?:\w+ly )?(?:have|know|see|allow|let|permit|give me)\b",
    r"(?:lack|lacks|lacking) (?:the |any |access|sufficient|enough|necessary|required)",
    r"\b(?:no|none of the|neither|not \w+ any|n't \w+ any) (?:[\w-]+ ){0,3}"
    r"(?:tools?|way (?:to|of|that|for)|path|route|records?|information|endpoint|function|source|access|luck)\b",
    r"(?:insufficient|not enough|not sufficient|n't sufficient|n't enough) (?:\w+ )?"
    r"(?:data|information|tools?|evidence|details?)",
    r"(?:is|are|was|were|remains?|being) (?:\w+ly |still )?"
    r"(?:unknown|unavailable|undetermined|inaccessible|unobtainable|indeterminate|out of reach|inconclusive)",
    r"\b(?:give|giving|gave) up\b|\bwithout an? (?:answer|result)|\bdead ends?\b",
    r"\b(?:unsuccessful|unanswerable|to no avail)",
    r"(?:would|i|still) (?:need|require) (?:further|more|additional|another)",
    r"\bonly able to \w+",
    r"(?:exhausted|ran out of|run out of|out of) (?:all |every |the |my )?(?:\w+ )?"
    r"(?:options|tools|turns|paths|routes|avenues|searches|ideas|possibilities)",
)
_GIVES_UP = re.compile("|".join(_GIVING_UP))
"""Words that say: I can't tell."""

_NO_OFFER = (
    r"(?!(?:not|no|un\w+|in\w+|impossible|missing|that|a|an|to|still|currently|beyond|out|only|required|needed)\b)"
)

_OFFERING = (
    r"\b(?:best|tentative|provisional|preliminary) (?:guess|estimate|answer|candidate|match|value)\b",
    r"\b(?:my (?:guess|estimate)|most likely|probably|presumably|according to|going with)\b",
    r"\bi(?: would|'d|'ll| will)? (?:guess|assume|estimate|say|believe|think|suspect|used?|take|go with)\b",
    rf"\b(?:appears to be|seems to be|should be|would be) {_NO_OFFER}",
    rf"\b(?:but|however|yet|still|though|nevertheless|instead|therefore|so|thus)\b[^.\n]{0, 200}?"
    rf"\b(?:is|was|shows?|showed|gives?|gave|returned|says|said|reads?|reported|lists?|listed) (?!the\b){_NO_OFFER}",
    rf"\b(?:answer|value|amount|result) (?:is|was):? {_NO_OFFER}",
    r"\b(?:gave|gives|lists|listed|shows|showed|reads) [\w.-]*\d",
    r"\boutdated (?:figure|value)",
)
_OFFERS = re.compile("|".join(_OFFERING))
"""Words with which a value is offered all the same."""

_OWN_LABELS = frozenset({"answer", "final answer", "result", "response", "note", "conclusion", "summary", "reason"})
"""Labels behind which the author speaks; behind any other stands a value."""

_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)")
_LABELLED = re.compile(r"^[ >*-]{0,8}(?P<label>\w[\w ]{0,40}?)[ *_`]{0,4}:(?P<value>.*)$", re.MULTILINE)
_LONGEST = 2_000
"""Characters looked at from each end of an answer: whoever gives up says so there."""

_MARKUP = str.maketrans({"’": "'", "`": "", "*": "", "_": " "})


def surrenders(answer: str) -> bool:
    """Say whether an answer says that its author can't tell, without offering a value all the same.

    Nothing, or a mere word for nothing (`N/A`, `unknown`), is a surrender. Else there must be words for giving up
    (`unable to determine`, `could not be found`, `no tool gives it`), and none that offer a value (`my best guess is
    42`, `but the cache says 42`). What stands in quotes or behind a label (`Order status: unable to deliver`) is a
    value, not the author's own words; behind `Answer:` and its like the author speaks.
    """
    if len(answer) > 2 * _LONGEST:
        answer = f"{answer[:_LONGEST]} {answer[-_LONGEST:]}"
    if _NOTHING.fullmatch(_plain(answer)):
        return True
    own = _plain(_LABELLED.sub(_without_value, _QUOTED.sub(" value ", answer)))
    return _GIVES_UP.search(own) is not None and _OFFERS.search(own) is None


def _without_value(match: re.Match[str]) -> str:
    label = _plain(match["label"])
    own = label in _OWN_LABELS or _GIVES_UP.search(label) is not None
    return match[0] if own else f"{label} value"


def _plain(text: str) -> str:
    return " ".join(text.translate(_MARKUP).lower().split())
