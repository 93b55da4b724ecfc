"""Judges of final answers: one of the reference protocol (section 5), and a typed, strict one of ours.

A judge is a pure function of the world, the query and the answer's text, so any recorded episode can be judged
again. `contains` accepts every answer in which the gold answer occurs. `exact` reads the answer as one value of the
target's type and refuses answers that offer several. Both take time linear in the answer's length, whatever it holds.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation

import msgspec

from planbench_xl.world import Query, Value, World, text_form

Judge = Callable[[World, Query, str], bool]

LONGEST = 20_000
"""`exact` refuses longer answers: they are not a single value."""

_MARKUP = str.maketrans("", "", "*_`\"'")


def normalise(value: Value) -> str:
    """Return a value's text for comparison: lower case, without markup characters, white space collapsed."""
    return " ".join(text_form(value).lower().translate(_MARKUP).split())


def contains(world: World, query: Query, answer: str) -> bool:
    """Accept an answer that contains every gold answer, both normalised. An empty gold answer is never met."""
    text = normalise(answer)
    golds = [normalise(gold) for gold in query.answers.values()]
    return all(gold and gold in text for gold in golds)


def exact(world: World, query: Query, answer: str) -> bool:
    """Accept an answer whose only value of each target's type is the gold answer.

    Numbers are compared by value, time stamps by instant (UTC where no zone is named), truth values as yes or no,
    everything else after normalisation. What makes the answer wrong beside the right value: another number, time stamp
    or truth value; another value that the records hold for the target datatype; a word of the same shape as the gold
    answer (`ord_99` for `ord_7001`); any other record value that stands alone as an item of a list. The query's own
    input values may be repeated, and the values of a query's several targets may stand beside each other.
    """
    if len(answer) > LONGEST:
        return False
    text = _clean(answer)
    golds = [(_reader(world, datatype, gold), datatype, gold) for datatype, gold in query.answers.items()]
    may_stand = [text_form(value) for value in (*query.inputs.values(), *query.answers.values())]
    for reader, datatype, gold in golds:
        wanted = reader.read(text_form(gold))
        if wanted is None:
            return False
        offered = reader.offered(world, datatype, wanted, text)
        if wanted not in offered or None in offered or not offered <= set(map(reader.read, may_stand)):
            return False
    return not _list_items(world, text, may_stand)


JUDGES: Mapping[str, Judge] = {"contains": contains, "exact": exact}
"""Judges by name."""


class _Reader(msgspec.Struct, frozen=True):
    """How values of a type are read.

    Attributes:
        read: Makes a text comparable; None if it is no value of the type.
        offered: Returns the values of the type that an answer offers, given the world, the target datatype, the value
            wanted and the answer's cleaned text. None among them stands for a value that can't be read.
    """

    read: Callable[[str], object]
    offered: Callable[[World, str, object, str], set[object]]


def _reader(world: World, datatype: str, gold: Value) -> _Reader:
    """Return the reader of a datatype's type, or that of plain text if the gold answer isn't of the type."""
    reader = _READERS.get(world.datatype[datatype].value_type, _TEXT)
    return reader if reader.read(text_form(gold)) is not None else _TEXT


# What models write for plain characters: other hyphens and minus signs, dashes, invisible characters, TeX escapes.
_PLAIN = {
    **dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2212"), "-"),
    **dict.fromkeys(map(ord, "\u2014\u2015"), " "),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff\\\u2018\u2019\u201c\u201d"), None),
    **_MARKUP,
}


def _clean(text: str) -> str:
    """Return a text in lower case, without markup, in plain characters; line breaks are kept, other space collapsed."""
    plain = unicodedata.normalize("NFKC", text).translate(_PLAIN).lower()
    return "\n".join(" ".join(line.split()) for line in plain.splitlines())


# Numbers.

_NUMBER = re.compile(
    r"(?<![\w.])(?<!\d[,:/-])(?<!\w-)[-+]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?!\w|[.,:/-]\d|-\w)"
)
_CURRENCY = r"(?<![a-z])(?:us\$|[$€£¥]|usd|eur|gbp|jpy|chf|cad|aud)(?![a-z])"
_CURRENCY_AFTER = re.compile(rf"(?<=\d){_CURRENCY}")
_CURRENCY_BEFORE = re.compile(rf"{_CURRENCY} ?(?=[-+]?\.?\d)")
_MARKER = re.compile(r"(\d{1,3})[.)] (?=.)")


def _number(text: str) -> object:
    try:
        number = Decimal(text.strip().replace(",", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _numbers(world: World, datatype: str, wanted: object, text: str) -> set[object]:
    text = _STAMP.sub(" ", "\n".join(_without_markers(text.split("\n"))))
    text = _CURRENCY_BEFORE.sub("", _CURRENCY_AFTER.sub(" ", text))
    return {_number(match.group()) for match in _NUMBER.finditer(text)}


def _without_markers(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines without the numbers of a numbered list, which count from 1."""
    count = 1
    for line in lines:
        marker = _MARKER.match(line)
        if marker and int(marker[1]) == count:
            count += 1
            line = line[marker.end() :]
        yield line


# Time stamps.

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?"
)
_STAMP = re.compile(
    r"(?<![\w])(?:"
    r"(?P<y1>\d{4})-(?P<m1>\d\d)-(?P<d1>\d\d)"
    rf"|(?P<m2>{_MONTH})\.? (?P<d2>\d\d?)(?:st|nd|rd|th)?,? (?P<y2>\d{{4}})"
    rf"|(?P<d3>\d\d?)(?:st|nd|rd|th)?(?: of)? (?P<m3>{_MONTH})\.?,? (?P<y3>\d{{4}})"
    r")(?!\d)"
    r"(?:(?:t|,? (?:at )?)(?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.(?P<part>\d+))?)?"
    r"(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"(?: ?\(?(?P<zone>z\b|utc\b|gmt\b|[-+]\d\d:?\d\d(?!\d)|(?:[ecmp][sd]?t|cest|bst|ist|jst)\b))?)?"
)


def _stamp(text: str) -> object:
    match = _STAMP.fullmatch(_clean(text))
    return _instant(match) if match else None


def _stamps(world: World, datatype: str, wanted: object, text: str) -> set[object]:
    full: set[object] = set()
    days: list[object] = []
    for match in _STAMP.finditer(text):
        instant = _instant(match)
        if match["hour"] or instant is None:
            full.add(instant)
        else:
            days.append(instant)
    # A bare date beside a full time stamp of the same day offers nothing of its own.
    known = {instant.date() for instant in full if isinstance(instant, datetime)}
    return full.union(day for day in days if not (isinstance(day, datetime) and day.date() in known))


def _instant(match: re.Match[str]) -> datetime | None:
    """Return the instant that a time stamp means, or None if there is none or its zone isn't known."""
    parts = match.groupdict()
    month = parts["m1"] or str(_MONTHS.index((parts["m2"] or parts["m3"])[:3]) + 1)
    hour = int(parts["hour"] or 0)
    if parts["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if parts["half"] == "p" else 0)
    micro = int((parts["part"] or "0")[:6].ljust(6, "0"))
    day = (int(parts["y1"] or parts["y2"] or parts["y3"]), int(month), int(parts["d1"] or parts["d2"] or parts["d3"]))
    try:
        zone = _zone(parts["zone"] or "z")
        local = datetime(*day, hour, int(parts["minute"] or 0), int(parts["second"] or 0), micro, tzinfo=zone)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _zone(name: str) -> timezone:
    if name in ("z", "utc", "gmt"):
        return UTC
    if not name[1:3].isdigit():
        raise ValueError(f"{name} is not a fixed offset")
    offset = timedelta(hours=int(name[1:3]), minutes=int(name[-2:]))
    return timezone(-offset if name[0] == "-" else offset)


# Truth values.

_TRUTH: Mapping[str, bool] = {"true": True, "false": False, "yes": True, "no": False}
_WORDS = re.compile(r"\w+")


def _truth(text: str) -> object:
    return _TRUTH.get(_clean(text))


def _truths(world: World, datatype: str, wanted: object, text: str) -> set[object]:
    words = set(_WORDS.findall(text))
    # "There is no lock: false" is one value: yes and no count only where true and false don't occur.
    return {_TRUTH[word] for word in (words & {"true", "false"}) or (words & {"yes", "no"})}


# Everything else.

_INNER = re.compile(r"[:=/|,;()\[\]{}<>]+")
_DIGITS = re.compile(r"\d+")
_ITEMS = re.compile(r"[,;|\n]|\bor\b|\band\b")
_KEY = "_judging_known"


class _Known(msgspec.Struct, frozen=True):
    """Values that a world holds, as they are compared.

    Attributes:
        values: The values.
        lengths: Per first word of a value, the numbers of words of such values, the largest first.
    """

    values: frozenset[str]
    lengths: dict[str, tuple[int, ...]]


def _known(world: World, datatype: str | None) -> _Known:
    """Return the values that a world holds for a datatype, or for any. They are worked out once per world."""
    # Kept where the world's own cached properties are, so that they live exactly as long as the world.
    cache: dict[str | None, _Known] = world.__dict__.setdefault(_KEY, {})
    known = cache.get(datatype)
    if known is None:
        names = tuple(world.datatype) if datatype is None else (datatype,)
        sources = (*(record.values for record in world.records), *(query.answers for query in world.queries))
        held = {text_form(source[name]) for source in sources for name in names if source.get(name) is not None}
        values = frozenset(word for word in map(_word, held) if word is not None)
        lengths: dict[str, set[int]] = {}
        for value in values:
            words = value.split()
            lengths.setdefault(words[0], set()).add(len(words))
        known = _Known(values, {word: tuple(sorted(found, reverse=True)) for word, found in lengths.items()})
        cache[datatype] = known
    return known


def _word(text: str) -> str | None:
    """Return a text as its words, each without punctuation around it; None if nothing is left."""
    return " ".join(_words(_clean(text))) or None


def _words(text: str) -> list[str]:
    return [word for word in (_trim(token) for token in text.split()) if word]


def _trim(token: str) -> str:
    # By hand: a regular expression that looks for the end would be quadratic on a long run of punctuation.
    start, end = 0, len(token)
    while start < end and not (token[start].isalnum() or token[start] == "+"):
        start += 1
    while end > start and not (token[end - 1].isalnum() or token[end - 1] in "+#%"):
        end -= 1
    return token[start:end]


def _texts(world: World, datatype: str, wanted: object, text: str) -> set[object]:
    """Return the values of a datatype that an answer offers: known ones, and words shaped like the one wanted."""
    known = _known(world, datatype)
    shape = _shape(str(wanted))
    found: set[object] = set()
    for words in _runs(_words(text), known, found):
        found |= {word for word in words if word == wanted or ("0" in shape and _shape(word) == shape)}
    return found


def _runs(words: list[str], known: _Known, found: set[object]) -> Iterator[list[str]]:
    """Collect the known values among words, the longest first; yield the words, or their pieces, that are none."""
    at = 0
    while at < len(words):
        for length in known.lengths.get(words[at], ()):
            run = " ".join(words[at : at + length])
            if run in known.values:
                found.add(run)
                at += length
                break
        else:
            pieces = _words(_INNER.sub(" ", words[at]))
            found.update(piece for piece in pieces if piece in known.values)
            yield pieces if len(pieces) > 1 else [words[at]]
            at += 1


def _shape(word: str) -> str:
    """Return a word with every number in it replaced by 0."""
    return _DIGITS.sub("0", word)


def _list_items(world: World, text: str, may_stand: Iterable[str]) -> set[str]:
    """Return the values, of any datatype, that are whole items of a list in the answer and may not stand there."""
    items = _ITEMS.split(text)
    if len(items) == 1:
        return set()
    allowed = {_word(part) for value in may_stand for part in (value, *_ITEMS.split(_clean(value)))}
    known = _known(world, None).values
    return {word for word in map(_word, items) if word in known and word not in allowed}


_TEXT = _Reader(_word, _texts)
_READERS: Mapping[str, _Reader] = {
    "number": _Reader(_number, _numbers),
    "timestamp": _Reader(_stamp, _stamps),
    "boolean": _Reader(_truth, _truths),
}
