"""Reading data strictly: one pass over parsed JSON or TOML that finds every fault, each with its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from .errors import Fault

_MISSING = object()
_COUNTED = re.compile("([a-z0-9_]+) (0|[1-9][0-9]{0,2})")

TABLE = (dict, Mapping)
"""What counts as a table (`dict` first: asking an abstract class is slow)."""

ID = re.compile("[a-z0-9_]+")


class Reader:
    """A value in the data.

    The methods return the value in the form that is asked for. If it has not this form, they note a fault and return
    something empty ("", 0, an empty list), so that reading goes on and one pass finds all faults.

    Attributes:
        faults: where faults are noted.
        value: what stands there, or a mark that nothing does: see `has`.
        place: the path to it, such as `tokens[3].arrows`.
        subject: what the whole data is, the place of a fault at the top.
        context: whatever the readers of the parts need to know; the same everywhere in the data.
    """

    __slots__ = ("_above", "_step", "_whole", "value")

    def __init__(
        self,
        faults: list[Fault],
        value: object,
        place: str = "",
        subject: str = "input",
        context: Any = None,
    ) -> None:
        self.value = value
        self._above: Reader | None = None
        self._step: str | int = place
        self._whole = (faults, subject, context)  # the same everywhere in the data

    # Place and owner are put together when they are asked for: most readers find no fault.

    @property
    def place(self) -> str:
        if self._above is None:
            return str(self._step)
        above = self._above.place
        if isinstance(self._step, int):
            return f"{above}[{self._step}]"
        return f"{above}.{self._step}" if above else self._step

    @property
    def owner(self) -> str:
        """The id of the piece that this belongs to, for messages; "" for what belongs to none, and for an id."""
        if self._above is None or self._step == "id":
            return ""
        table = self._above.value
        own_id = table.get("id") if isinstance(table, TABLE) else None
        return cut(own_id) if isinstance(own_id, str) and ID.fullmatch(own_id) else self._above.owner

    @property
    def faults(self) -> list[Fault]:
        return self._whole[0]

    @property
    def subject(self) -> str:
        return self._whole[1]

    @property
    def context(self) -> Any:
        return self._whole[2]

    @property
    def is_missing(self) -> bool:
        """Whether nothing stands here: the key is missing."""
        return self.value is _MISSING

    def _at(self, value: object, step: str | int) -> Reader:
        part = Reader.__new__(Reader)
        part.value = value
        part._above = self
        part._step = step
        part._whole = self._whole
        return part

    def fault(self, found: str, allowed: str) -> None:
        """Note a fault at this place."""
        owner = self.owner
        where = f" (in {owner})" if owner else ""
        self.faults.append(Fault(self.place or self.subject, found + where, allowed))

    def reject(self, allowed: str) -> None:
        """Note that this value is none of those allowed."""
        self.fault("nothing" if self.value is _MISSING else shown(self.value), allowed)

    def __getitem__(self, key: str) -> Reader:
        """The value of `key`. If this is no table, which `keys` reports, no further faults are noted below it."""
        if not isinstance(self.value, TABLE):
            part = self._at(_MISSING, key)
            part._whole = ([], self.subject, self.context)
            return part
        return self._at(self.value.get(key, _MISSING), key)

    def has(self, key: str) -> bool:
        """Whether this is a table with `key`."""
        return isinstance(self.value, TABLE) and key in self.value

    def is_table(self, keys: Collection[str]) -> bool:
        """Whether this is a table; if not, that is reported."""
        if not isinstance(self.value, TABLE):
            self.reject("a table with keys from " + ", ".join(keys))
        return isinstance(self.value, TABLE)

    def keys(self, allowed: Collection[str]) -> None:
        """Report keys that are not allowed, and a value that is no table.

        That a key is missing is reported where its value is read.
        """
        if not self.is_table(allowed) or not isinstance(self.value, TABLE):
            return
        if self.value.keys() <= set(allowed):
            return
        for key in self.value:
            if not (isinstance(key, str) and key in allowed):
                self[key_text(key)].fault("an unknown key", one_of(allowed))

    def present(self, allowed: Collection[str]) -> list[str]:
        """As `keys`; returns those of the allowed keys that there are."""
        self.keys(allowed)
        return [key for key in allowed if self.has(key)]

    def entries(self, low: int, high: int, what: str) -> list[Reader]:
        """The entries of a list of `low` to `high`; of a longer one the first `high`."""
        entries = self.value if isinstance(self.value, (list, tuple)) else None
        if entries is None or not low <= len(entries) <= high:
            count = f"exactly {high}" if low == high else f"{low} to {high}"
            self.reject(f"a list of {count} {what}" if high else "an empty list")
        return [self.at(index) for index in range(min(len(entries or ()), high))]

    def at(self, index: int) -> Reader:
        """The entry at `index` of a list that is known to be long enough."""
        entries = self.value if isinstance(self.value, (list, tuple)) else ()
        return self._at(entries[index], index)

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        if isinstance(self.value, int) and not isinstance(self.value, bool) and low <= self.value <= high:
            return self.value
        self.reject(f"the number {low}" if low == high else f"a whole number from {low} to {high}")
        return 0

    def halves(self, low: int, high: int) -> int:
        """Twice a number from `low` to `high` that is whole or ends in .5; `2.0` is no way to write a whole number."""
        value = self.value
        if isinstance(value, float) and low <= value <= high and (2 * value) % 2 == 1:
            return int(2 * value)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return 2 * value
        self.reject(f"a number from {low} to {high}, whole or ending in .5")
        return 0

    def flag(self) -> bool:
        """True or false."""
        if isinstance(self.value, bool):
            return self.value
        self.reject("true or false")
        return False

    def wholes(self, names: Collection[str], low: int, high: int) -> list[int]:
        """Of a table with exactly these keys, whole numbers from `low` to `high` in the order of `names`."""
        table: Any = self.value
        if type(table) is dict and len(table) == len(names):
            numbers: list[Any] = [table.get(name) for name in names]
            if all(type(number) is int and low <= number <= high for number in numbers):
                return numbers  # nothing to report: no need for readers of the parts
        self.keys(names)
        return [self[name].whole(low, high) for name in names]

    def flags(self, count: int, what: str) -> list[bool]:
        """A list of so many times true or false."""
        given = self.value
        if type(given) is list and len(given) == count and all(type(flag) is bool for flag in given):
            return list(given)
        return [entry.flag() for entry in self.entries(count, count, what)]

    def ids(self, names: Collection[str], what: str) -> list[str]:
        """A list of distinct ones of `names` in plain string order; what is none of them is left out."""
        given = self.value
        texts = type(given) is list and all(type(id) is str for id in given) and list(given)
        if texts and all(id < after for id, after in pairwise(texts)) and set(names).issuperset(texts):
            return texts
        entries = self.entries(0, len(names), what)
        ids = [entry.choice(names) for entry in entries]
        self.distinct()
        if ids != sorted(ids) and all(ids):
            self.fault("another order", "ids in plain string order")
        return [id for id in ids if id]

    def is_null(self) -> bool:
        """Whether null stands here."""
        return self.value is None

    def null(self, when: str) -> None:
        """Null, and nothing else, `when` (words for the message)."""
        if self.value is not None:
            self.reject(f"null {when}")

    def name(self, pattern: re.Pattern[str] = ID) -> str:
        """A name that the data gives to something."""
        if isinstance(self.value, str) and pattern.fullmatch(self.value):
            return self.value
        self.reject(f"a name of characters {pattern.pattern[:-1]}")
        return ""

    def choice(self, names: Collection[str], or_else: str = "", told: Collection[str] | None = None) -> str:
        """One of `names`; `or_else` adds to the message what else is allowed, `told` lists there other names."""
        if isinstance(self.value, str) and self.value in names:
            return self.value
        self.reject(one_of(names if told is None else told) + or_else)
        return ""

    def counted(self, names: Collection[str], low: int, high: int, or_else: str = "") -> tuple[str, int]:
        """A text such as "green 2": one of `names` (any if there are none), a space and a number."""
        match = _COUNTED.fullmatch(self.value) if isinstance(self.value, str) else None
        if match and (match[1] in names or not names) and low <= int(match[2]) <= high:
            return match[1], int(match[2])
        self.reject(f'"NAME N" with NAME {one_of(names)} and N from {low} to {high}{or_else}')
        return "", 0

    def distinct(self, key: str | None = None) -> None:
        """Report repeats among the entries of this list, or among their values of `key`."""
        entries = self.value if isinstance(self.value, (list, tuple)) else ()
        values = entries if key is None else [entry.get(key) for entry in entries if isinstance(entry, TABLE)]
        if all(type(value) in (str, int) for value in values) and len(set(values)) == len(entries):
            return
        readers = [self.at(index) for index in range(len(entries))]
        report_repeats(readers if key is None else (reader[key] for reader in readers))


def report_repeats(readers: Iterable[Reader]) -> None:
    """Report each text or number that stands at more than one of these places."""
    first: dict[str | int, str] = {}
    for reader in readers:
        value = reader.value
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            if value in first:
                reader.fault(f"{shown(value)} again", f"another value than at {first[value]}")
            first.setdefault(value, reader.place)


def shown(value: object) -> str:
    """`value` for a message: always short, whatever it is."""
    if isinstance(value, TABLE):
        return f"an object of {len(value)} keys"
    if isinstance(value, (list, tuple)):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return f"'{cut(value)}'"
    if isinstance(value, int) and value.bit_length() > 64:
        return "a huge number"  # which repr refuses to write if it has thousands of digits
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value) if isinstance(value, (int, float)) else f"a {type(value).__name__}"


def cut(text: str) -> str:
    """`text`, shortened if it is long, and printable everywhere."""
    text = text if len(text) <= 60 else text[:57] + "..."
    return text if text.isprintable() else repr(text)[1:-1]


def key_text(key: object) -> str:
    """A key as a place shows it."""
    return cut(key) if isinstance(key, str) else shown(key)


def one_of(names: Iterable[str]) -> str:
    """The names as a message lists them."""
    listed = list(names)
    return "one of " + ", ".join(listed) if listed else "nothing"


# Readers of whole tables and lists, put together from readers of their parts.

_T = TypeVar("_T")


def table(cls: Callable[..., _T], **grammar: Callable[[Reader], object]) -> Callable[[Reader], _T]:
    """Reads a table with exactly these keys, each value by its own grammar, as an object of `cls`."""

    def read(reader: Reader) -> _T:
        reader.keys(grammar)
        return cls(**{key: read_value(reader[key]) for key, read_value in grammar.items()})

    return read


def listing(
    low: int, high: int, read_entry: Callable[[Reader], _T], what: str, unique: Sequence[str] = ()
) -> Callable[[Reader], tuple[_T, ...]]:
    """Reads a list of `low` to `high` entries, which must differ in each of the keys `unique`."""

    def read(reader: Reader) -> tuple[_T, ...]:
        entries = reader.entries(low, high, what)
        for key in unique:
            report_repeats(entry[key] for entry in entries)
        return tuple(read_entry(entry) for entry in entries)

    return read


def flawless(
    low: int, high: int, read_entry: Callable[[Reader], _T], what: str, distinct: bool = True
) -> Callable[[Reader], tuple[_T, ...]]:
    """Reads a list of texts or numbers, as () if anything at all is wrong with it."""

    def read(reader: Reader) -> tuple[_T, ...]:
        faults_before = len(reader.faults)
        entries = reader.entries(low, high, what)
        if distinct:
            report_repeats(entries)
        values = tuple(read_entry(entry) for entry in entries)
        return values if len(reader.faults) == faults_before else ()

    return read


def whole(low: int, high: int) -> Callable[[Reader], int]:
    return lambda reader: reader.whole(low, high)


def choice(names: Collection[str]) -> Callable[[Reader], str]:
    return lambda reader: reader.choice(names)
