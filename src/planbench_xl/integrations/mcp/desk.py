"""The desk hands out the episodes of a run to sessions by name, and stores those that end."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

import msgspec

from planbench_xl.environment import Environment, Setting
from planbench_xl.episodes.lines import Lines
from planbench_xl.episodes.store import EpisodeWriter, Key, iter_episodes, replace_file
from planbench_xl.errors import StoreError, UsageError
from planbench_xl.integrations.mcp.session import Session
from planbench_xl.protocols import NativeProtocol, load_prompts
from planbench_xl.runs.request import Request
from planbench_xl.runs.rollout import episode_seed, record
from planbench_xl.runs.run import begin, new_manifest
from planbench_xl.runs.worlds import open_world
from planbench_xl.world import World

SESSIONS = "sessions.jsonl"
JOURNAL = "journal"
LOCK_SECONDS = 5.0
"""How long to wait for another process to leave the folder: a client may start a server before its old one has gone."""

MAX_NAME = 200


class NoEpisode(UsageError):
    """There is no episode for a session."""


class Claim(msgspec.Struct, frozen=True):
    """A session by name, and the episode that it plays."""

    session: str
    query_id: str
    epoch: int


class Taken(msgspec.Struct, frozen=True):
    """A turn of an unfinished episode, as its `raw`."""

    raw: str


class Desk:
    """Keeps one run folder: `sessions.jsonl` says who plays what, `journal/` holds unfinished episodes.

    A session named as a query (`retail_query_001`, or `retail_query_001:1` for its second epoch) plays that one, any
    other the next that nobody plays. The same name always leads to the same episode. Use as a context manager; one
    thread at a time.

    Args:
        world: The world.
        request: What is asked for: queries, epochs, folder, prompts; `agent` is the name that the run records.
        setting: The setting.
        dynamic: Tools that were found become functions; else they are called through `call_tool`.
        restart: Give up unfinished episodes: their queries are handed out anew.

    Attributes:
        folder: The run folder.

    Raises:
        PlanBenchError: The folder can't be written or holds another run, or a choice makes no sense.
    """

    def __init__(
        self, world: World, request: Request, setting: Setting, *, dynamic: bool = False, restart: bool = False
    ) -> None:
        prompts = load_prompts(Path(request.prompts) if request.prompts is not None else None, "native")
        self._new_protocol: Callable[[], NativeProtocol] = lambda: NativeProtocol(
            prompts,
            tool_ids=setting.tool_ids,
            all_tools=setting.all_tools,
            free_text=setting.retrieval.free_text,
            mode="functions" if dynamic else "call_tool",
        )
        manifest = new_manifest(
            world,
            request.world,
            agent=request.agent,
            agent_seed=request.agent_seed,
            setting=setting,
            protocol=self._new_protocol().name,
            prompts=str(Path(request.prompts).resolve()) if request.prompts is not None else "",
            queries=request.chosen(world, setting.seed),
            epochs=request.epochs,
        )
        self.folder = request.folder(world, setting.name)
        self._environment = Environment(world, setting)
        self._agent_seed = request.agent_seed
        self._keys = manifest.keys
        self._sessions: dict[str, Session] = {}
        self._started: dict[Key, float] = {}
        self._claims = Lines(self.folder / SESSIONS, Claim)
        self._writer = _writer(self.folder)
        try:
            whole, heads = begin(self._writer, manifest, tuple(world.query), retry_errors=False)
            self._known = set(whole.keys)
            self._stored = set(heads)
            self._key_of = {claim.session: (claim.query_id, claim.epoch) for claim in self._claims.read()}
            if restart:
                self._give_up()
        except BaseException:
            self.close()
            raise

    def _give_up(self) -> None:
        for key in set(self._key_of.values()) - self._stored:
            self._journal(key).remove()
        self._key_of = {name: key for name, key in self._key_of.items() if key in self._stored}
        claims = (msgspec.json.encode(Claim(name, *key)) + b"\n" for name, key in self._key_of.items())
        replace_file(self.folder / SESSIONS, claims)

    def unnamed(self) -> str:
        """Return the name for a client that gives none and is alone: its unfinished session's, or a new one."""
        names = (f"unnamed-{number}" for number in count(1))
        return next(name for name in names if self._key_of.get(name) not in self._stored)

    def open(self, name: str) -> Session:
        """Return a session by name: begun, resumed, or over.

        Raises:
            NoEpisode: The name can't be used, or there is nothing left to play.
            StoreError: The folder failed.
        """
        session = self._sessions.get(name)
        if session is None:
            session = self._sessions[name] = self._open(self._key(name))
        return session

    def _open(self, key: Key) -> Session:
        journal = self._journal(key)
        stored = key in self._stored
        self._started[key] = time.perf_counter()
        session = Session(
            # The copy shares what is made once for a world (index, records, plans); `reset` gives it its own episode.
            copy.copy(self._environment),
            self._new_protocol(),
            key,
            keep=lambda raw: journal.add(Taken(raw)),
            finish=self._store,
            taken=self._recorded(key) if stored else [taken.raw for taken in journal.read()],
            stored=stored,
        )
        if session.over:
            # The process may have died between the last turn and the end.
            self._store(session)
        return session

    def _recorded(self, key: Key) -> list[str]:
        episode = next(episode for episode in iter_episodes(self.folder) if episode.key == key)
        return [turn.raw for turn in episode.turns]

    def close_session(self, name: str) -> None:
        """Free the memory of a session; it can be opened again."""
        self._sessions.pop(name, None)

    def _key(self, name: str) -> Key:
        """Return the episode of a session; a new session gets one."""
        if name in self._key_of:
            return self._key_of[name]
        if not 0 < len(name) <= MAX_NAME or not name.isprintable():
            raise NoEpisode(f"A session's name is a text of 1 to {MAX_NAME} printable characters.")
        key = self._named(name) or self._next()
        self._claims.add(Claim(name, *key))
        self._key_of[name] = key
        return key

    def _named(self, name: str) -> Key | None:
        """Return the episode that a name means by itself, if it does."""
        query, _, epoch = name.partition(":")
        key = (query, int(epoch) if epoch.isdecimal() and len(epoch) < MAX_NAME // 10 else 0)
        if key not in self._known or name not in (query, f"{query}:{key[1]}"):
            return None
        if key in self._stored or key in self._key_of.values():
            raise NoEpisode("This query is played by another session already. Choose another name.")
        return key

    def _next(self) -> Key:
        taken = {*self._stored, *self._key_of.values()}
        key = next((key for key in self._keys if key not in taken), None)
        if key is None:
            raise NoEpisode("No episode is left: all of this run are played, or being played by other sessions.")
        return key

    def _journal(self, key: Key) -> Lines[Taken]:
        return Lines(self.folder / JOURNAL / f"{quote(key[0], safe='')}#{key[1]}.jsonl", Taken)

    def _store(self, session: Session) -> None:
        """Store an episode that is over, once.

        Raises:
            StoreError: It can't be written; its journal stays.
        """
        key = session.key
        if key in self._stored:
            return
        seed = episode_seed(self._agent_seed, *key)
        seconds = time.perf_counter() - self._started[key]
        episode = record(session.environment, None, key[1], seed, session.protocol_name, seconds)
        self._writer.write([episode])
        self._stored.add(key)
        self._journal(key).remove()

    def status(self) -> str:
        """Say in a sentence how far the run is."""
        stored = sum(key in self._stored for key in self._keys)
        unfinished = len(set(self._key_of.values()) - self._stored)
        return f"{stored} of {len(self._keys)} episodes are stored in {self.folder}, {unfinished} are unfinished."

    def close(self) -> None:
        """Let others write the folder."""
        self._writer.close()

    def __enter__(self) -> Desk:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _writer(folder: Path) -> EpisodeWriter:
    """Open the folder for writing, as soon as another process that is about to end leaves it."""
    until = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            return EpisodeWriter(folder)
        except StoreError:
            if time.monotonic() >= until or not folder.is_dir():
                raise
            time.sleep(0.1)


def open_desk(request: Request, preset: str, *, dynamic: bool = False, restart: bool = False) -> Desk:
    """Return the desk for what a user asks for.

    Raises:
        PlanBenchError: As `Desk`, or there is no such world or setting.
    """
    setting = request.setting(preset)
    return Desk(open_world(request.world), request, setting, dynamic=dynamic, restart=restart)
