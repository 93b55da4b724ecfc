"""Asks an endpoint for an embedding before the step that needs it, so that no other episode has to wait.

All episodes of an evaluation share one thread, and a step of the environment runs in it to its end. A retriever that
asks an endpoint would stop them all for as long as that takes. Its question is put in another thread instead; the step
then finds the answer in the cache of embeddings.
"""

from __future__ import annotations

import anyio.to_thread

from planbench_xl.environment import Action, Setting
from planbench_xl.environment.reading import ReadError, read_json
from planbench_xl.retrieval import RequestError, Retriever, normalise
from planbench_xl.retrieval.config import EMBEDDING
from planbench_xl.world import World


class Ahead:
    """What the steps of an evaluation will look up.

    Args:
        world: The world.
        setting: The setting.
        retriever: The retriever that the environments use.
    """

    def __init__(self, world: World, setting: Setting, retriever: Retriever) -> None:
        self._domain = world.domain
        self._free_text = setting.retrieval.free_text
        self._retriever = retriever
        self.needed = setting.retrieval.retriever in EMBEDDING and bool(setting.retrieval.endpoint)

    async def ask(self, action: Action) -> None:
        """Ask for what the step of an action will need.

        Raises:
            RetrieverError: The endpoint fails.
        """
        if not self.needed or action.kind != "retrieve":
            return
        try:
            request = normalise(read_json(action.body), self._domain, free_text=self._free_text)
        except (ReadError, RequestError):
            return
        # A time limit doesn't wait for the endpoint; what it answers too late is in the cache all the same.
        await anyio.to_thread.run_sync(self._retriever.retrieve, request, abandon_on_cancel=True)
