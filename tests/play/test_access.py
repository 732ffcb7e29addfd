"""Who the server answers: only its own page, with the token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from pdl.play.access import BODY_BYTES, Access
from pdl.play.server import Desk, application

if TYPE_CHECKING:
    from pathlib import Path

PORT = 8765
HOST = f"127.0.0.1:{PORT}"
ACCESS = Access(PORT)
OURS = {"x-pdl-token": ACCESS.token, "origin": f"http://{HOST}"}


def client(**desk: Any) -> TestClient:
    return TestClient(application(Desk(ACCESS, **desk)), base_url=f"http://{HOST}")


def test_the_page_is_answered() -> None:
    answer = client().post("/api/hello", json={}, headers=OURS)
    assert answer.status_code == 200
    assert answer.json()["root"] == "scratch"


@pytest.mark.parametrize(
    ("headers", "why"),
    [
        ({"x-pdl-token": ""}, "token"),
        ({"x-pdl-token": ACCESS.token[:-1]}, "token"),
        ({"x-pdl-token": "é"}, "token"),
        ({"host": "evil.example"}, "127.0.0.1 and localhost only"),
        ({"host": "127.0.0.1"}, "127.0.0.1 and localhost only"),
        ({"host": f"127.0.0.1:{PORT + 1}"}, "127.0.0.1 and localhost only"),
        ({"host": f"{HOST}.evil.example"}, "127.0.0.1 and localhost only"),
        ({"origin": "http://evil.example"}, "own page only"),
        ({"origin": "null"}, "own page only"),
        ({"origin": f"https://{HOST}"}, "own page only"),
        ({"origin": f"http://localhost:{PORT}"}, "own page only"),
        ({"origin": f"http://127.0.0.1:{PORT + 1}"}, "own page only"),
    ],
)
def test_others_are_refused(headers: dict[str, str], why: str) -> None:
    sent = [(one.encode(), value.encode()) for one, value in {**OURS, **headers}.items()]
    answer = client().post("/api/hello", json={}, headers=sent)
    assert answer.status_code == (401 if why == "token" else 403)
    assert why in answer.json()["error"]["message"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.1:80"])
def test_browsers_leave_out_the_port_80(host: str) -> None:
    access = Access(80, ACCESS.token)
    sent = {**OURS, "host": host, "origin": f"http://{host}"}
    page = TestClient(application(Desk(access)), base_url=f"http://{host}")
    assert page.post("/api/hello", json={}, headers=sent).status_code == 200
    assert page.post("/api/hello", json={}, headers={**sent, "host": HOST}).status_code == 403


def test_without_a_token_nothing_is_answered() -> None:
    assert client().post("/api/hello", json={}).status_code == 401


def test_two_hosts_are_refused() -> None:
    sent = [("host", HOST), ("host", "evil.example"), ("x-pdl-token", ACCESS.token)]
    assert client().post("/api/hello", json={}, headers=sent).status_code == 403


def test_the_page_itself_needs_the_host_only(tmp_path: Path) -> None:
    """Its address brings the token to the page, not to the server."""
    tmp_path.joinpath("index.html").write_text("<p>")
    tmp_path.joinpath("main.js").write_text("")
    page = client(page=tmp_path)
    assert page.get("/").text == "<p>"
    assert page.get("/", headers={"host": "evil.example"}).status_code == 403


@pytest.mark.parametrize("way", ["%2e%2e/access.py", ".hidden.js", "..%5caccess.js", "x/%00.js"])
def test_the_page_has_no_other_files(tmp_path: Path, way: str) -> None:
    page = tmp_path / "page"
    page.mkdir()
    tmp_path.joinpath("access.py").write_text("secret")
    tmp_path.joinpath("access.js").write_text("secret")
    page.joinpath(".hidden.js").write_text("secret")
    assert client(page=page).get(f"/{way}").status_code == 404


def test_each_answer_tells_the_browser_what_is_allowed() -> None:
    for answer in (
        client().post("/api/hello", json={}, headers=OURS),
        client().post("/api/hello", json={}),
        client().get("/nothing.js"),
    ):
        told = answer.headers
        policy = told["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert "unsafe" not in policy
        assert "*" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "access-control-allow-origin" not in told
        assert told["cache-control"] == "no-store"
        assert told["x-content-type-options"] == "nosniff"
        assert told["referrer-policy"] == "no-referrer"
        assert told["cross-origin-opener-policy"] == "same-origin"
        assert told["cross-origin-resource-policy"] == "same-origin"


def test_a_preflight_is_not_answered() -> None:
    sent = {**OURS, "origin": "http://evil.example", "access-control-request-method": "POST"}
    answer = client().options("/api/hello", headers=sent)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_only_json_is_read(kind: str) -> None:
    """What a form of another page could send is refused before it is looked at."""
    sent = {**OURS, "content-type": kind}
    assert client().post("/api/hello", content=b"{}", headers=sent).status_code == 415


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_only_an_object_is_taken(body: bytes) -> None:
    sent = {**OURS, "content-type": "application/json"}
    assert client().post("/api/hello", content=body, headers=sent).status_code == 400


def test_a_large_request_is_refused() -> None:
    sent = {**OURS, "content-type": "application/json"}
    body = b'"' + b"a" * BODY_BYTES + b'"'
    assert client().post("/api/hello", content=body, headers=sent).status_code == 413


def test_only_methods_that_are_there_are_called() -> None:
    assert client().post("/api/__init__", json={}, headers=OURS).status_code == 404
    assert client().get("/api/hello", headers=OURS).status_code == 404
    assert client().put("/api/hello", json={}, headers=OURS).status_code == 405


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", {}),
        ("?token=wrong", {}),
        (f"?token={ACCESS.token}&token=", {}),
        (f"?token={ACCESS.token}", {"origin": "http://evil.example"}),
        (f"?token={ACCESS.token}", {"host": "evil.example"}),
    ],
    ids=[
        "no-token",
        "wrong-token",
        "two-tokens",
        "other-origin",
        "other-host",
    ],  # a token is random
)
def test_a_socket_is_refused_likewise(query: str, headers: dict[str, str]) -> None:
    sent = {"origin": OURS["origin"], **headers}
    with (
        pytest.raises(WebSocketDisconnect),
        client().websocket_connect(f"ws://{HOST}/language{query}", headers=sent),
    ):
        pass


def test_a_socket_says_where_it_comes_from() -> None:
    """Every browser does; without it, the page of another one could not be told from ours."""
    way = f"ws://{HOST}/language?token={ACCESS.token}"
    with pytest.raises(WebSocketDisconnect), client().websocket_connect(way):
        pass


def test_the_token_is_not_shown() -> None:
    assert ACCESS.token not in repr(ACCESS)
    assert len(ACCESS.token) >= 43
    assert Access(PORT).token != ACCESS.token
