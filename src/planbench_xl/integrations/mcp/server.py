"""An MCP server for one session: the query as instructions and prompt, functions as tools."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from mcp.server import Server, ServerRequestContext
from mcp.server.lowlevel import NotificationOptions
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptMessage,
    TextContent,
    Tool,
    ToolListChangedNotification,
)
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from planbench_xl import __version__
from planbench_xl.errors import PlanBenchError
from planbench_xl.integrations.mcp.desk import Desk
from planbench_xl.integrations.mcp.session import Exchange, Session

NAME = "planbench-xl"
PROMPTS = {
    "query": "The rules and the request.",
    "transcript": "The rules, the request, and all calls so far with what came of them: to go on after a break.",
}

log = logging.getLogger(__name__)
T = TypeVar("T")
Context = ServerRequestContext[Any, Any]


class Player:
    """Does what a desk's sessions are asked for in one thread: one thing after the other, the event loop stays free.

    Args:
        desk: The desk.
    """

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="planbench-xl")

    async def do(self, work: Callable[[], T]) -> T:
        """Return what some work on the desk or a session gives.

        Raises:
            MCPError: It failed. The client learns no more than that; the log says why.
        """
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except PlanBenchError as error:
            log.error("%s", error)
        except Exception:
            log.exception("A request failed")
        raise MCPError(INTERNAL_ERROR, "The server failed; nothing was done. Its log says why.")

    async def open(self, name: str) -> Session:
        """Return a session by name.

        Raises:
            PlanBenchError: As `Desk.open`.
        """
        return await asyncio.get_running_loop().run_in_executor(self._thread, self.desk.open, name)

    def close(self) -> None:
        """End after the work at hand, and close the desk."""
        self._thread.shutdown(cancel_futures=True)
        self.desk.close()


class SessionServer(Server[Any]):
    """The MCP server of a session. Any number of connections may use it, at once or one after the other.

    Args:
        session: The session.
        player: Does what it is asked for.
    """

    def __init__(self, session: Session, player: Player) -> None:
        self._session = session
        self._player = player
        self._bus = InMemorySubscriptionBus()
        super().__init__(
            NAME,
            version=__version__,
            instructions=session.opening,
            # Tools that clients call are checked by the game; there is no schema to check headers against.
            get_tool_input_schema=lambda name: None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_subscriptions_listen=ListenHandler(self._bus) if session.dynamic else None,
        )

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return the options of a connection: they say whether the list of tools may change."""
        options = notification_options or NotificationOptions(tools_changed=self._session.dynamic)
        return super().create_initialization_options(options, experimental_capabilities, extensions)

    async def _list_tools(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        functions = await self._player.do(self._session.functions)
        return ListToolsResult(
            tools=[Tool(name=f.name, description=f.description, input_schema=f.parameters) for f in functions]
        )

    async def _call_tool(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        outcome = await self._player.do(lambda: self._session.call(params.name, params.arguments))
        if outcome.list_changed:
            if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
                # In the stream that carries the result: the client knows of the tools before it reads their names.
                await context.session.send_notification(ToolListChangedNotification(), context.request_id)
            # Later versions subscribe.
            await self._bus.publish(ToolsListChanged())
        return CallToolResult(content=[_text(outcome.text)], is_error=outcome.is_error)

    async def _list_prompts(self, context: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(prompts=[Prompt(name=name, description=text) for name, text in PROMPTS.items()])

    async def _get_prompt(self, context: Context, params: GetPromptRequestParams) -> GetPromptResult:
        if params.name not in PROMPTS:
            raise MCPError(INVALID_PARAMS, f"There is no such prompt. Known: {', '.join(PROMPTS)}.")
        messages = [PromptMessage(role="user", content=_text(self._session.opening))]
        if params.name == "transcript":
            exchanges = await self._player.do(lambda: list(self._session.exchanges))
            messages += [message for exchange in exchanges for message in _messages(exchange)]
        return GetPromptResult(description=PROMPTS[params.name], messages=messages)


def _messages(exchange: Exchange) -> list[PromptMessage]:
    return [
        PromptMessage(role="assistant", content=_text(exchange.call)),
        PromptMessage(role="user", content=_text(exchange.text)),
    ]


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)
