"""The server of a page, and `planbench-xl view`."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from planbench_xl.cli import main
from planbench_xl.errors import UsageError
from planbench_xl.report.page.serving import PageServer, is_loopback


@pytest.fixture
def server(folder: Path) -> Iterator[PageServer]:
    with PageServer(folder) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server: PageServer, target: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.request(method, target, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, dict(answer.getheaders()), body


def test_files(server: PageServer, folder: Path) -> None:
    status, headers, body = ask(server, "/")
    assert (status, body) == (200, (folder / "index.html").read_bytes())
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert ask(server, "/app/app.js?x=1#y")[:1] == (200,)
    assert ask(server, "/data/overview.js")[2].startswith(b'planbench("overview",')


OUTSIDE = (
    *("/../secret.html", "/%2e%2e/secret.html", "/app/..%2f../secret.html", "/..%5csecret.html", "//secret.html"),
    *("/.hidden.html", "/link.html", "/app", "/app/", "/data/", "/x.html", "/index.html%00", "/other.bin"),
)


@pytest.mark.parametrize("target", OUTSIDE)
def test_nothing_else(server: PageServer, folder: Path, target: str) -> None:
    secret = folder.parent / "secret.html"
    for path in (secret, folder / ".hidden.html", folder / "other.bin"):
        path.write_text("secret")
    link = folder / "link.html"
    link.unlink(missing_ok=True)
    link.symlink_to(secret)
    try:
        status, _, body = ask(server, target)
    finally:
        for name in ("link.html", ".hidden.html", "other.bin"):
            (folder / name).unlink()
    assert status == 404 and b"secret" not in body.replace(b"secret.html", b"")


def test_only_reading_and_only_by_a_local_name(server: PageServer) -> None:
    assert [ask(server, "/", method)[0] for method in ("POST", "PUT", "DELETE", "HEAD")] == [501] * 4
    assert ask(server, "/", Host="evil.example")[0] == 403
    assert ask(server, "/", Host="localhost:1")[0] == 200
    assert ask(server, "/", Host="[::1]:80")[0] == 200


def test_addresses(folder: Path) -> None:
    assert all(map(is_loopback, ("127.0.0.1", "localhost", "::1", "127.1.2.3")))
    assert not any(map(is_loopback, ("0.0.0.0", "", "::", "example.org", "10.0.0.1")))
    with pytest.raises(UsageError, match="--allow-remote"):
        PageServer(folder, "0.0.0.0")
    with PageServer(folder) as first, pytest.raises(UsageError, match="can't be listened on"):
        PageServer(folder, port=first.server_address[1])
    with PageServer(folder, "0.0.0.0", anywhere=True) as server:
        assert server.is_known("evil.example")


def test_view(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    served = []

    def serve(server: PageServer) -> None:
        served.append(server.folder)
        raise KeyboardInterrupt

    monkeypatch.setattr(PageServer, "serve_forever", serve)
    with pytest.raises(SystemExit) as ended:
        main(["view", str(folder), "--no-browser"])
    out, err = capsys.readouterr()
    assert (ended.value.code, served) == (0, [folder.resolve()])
    assert out.startswith("http://127.0.0.1:") and "Stopped" in err
    with pytest.raises(SystemExit) as ended:
        main(["view", str(folder), "--no-browser", "--host", "0.0.0.0"])
    assert ended.value.code == 2 and "--allow-remote" in capsys.readouterr().err


def test_view_of_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    from planbench_xl.runs.run import run

    run("mini", tmp_path / "run", agent="random", queries=["library_query_06"])
    found: list[Path] = []

    def serve(server: PageServer) -> None:
        found.extend(sorted(server.folder.glob("*")))
        raise KeyboardInterrupt

    monkeypatch.setattr(PageServer, "serve_forever", serve)
    with pytest.raises(SystemExit) as ended:
        main(["view", str(tmp_path / "run"), "--no-browser", "--json"])
    assert ended.value.code == 0 and '"url": "http://127.0.0.1:' in capsys.readouterr().out
    assert [path.name for path in found] == ["app", "data", "index.html"]
    assert not found[0].exists(), "the temporary folder is gone"
