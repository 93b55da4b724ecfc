"""The harness that the environment brings along: one call of the model for each turn, made in this process.

The library's `null` harness does the same in a program of its own, for which it first fetches packages, and which it
starts anew for each turn. This one works offline.
"""

from __future__ import annotations

import verifiers.v1 as vf
from openai import AsyncOpenAI
from verifiers.v1.dialects.chat import message_to_wire


class DirectHarness(vf.Harness[vf.HarnessConfig]):
    """Asks the model for one reply to the conversation so far."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Ask for one reply; the library, which stands between, records it."""
        system, prompt = self.resolve_prompt(data)
        messages = [vf.UserMessage(content=prompt)] if isinstance(prompt, str) else list(prompt or ())
        if system is not None:
            messages.insert(0, vf.SystemMessage(content=system))
        async with AsyncOpenAI(base_url=endpoint, api_key=secret) as client:
            await client.chat.completions.create(
                model=ctx.model, messages=[message_to_wire(message) for message in messages]
            )
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
