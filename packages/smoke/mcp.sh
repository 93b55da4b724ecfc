python - <<'P'
import asyncio

from mcp import Client, StdioServerParameters

command = StdioServerParameters(command="planbench-xl", args=["serve", "mcp", "--world", "mini", "--out", "served"])


async def main() -> None:
    async with Client(command) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {"retrieve_tools", "call_tool", "final_answer"}, names
        await client.call_tool("final_answer", {"answer": "I don't know"})


asyncio.run(main())
P
planbench-xl score served
