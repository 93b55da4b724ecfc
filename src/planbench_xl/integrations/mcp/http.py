"""Many sessions at once over streamable HTTP: `/mcp/NAME` is the session of that name.

A path names a session because MCP has two ways of connecting, one with sessions of its own and one without: a path
works in both, and leads back to the episode after a lost connection or a restart of the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import ipaddress
import logging
import signal
import socket
import time
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp_types import INTERNAL_ERROR, INVALID_REQUEST, ErrorData, JSONRPCError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from planbench_xl.errors import PlanBenchError, UsageError
from planbench_xl.integrations.mcp.desk import Desk, NoEpisode
from planbench_xl.integrations.mcp.server import Player, SessionServer

IDLE_SECONDS = 30 * 60.0
"""A session without requests for this long is put away; its next request brings it back from the journal."""

GRACE_SECONDS = 2
"""How long open requests may go on after a signal to end."""

TOKEN = "PLANBENCH_XL_TOKEN"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")

log = logging.getLogger(__name__)


class Room:
    """What serves one session.

    Attributes:
        manager: Serves its requests.
        busy: Number of requests being served.
        used: When the last one came or went.
        closing: Set when the room is to close.
    """

    def __init__(self, server: SessionServer) -> None:
        self.manager = StreamableHTTPSessionManager(server)
        self.busy = 0
        self.used = time.monotonic()
        self.closing = anyio.Event()

    async def run(self, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        """Be open until `closing` is set."""
        async with self.manager.run():
            task_status.started()
            await self.closing.wait()


class Rooms:
    """Opens rooms by the names of sessions, and closes those without a visitor.

    Args:
        player: Plays the sessions.
        idle_seconds: How long a room without requests stays open.
    """

    def __init__(self, player: Player, idle_seconds: float = IDLE_SECONDS) -> None:
        self._player = player
        self._idle_seconds = idle_seconds
        self._rooms: dict[str, Room] = {}
        self._opening = anyio.Lock()
        self._tasks: anyio.abc.TaskGroup | None = None

    @contextlib.asynccontextmanager
    async def run(self, app: Starlette) -> AsyncIterator[None]:
        """Be open for as long as the application is."""
        async with anyio.create_task_group() as self._tasks:
            self._tasks.start_soon(self._tidy)
            yield
            self._tasks.cancel_scope.cancel()

    async def _tidy(self) -> None:
        while True:
            await anyio.sleep(self._idle_seconds / 4)
            for name, room in list(self._rooms.items()):
                if not room.busy and room.used < time.monotonic() - self._idle_seconds:
                    del self._rooms[name]
                    room.closing.set()
                    # Done before the session is opened again: the player does one thing after the other.
                    await self._player.do(partial(self._player.desk.close_session, name))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request for `/mcp/{name}`."""
        name = scope["path_params"]["name"]
        try:
            room = await self._room(name)
        except NoEpisode as error:
            await refusal(404, str(error))(scope, receive, send)
            return
        except PlanBenchError as error:
            log.error("Session %r can't be opened: %s", name, error)
            await refusal(500, "This session can't be opened; the server's log says why.")(scope, receive, send)
            return
        try:
            await room.manager.handle_request(scope, receive, send)
        finally:
            room.busy -= 1
            room.used = time.monotonic()

    async def _room(self, name: str) -> Room:
        """Return the room of a session, with one request more."""
        room = self._rooms.get(name)
        if room is None:
            async with self._opening:
                room = self._rooms.get(name) or await self._open(name)
        room.busy += 1
        return room

    async def _open(self, name: str) -> Room:
        assert self._tasks is not None
        room = Room(SessionServer(await self._player.open(name), self._player))
        await self._tasks.start(lambda *, task_status: room.run(task_status=task_status))
        self._rooms[name] = room
        return room


class Gate:
    """Lets in requests that name an allowed host and, if there is a token, bring it.

    Args:
        app: What is behind it.
        token: The token; empty for none.
        hosts: Names under which the server may be asked for, beside those of this machine.
    """

    def __init__(self, app: ASGIApp, token: str, hosts: Sequence[str]) -> None:
        names = [*LOOPBACK, *hosts]
        self._app = app
        self._expected = f"Bearer {token}".encode() if token else b""
        self._security = TransportSecurityMiddleware(
            TransportSecuritySettings(
                allowed_hosts=[form for name in names for form in (name, f"{name}:*")],
                allowed_origins=[f"{scheme}://{name}{port}" for name in names for scheme in ("http", "https")
                                 for port in ("", ":*")],
            )
        )  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, or refuse it before anything else sees it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refused = await self._security.validate_request(request, is_post=request.method == "POST")
        if refused is None and not self._knows(request.headers.get("authorization", "")):
            refused = refusal(401, f"Send the bearer token that the server has in {TOKEN}.")
            refused.headers["WWW-Authenticate"] = "Bearer"
        await (refused or self._app)(scope, receive, send)

    def _knows(self, authorization: str) -> bool:
        return not self._expected or hmac.compare_digest(authorization.encode("latin-1"), self._expected)


def refusal(status: int, message: str) -> Response:
    """Return the response to a request that isn't served."""
    code = INTERNAL_ERROR if status >= 500 else INVALID_REQUEST
    error = JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=code, message=message))
    return Response(error.model_dump_json(exclude_unset=True), status, media_type="application/json")


async def _unnamed(request: Request) -> Response:
    return refusal(404, "Name a session in the path, as in /mcp/mine: the same name leads back to the same episode.")


def make_app(player: Player, token: str = "", hosts: Sequence[str] = (), idle_seconds: float = IDLE_SECONDS) -> Gate:
    """Return the ASGI application that serves a desk's sessions."""
    rooms = Rooms(player, idle_seconds)
    routes = [Route("/mcp/{name}", rooms), Route("/mcp", _unnamed, methods=["GET", "POST", "DELETE"])]
    return Gate(Starlette(routes=routes, lifespan=rooms.run), token, hosts)


def check_address(host: str, token: str) -> None:
    """Refuse to serve others than this machine without a token.

    Raises:
        UsageError: The address is open to others, and there is no token.
    """
    if not token and not _is_loopback(host):
        raise UsageError(
            f"--host {host} lets others in, so a token is needed: set the environment variable {TOKEN} to a long "
            "random text, and give it to the clients as a bearer token."
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def serve_http(
    desk: Desk, host: str, port: int, *, token: str, hosts: Sequence[str], ready: Callable[[str], None]
) -> None:
    """Serve the sessions of a desk until a signal ends us.

    Args:
        desk: The desk; it is closed at the end.
        host: Address to listen at.
        port: Port; 0 for any that is free.
        token: Bearer token that clients must send; empty for none.
        hosts: Names under which clients may ask for this machine, beside its own.
        ready: Called with the address of the sessions, once clients can connect.

    Raises:
        UsageError: The address can't be used.
    """
    player = Player(desk)
    try:
        check_address(host, token)
        listener = _listen(host, port)
        shown = f"[{host}]" if ":" in host else host
        app = make_app(player, token, [shown, *hosts])
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=GRACE_SECONDS)
        # uvicorn raises a signal again once it has ended in good order; that is all there is to do then.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        with listener:
            ready(f"http://{shown}:{listener.getsockname()[1]}/mcp/")
            asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
    finally:
        player.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=1024)
    except OSError as error:
        raise UsageError(
            f"The server can't listen at {host}, port {port} ({error.strerror}). Choose others."
        ) from error
