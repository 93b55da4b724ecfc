"""A session over standard input and output: the process is the connection."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, JSONRPCNotification
from pydantic import ValidationError

from planbench_xl.integrations.mcp.desk import Desk
from planbench_xl.integrations.mcp.server import Player, SessionServer


def serve_stdio(desk: Desk, name: str) -> None:
    """Serve a session until the client closes our standard input, or a signal ends us.

    Args:
        desk: The desk; it is closed at the end.
        name: Name of the session.

    Raises:
        PlanBenchError: The desk has no episode for it.
    """
    player = Player(desk)
    try:
        asyncio.run(_serve(player, name))
    finally:
        player.close()


async def _serve(player: Player, name: str) -> None:
    _leave_on_signals(player)
    server = SessionServer(await player.open(name), player)
    async with stdio_server() as (incoming, outgoing):
        send, readable = anyio.create_memory_object_stream[SessionMessage | Exception]()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_refuse_unreadable, incoming, send, outgoing)
            await server.run(readable, outgoing, server.create_initialization_options())
            tasks.cancel_scope.cancel()


async def _refuse_unreadable(
    incoming: Any, readable: MemoryObjectSendStream[SessionMessage | Exception], outgoing: Any
) -> None:
    """Pass on what can be read, and answer the rest, which the server would only pass over."""
    async with readable:
        async for item in incoming:
            refusal = _refusal(item)
            if refusal is None:
                await readable.send(item)
            else:
                await outgoing.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=None, error=refusal)))


def _refusal(item: SessionMessage | Exception) -> ErrorData | None:
    """Return what is wrong with a message, if it can't be read."""
    if isinstance(item, SessionMessage):
        message = item.message
        # A request whose id can't be read looks like a notification, which would get no answer.
        if isinstance(message, JSONRPCNotification) and not message.method.startswith("notifications/"):
            return ErrorData(code=INVALID_REQUEST, message="This request has no id that can be used")
        return None
    if isinstance(item, ValidationError) and all(found["type"] != "json_invalid" for found in item.errors()):
        return ErrorData(code=INVALID_REQUEST, message="This is no JSON-RPC message")
    return ErrorData(code=PARSE_ERROR, message="This line is no JSON")


def _leave_on_signals(player: Player) -> None:
    """End in good order on a signal: finish the call at hand, then leave at once.

    A thread reads standard input and can't be woken, so the event loop can't end by itself.
    """

    def leave() -> None:
        player.close()
        os._exit(0)

    for number in (signal.SIGINT, signal.SIGTERM):
        # Windows has no handlers of this kind; ending a process there is abrupt, and the journal has all.
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, leave)
