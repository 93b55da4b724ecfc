"""Does an answer give up? A rule on its words alone; `docs/reading-a-failure.md` says how good it is.

Three things are looked for, in this order: nothing at all, words for giving up, and a value offered all the same.
"""

from __future__ import annotations

import re

import msgspec

_NOTHING = re.compile(
    r"(?:(?:the )?(?:final )?(?:answer|result|value)(?: is)?:? )?"
    r"(?:n/?a|none|null|nil|unknown|undetermined|undefined|unavailable|inconclusive"
    r"|not (?:\w+ly )?(?:available|known|found|determined|determinable|applicable|possible|provided|retrieved|obtained)"
    r"|no (?:answer|results?|data|value|information|match|record)s?(?: (?:found|available|possible))?"
    r"|insufficient (?:data|information|evidence)|(?:i )?(?:do not|don't) know|i give up|[?.–—-]*)[.! ]*",
    re.IGNORECASE,
)
"""Answers that are empty, or a mere word for nothing."""

_CANNOT = r"(?:can ?not|can't|could not|couldn't)"
_LY = r"(?:(?:\w+ly|yet|be|been|being|currently|still|just|even|also|ever|seem to) )*"

_DOUBT = "(?:confirm|verif|guarantee|validat|double-check|cross-check|be (?:fully |entirely |quite )?(?:sure|certain))"
"""Who can't do this may well have a value."""

_FOUND = (
    "(?:found|determined|retrieved|obtained|identified|located|answered|provided|given|resolved|derived|established|"
    "looked up|accessed|completed|computed|calculated|discovered|fetched|reached|returned|traced|made|done|bridged|"
    "ascertained|inferred|known|concluded|worked out|figured out|fulfilled|satisfied|stated|named|reported|disclosed|"
    "available|accessible|possible|able|determinable|successful|retrievable|solved|learned|supplied)"
)
_SOURCE = (
    "(?:tools?|ways? (?:to|of|that|for)|means|methods?|paths?|routes?|links?|connections?|records?|information|"
    "endpoints?|functions?|sources?|access|luck|moves|answers?|results?|responses?|values?|data|options)"
)

_GIVING_UP = (
    # The author can't, didn't, won't.
    rf"(?:^|[.:;!?] |\b(?:i|we|tools?|and|but|so) )(?:\w+ly )?{_CANNOT} (?!{_LY}{_DOUBT}|\w+ (?:be|have) )\w",
    rf"\b(?:i|we) (?:did not|didn't|have not|haven't|was not|wasn't|am not|'m not|were not) {_LY}"
    r"(?:find|get|see|able|manage|succeed|obtain|reach|locate|retrieve|in a position|found|obtained)",
    r"\b(?:unable|not able|wasn't able|impossible|not possible|not manage|not in a position|failed)"
    rf" (?:for me )?to (?!{_LY}{_DOUBT})\w+",
    r"\b(?:do not|don't|does not|doesn't|did not|didn't|won't) (?:\w+ly )?"
    r"(?:have|know|let|permit|allow|give (?:me|us|a|any)|surface|reveal|yield|expose)\b",
    r"\b(?:will not|won't|not going to|rather not|decline to|must refrain from) "
    r"(?:answer|state|give|guess|report|name|stating|giving|guessing)\b",
    r"\b(?:give|giving|gave) up\b|\b(?:i|we)(?: will|'ll| must| have to| am|'m)? (?:now )?"
    r"(?:stop|stopping|quit|end|ending) (?:here|now|the search|my search)",
    r"\bwithout (?:an?|any|the) (?:answer|result|value|success)|\bonly able to \w+|\bstuck\b|\bhit the limit",
    # The answer can't be had.
    rf"(?:can ?not|can't|could not|couldn't|has not|have not|hasn't|haven't|was not|wasn't|were not|weren't|is not|"
    rf"isn't|are not|aren't|never|not) {_LY}{_FOUND}\b",
    r"\b(?:is|are|was|were|remains?|being|been|seems?|proved|stays?|looks?) (?:\w+ly |still |to be )?"
    r"(?:unknown|unavailable|undetermined|inaccessible|unobtainable|unreachable|indeterminate|"
    r"unresolved|unclear|unidentified|beyond|absent|down|out of (?:\w+ )?reach|inconclusive|impossible|missing|"
    r"insufficient|futile)\b",
    r"\b(?:unsuccessful|unanswerable|to no avail|in vain|dead ends?|empty-handed|came up empty)\b",
    r"\b(?:search|searches|attempts?|efforts?|lookups?|quer(?:y|ies)) (?:\w+ ){0,4}failed\b",
    # Nothing leads there.
    rf"\b(?:no|none of the|neither|nor|not \w+ any|n't \w+ any|lacks?|lacking|without) (?:[\w-]+ ){{0,3}}{_SOURCE}\b",
    r"\bnothing (?:that|which|in|on|to|further|more|else|leads?|gives?|returns?|maps?|connects?|links?|usable)\b",
    r"(?:\binsufficient|not enough|not sufficient|n't sufficient|n't enough|\black(?:s|ing)?) (?:\w+ ){0,2}"
    r"(?:data|information|tools?|evidence|details?|inputs?|access)\b",
    r"\b(?:exhausted|ran out of|run out of|out of) (?:all |every |the |my )?(?:\w+ )?"
    r"(?:options|tools|turns|paths|routes|avenues|searches|ideas|possibilities|moves)",
    r"\bneither\b[^.\n]{0,80}\bnor\b|\bnot (?:return|reveal|give|show|list|include|contain)\b",
    # The author asks instead.
    r"\b(?:would|i|we|still|to \w+,? i) (?:need|require) (?:\w+ ){0,2}?(?:further|more|additional|another|details?)\b",
    r"\bplease (?:provide|give|share|specify|clarify|confirm|supply|tell|send)\b",
    r"\b(?:could|can|would|do|did|should) (?:you|i) [^.?\n]{0,120}\?",
    # Other languages: German, Spanish, French, Chinese.
    r"\b(?:konnte|konnten|kann|können)\b[^.\n]{0,80}\bnicht\b|\b(?:nicht möglich|unbekannt)\b",
    r"\bno (?:pude|puedo|he podido|se pudo|se puede|es posible|encontré|hay)\b|\bdesconocid[oa]\b",
    r"\bn'(?:ai|a|avons) pas (?:pu|réussi|trouvé)\b|\bne (?:peux|peut|puis) pas\b|\bimpossible de \w+|\binconnue?\b",
    r"无法|未能|找不到|没有找到|未找到|不知道|没有(?:可用的)?工具",
)
_GIVES_UP = re.compile("|".join(_GIVING_UP), re.IGNORECASE)
"""Words that say: I can't tell."""

_DOUBTS = re.compile(
    rf"\b(?:{_CANNOT}|unable to|not able to|(?:have|has|was|were|is) not|haven't|hasn't|wasn't) {_LY}{_DOUBT}",
    re.IGNORECASE,
)
"""Words that say: I can't vouch for it."""

_TOKEN = (
    r"(?!(?:N/?A|None|Null|Unknown|Un\w+|In\w+|Not?|HTTP|Error|ERROR|Missing|Because|The|That|This|I|I'\w+|We)\b)"
    r"(?:[A-Z$€£][\w.$-]*|[\w$€£#.-]*\d)"
)
"""What looks like a value: it holds a digit or begins with a capital."""

_LED = (
    r"(?:(?:likely|probably|presumably|possibly|about|roughly|apparently|either)[ ,]+)?"
    r"(?:(?!(?:an?|error|http|status|code|down|out|not|no|only|after|at|in|on|for|from|to|with|over|turn)\b)[a-z]+ )?"
)

_NO_OFFER = (
    r"(?!(?:the|not|no|un\w+|in\w+|impossible|missing|that|a|an|to|still|also|all|currently|beyond|out|only|required|"
    r"needed|down|blocked|broken|hidden|deprecated|refus\w+|reject\w+|empty|nothing|errors?|fail\w*|stale|lost|never|"
    rf"it|them|me|us|so|{_FOUND})\b)"
)

_OFFERING = (
    r"\b(?:best|tentative|provisional|preliminary) (?:guess|estimate|answer|candidate|match|value)\b",
    r"\b(?:my (?:guess|estimate)|probably|presumably|likely|according to|going with|outdated (?:figure|value))\b",
    r"\bi(?: would|'d|'ll| will)? (?:guess|assume|estimate|say|believe|think|suspect|used?|take|go (?:with|for)|infer)"
    r"\b(?! (?:that )?(?:there|i|it (?:is|was|'s) not|no)\b)",
    rf"\b(?:appears to be|seems to be|should be|would be) {_NO_OFFER}",
    # A value behind a verb.
    rf"\b(?:is|was|are|were|be|equals|says?|said|shows?|showed|gives?|gave|returned|reads?|reported|lists?|listed|"
    rf"get|got|points? to|ist|war|es|est|beträgt)(?: me)?:? {_LED}(?-i:{_TOKEN})|(?:是|为)\s*(?!未知|什么)\w",
    rf"\b(?:but|however|yet|still|though|nevertheless|instead|therefore|so|thus)\b[^.\n]{{0,200}}?"
    rf"\b(?:is|was|shows?|showed|gives?|gave|returned|says?|said|reads?|reported|lists?|listed) {_NO_OFFER}\w",
    rf"\b(?:answer|value|amount|result) (?:is|was):? {_NO_OFFER}\w",
    # A value to begin with.
    r"^(?!\d+[.)] )[\w$€£#.-]*\d",
)
_OFFERS = re.compile("|".join(_OFFERING), re.IGNORECASE)
"""Words with which a value is offered all the same."""

_ANY_VALUE = re.compile(rf"(?<=[a-z,:] ){_TOKEN}|\d")
"""A value anywhere but at the beginning of a sentence."""

_SPEAKS = re.compile(r"\b(?:i|i'm|i'd|i've|my|me|we|our)\b", re.IGNORECASE)
"""The author speaks of themself."""

_STATES = re.compile(r"\b(?:is|was|are|were|found|says?|shows?|gave|gives?|returned|reads?|lists?)\b", re.IGNORECASE)
"""Something is said to be so."""

_ANSWERS = frozenset({"answer", "final answer", "result", "final result", "response", "conclusion"})
_OWN_LABELS = _ANSWERS | {"summary", "note", "reason", "explanation", "sorry", "apologies", "my apologies"}
"""Labels behind which the author speaks; behind any other stands a value."""

_ASIDES = _OWN_LABELS | {"error", "message", "status", "confidence"}
"""Keys of a JSON object that don't hold what was asked for, if others do."""

_QUOTED = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|`[^`\n]*`|(?<!\w)'[^'\n]*'(?!\w)")
_LABELLED = re.compile(
    r"(?P<start>^|[.!?;] |\n)[ >*#-]{0,8}(?P<label>\w[\w -]{0,40}?)[ *`]{0,4}:(?P<value>[^\n]*)$", re.M
)
_FENCE = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)
_LONGEST = 2_000
"""Characters looked at from each end of an answer: whoever gives up says so there."""

_MARKUP = str.maketrans({"’": "'", "`": "", "*": "", "_": " "})


def surrenders(answer: str) -> bool:
    """Say whether an answer says that its author can't tell, without offering a value all the same.

    Nothing, or a mere word for nothing (`N/A`, `unknown`), is a surrender. Else there must be words for giving up
    (`unable to determine`, `could not be found`, `no tool gives it`) or for asking back (`please provide the order
    number`), and none that offer a value (`my best guess is 42`, `the cache says 42`, `Code: 42`). Who merely can't
    vouch for it (`could not confirm`), or speaks of themself without stating anything, surrenders if nothing that
    looks like a value is there. What stands in quotes or behind a label (`Order status: unable to deliver`) is a value,
    not the author's own words; behind `Answer:` and its like the author speaks. A JSON object is judged by what it
    holds under `answer` and its like, else by whether all its values are empty.
    """
    if len(answer) > 2 * _LONGEST:
        answer = f"{answer[:_LONGEST]} {answer[-_LONGEST:]}"
    held = _json_answer(answer)
    if held is not None:
        answer = held
    if _NOTHING.fullmatch(_plain(answer).strip("\"'()[]<> ")):
        return True
    own = _plain(_LABELLED.sub(_without_value, _QUOTED.sub(_unquoted, answer)))
    if _OFFERS.search(own):
        return False
    if _GIVES_UP.search(own):
        return True
    if _ANY_VALUE.search(own):
        return False
    return bool(_DOUBTS.search(own) or (_SPEAKS.search(own) and not _STATES.search(own)))


def _json_answer(answer: str) -> str | None:
    """Return what a JSON object answers with; None if it is no JSON object."""
    fenced = _FENCE.fullmatch(answer.strip())
    try:
        found = msgspec.json.decode(fenced[1] if fenced else answer, type=dict[str, object])
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):  # The text may be anything.
        return None
    held = {_plain(key).lower(): _json_text(value) for key, value in found.items()}
    for key in sorted(held.keys() & _ANSWERS):
        return held[key]
    values = [value for key, value in held.items() if key not in _ASIDES] or list(held.values())
    return "VALUE" if any(values) else ""


def _json_text(value: object) -> str:
    return "" if value is None else value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _unquoted(match: re.Match[str]) -> str:
    """Return what stands for a quoted text: a tool's name and a message aren't offered as the answer."""
    quoted = _plain(match[0]).lower()
    return " it " if quoted.strip("\"'“” ").startswith("get ") or "error" in quoted else " VALUE "


def _without_value(match: re.Match[str]) -> str:
    label = _plain(match["label"])
    if label.lower() in _OWN_LABELS or _GIVES_UP.search(label):
        return match[0]
    return f"{match['start']}{label} is VALUE"


def _plain(text: str) -> str:
    return " ".join(text.translate(_MARKUP).split())
