"""A read-only SQLite backend over a world's records, built in memory, one per worker."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence

import msgspec

from planbench_xl.errors import BackendError
from planbench_xl.world import Tool, Value, World, text_form

TABLE_COLUMNS = 1_900
"""SQLite takes at most 2,000 columns in a table."""


class Lookup(msgspec.Struct, frozen=True):
    """What the records say to a call.

    Attributes:
        values: The distinct outputs: none (no such record), one, or several (the lookup is ambiguous). Each
            is a tuple with one value per output of the tool.
    """

    values: tuple[tuple[Value, ...], ...]


class Backend:
    """Looks up the outputs of executable tools. Values are compared by their text form.

    The database holds one table with a text column per datatype, or several with the same rows if there are more
    datatypes than fit; every column that some tool takes as an input is indexed. It is made at the first look-up of a
    process, so that it is never shared by workers.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        names = [datatype.name for datatype in world.datatypes]
        self._tables = [names[start : start + TABLE_COLUMNS] for start in range(0, len(names), TABLE_COLUMNS)]
        self._table = {name: f"t{number}" for number, table in enumerate(self._tables) for name in table}
        self._columns = {name: f"c{place}" for place, name in enumerate(names)}
        self._connection: sqlite3.Connection | None = None
        self._values: dict[tuple[str, str], Value] = {}
        self._statements: dict[str, tuple[str, tuple[str, ...]]] = {}

    def lookup(self, tool: Tool, arguments: Mapping[str, Value]) -> Lookup:
        """Return the distinct outputs of an executable tool for arguments by name.

        Raises:
            BackendError: SQLite can't hold the records, or the tool names a datatype that the world lacks.
        """
        connection = self._connection or self._connect()
        if tool.name not in self._statements:
            self._statements[tool.name] = (self._statement(tool), tool.output_datatypes)
        statement, outputs = self._statements[tool.name]
        parameters = [None if arguments[a.name] is None else text_form(arguments[a.name]) for a in tool.arguments]
        rows = connection.execute(statement, parameters).fetchall()
        return Lookup(tuple(tuple(self._values[pair] for pair in zip(outputs, row, strict=True)) for row in rows))

    def _statement(self, tool: Tool) -> str:
        try:
            outputs = [self._columns[datatype] for datatype in tool.output_datatypes]
            inputs = [self._columns[datatype] for datatype in tool.inputs]
        except KeyError as error:
            raise BackendError(f"tool '{tool.name}' names the unknown datatype {error}") from error
        conditions = [f"{column} = ?" for column in inputs] + [f"{column} IS NOT NULL" for column in outputs]
        # Names of columns differ over all tables, and a row has the same number in each.
        first, *others = dict.fromkeys(self._table[name] for name in (*tool.inputs, *tool.output_datatypes))
        joins = "".join(f" JOIN {other} ON {other}.rowid = {first}.rowid" for other in others)
        return f"SELECT DISTINCT {', '.join(outputs)} FROM {first}{joins} WHERE {' AND '.join(conditions)}"

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:")
        taken = {name for tool in self._world.executable for name in tool.inputs}
        try:
            for number, names in enumerate(self._tables):
                columns = [self._columns[name] for name in names]
                connection.execute(f"CREATE TABLE t{number} ({', '.join(f'{column} TEXT' for column in columns)})")
                marks = ", ".join("?" for _ in columns)
                connection.executemany(f"INSERT INTO t{number} VALUES ({marks})", self._rows(names))
            for name in sorted(taken & set(self._columns)):
                column = self._columns[name]
                connection.execute(f"CREATE INDEX i_{column} ON {self._table[name]} ({column})")
            connection.execute("PRAGMA query_only = ON")
        except (sqlite3.Error, UnicodeError) as error:
            raise BackendError(f"the records of world '{self._world.name}' can't be indexed: {error}") from error
        self._connection = connection
        return connection

    def _rows(self, names: Sequence[str]) -> list[list[str | None]]:
        rows = []
        for record in self._world.records:
            row: list[str | None] = []
            for datatype in names:
                value = record.values.get(datatype)
                text = None if value is None else text_form(value)
                if text is not None:
                    self._values.setdefault((datatype, text), value)
                row.append(text)
            rows.append(row)
        return rows
