"""The recipes of docs/clients.md, each run with its SDK against a server of recorded responses.

A case has the path that the SDK asks, and the response or the events of a stream. What is sent is
what pdl would send to the family, with what the recipe adds and removes.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from doc_blocks import ROOT, blocks
from models.hostile import Hostile, respond, stream

import pdl

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
COMMON, *SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
CASES = ROOT / "tests" / "cases" / "clients"
RECIPES = {re.sub(r"\W+", "-", section.partition("\n")[0].lower()): section for section in SECTIONS}
KEY = "key-0123456789"
ERROR = {"error": {"message": "The key is wrong", "type": "authentication_error", "code": 401}}
"""What most providers answer; a case may have another one."""


def served(case: dict[str, Any], status: str = "200 OK") -> Hostile:
    """A server that returns one response to all, after the token of an account of Google."""
    token = {"access_token": KEY, "expires_in": 3600, "token_type": "Bearer"}
    first = [respond("200 OK", json.dumps(token))] if of_google(case) else []
    if status != "200 OK":
        return Hostile((*first, respond(status, json.dumps(case.get("error", ERROR)))))
    if "events" in case:
        data = [*map(json.dumps, case["events"]), "[DONE]"]
        return Hostile((*first, stream(*(f"data: {one}\n\n" for one in data))))
    return Hostile((*first, respond("200 OK", json.dumps(case["response"]))))


def of_google(case: dict[str, Any]) -> bool:
    return str(case["package"]).startswith("google")


def settings(base: str, folder: Path) -> dict[str, str]:
    """The environment, in which SDKs find their server and their keys."""
    url = base.removesuffix("/v1")
    found = {
        **dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AZURE_OPENAI_API_KEY"), KEY),
        "OPENAI_BASE_URL": base,
        "OPENAI_API_VERSION": "2024-10-21",
        "AZURE_OPENAI_ENDPOINT": url,
        "ANTHROPIC_BASE_URL": url,
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url,
        "AWS_ACCESS_KEY_ID": "AKIA",
        "AWS_SECRET_ACCESS_KEY": KEY,
        "AWS_DEFAULT_REGION": "us-east-1",
        "GOOGLE_VERTEX_BASE_URL": url,
        "GOOGLE_APPLICATION_CREDENTIALS": str(folder / "account.json"),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # else it is downloaded
        "NO_PROXY": "127.0.0.1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]),
    }
    return {**{k: v for k, v in os.environ.items() if k.lower() not in _PROXIES}, **found}


_PROXIES = {"http_proxy", "https_proxy", "all_proxy"}


def write_account(path: Path, url: str) -> None:
    """An account of Google with a new key, whose tokens come from the server."""
    from cryptography.hazmat.primitives.asymmetric import rsa  # type: ignore[import-not-found, unused-ignore]  # noqa: I001, PLC0415
    from cryptography.hazmat.primitives import serialization as form  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415

    made = rsa.generate_private_key(65537, 2048)
    key = made.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
    account = {
        "type": "service_account",
        "project_id": "PROJECT",
        "private_key_id": "1",
        "private_key": key.decode(),
        "client_email": "tests@example.org",
        "token_uri": f"{url}/token",
    }
    path.write_text(json.dumps(account), encoding="utf-8")


def run(
    name: str, case: dict[str, Any], url: str, folder: Path
) -> tuple[subprocess.CompletedProcess[str], str]:
    """Run a recipe as a program of its own; also what the page says that it prints."""
    first, second, code, shown = (
        block for block in blocks(COMMON + RECIPES[name]) if block.language != "output"
    )
    assert first.file is not None
    (folder / first.file).write_text(first.text, encoding="utf-8")
    (folder / "recipe.py").write_text(f"{second.text}\n{code.text}", encoding="utf-8")
    if of_google(case):
        write_account(folder / "account.json", url)
    done = subprocess.run(
        [sys.executable, "recipe.py"],
        cwd=folder,
        env=settings(url, folder),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done, shown.text


def case_of(name: str) -> dict[str, Any]:
    """A recorded case. The test is skipped if its SDK is not installed."""
    case: dict[str, Any] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    package = case["package"]
    try:
        found = importlib.util.find_spec(package)
    except ModuleNotFoundError:  # its parent
        found = None
    if found is None:
        pytest.skip(f"{package} is not installed")
    return case


def test_each_recipe_has_a_case() -> None:
    assert {path.stem for path in CASES.glob("*.json")} == RECIPES.keys()


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe(name: str, tmp_path: Path) -> None:
    """It prints what the page shows, and sends what pdl would send."""
    case = case_of(name)
    with served(case) as server:
        done, shown = run(name, case, server.url, tmp_path)
    assert done.stdout == shown, done.stderr
    [sent] = server.received[of_google(case) :]
    assert sent.path == case["path"]
    assert any(KEY in value or "Signature=" in value for value in sent.headers.values())
    rendered = pdl.load(tmp_path / "trip.pdl").render(text="From Lima to Cusco")
    wanted = {**rendered.to(case["family"], "MODEL"), **case.get("added", {})}
    removed = case.get("removed", ())
    assert sent.body == {key: one for key, one in wanted.items() if key not in removed}


@pytest.mark.parametrize("name", [name for name in RECIPES if name != "without-ask"])
def test_a_recipe_with_a_wrong_key(name: str, tmp_path: Path) -> None:
    """An error of each SDK is a fault of the same kind as without the SDK, and is not retried."""
    case = case_of(name)
    with served(case, "401 Unauthorized") as server:
        done, _ = run(name, case, server.url, tmp_path)
    assert done.returncode == 1
    assert "auth: the server answered with status 401" in done.stderr
    assert "The key is wrong" in done.stderr
    assert len(server.received[of_google(case) :]) == 1
