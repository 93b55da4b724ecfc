"""Serves a page's folder to the browser of the same machine: read-only, nothing outside the folder, no listing."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from planbench_xl.errors import UsageError
from planbench_xl.report.page.writing import INDEX

TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".pdf": "application/pdf",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".md": "text/plain; charset=utf-8",
    ".tex": "text/plain; charset=utf-8",
}
"""Sorts of file that a report holds; nothing else is served."""

HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}

LOCAL = "localhost"


class PageServer(ThreadingHTTPServer):
    """A server of one folder. Call `serve_forever`; `url` is where the page is.

    Args:
        folder: The page's folder.
        host: Address to listen on.
        port: Port to listen on; 0 for any that is free.
        anywhere: Allow an address that other machines can reach. The page holds all that the models wrote, for anyone.

    Raises:
        UsageError: Other machines could reach the address, or it can't be listened on.
    """

    daemon_threads = True

    def __init__(self, folder: str | Path, host: str = "127.0.0.1", port: int = 0, *, anywhere: bool = False) -> None:
        self.folder = Path(folder).resolve()
        self.anywhere = anywhere
        if not anywhere and not is_loopback(host):
            raise UsageError(
                f"Other machines could read the page at '{host}'. Use 127.0.0.1, or allow it with --allow-remote."
            )
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            raise UsageError(f"{host}:{port} can't be listened on ({error}). Choose another --port.") from error

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://{self.server_address[0]!s}:{self.server_address[1]}/"

    def find(self, target: str) -> Path | None:
        """Return the file that a request's target names; None if there is none to be served."""
        path = unquote(urlsplit(target).path)
        if "\0" in path or "\\" in path:
            return None
        file = (self.folder / (path.lstrip("/") or INDEX)).resolve()
        inside = file.is_relative_to(self.folder) and not any(
            part.startswith(".") for part in file.relative_to(self.folder).parts
        )
        return file if inside and file.suffix in TYPES and file.is_file() else None

    def is_known(self, host: str) -> bool:
        """Whether a request's `Host` is one we go by: a foreign name that leads here is another site's doing."""
        return self.anywhere or is_loopback(urlsplit(f"//{host}").hostname or "")


def is_loopback(host: str) -> bool:
    """Whether an address reaches no other machine."""
    try:
        return host == LOCAL or ip_address(host).is_loopback
    except ValueError:
        return False


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version = "planbench-xl"
    sys_version = ""
    timeout = 30

    def do_GET(self) -> None:
        """Answer with a file of the folder."""
        if not self.server.is_known(self.headers.get("Host", "")):
            self.send_error(HTTPStatus.FORBIDDEN)
            return
        file = self.server.find(self.path)
        if file is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        body = file.read_bytes()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", TYPES[file.suffix])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        """Add the headers that every answer has."""
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: requests are the page's own."""
