"""A read-only SQLite backend over a world's records, built in memory, one per worker."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import msgspec

from planbench_xl.errors import BackendError
from planbench_xl.world import Tool, Value, World, text_form


class Lookup(msgspec.Struct, frozen=True):
    """What the records say to a call.

    Attributes:
        values: The distinct outputs: none (no such record), one, or several (the lookup is ambiguous). Each
            is a tuple with one value per output of the tool.
    """

    values: tuple[tuple[Value, ...], ...]


class Backend:
    """Looks up the outputs of executable tools. Values are compared by their text form.

    The database holds one table with a text column per datatype; every column that some tool takes as an input
    is indexed. It is made at the first look-up of a process, so that it is never shared by workers.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._columns = {datatype.name: f"c{i}" for i, datatype in enumerate(world.datatypes)}
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
        return f"SELECT DISTINCT {', '.join(outputs)} FROM records WHERE {' AND '.join(conditions)}"

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:")
        columns = self._columns
        try:
            connection.execute(f"CREATE TABLE records ({', '.join(f'{c} TEXT' for c in columns.values())})")
            marks = ", ".join("?" for _ in columns)
            connection.executemany(f"INSERT INTO records VALUES ({marks})", self._rows())
            for datatype in sorted({name for tool in self._world.executable for name in tool.inputs} & set(columns)):
                connection.execute(f"CREATE INDEX i_{columns[datatype]} ON records ({columns[datatype]})")
            connection.execute("PRAGMA query_only = ON")
        except (sqlite3.Error, UnicodeError) as error:
            raise BackendError(f"the records of world '{self._world.name}' can't be indexed: {error}") from error
        self._connection = connection
        return connection

    def _rows(self) -> list[list[str | None]]:
        rows = []
        for record in self._world.records:
            row: list[str | None] = []
            for datatype in self._columns:
                value = record.values.get(datatype)
                text = None if value is None else text_form(value)
                if text is not None:
                    self._values.setdefault((datatype, text), value)
                row.append(text)
            rows.append(row)
        return rows
