"""Episodes as MCP servers: one session is one episode (extra `planbench-xl[mcp]`).

`session` plays one episode, `desk` hands episodes out and stores them, `server` puts a session into MCP's words, and
`stdio` and `http` carry it. The first two know nothing of MCP.
"""
