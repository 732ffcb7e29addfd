"""From a model's name to the model; what is wrong is told before anything is sent."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from models.conftest import KEY

import pdl
from pdl.errors import ConfigError, FileError
from pdl.models import Model, Reply, Request, connect
from pdl.models.callables import model_of
from pdl.models.payloads import FAMILIES
from pdl.models.remote import RemoteModel

if TYPE_CHECKING:
    from pathlib import Path

HERE = "http://127.0.0.1:8080/v1"


@pytest.mark.parametrize("scheme", FAMILIES)
def test_families(scheme: str) -> None:
    model = connect(f"{scheme}:some/model:7b", base_url=f"{HERE}/", key=KEY)
    assert isinstance(model, Model)
    assert model.name == f"{scheme}:some/model:7b"
    assert KEY not in repr(model)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("opnai:gpt-5", "unknown provider `opnai:`\n  hint: did you mean `openai`?"),
        ("xyz:gpt-5", "unknown provider `xyz:`\n  hint: expected one of `anthropic:`, "),
        (
            "tiny.gguf",
            "`tiny.gguf` does not name a provider\n  hint: write `llama:tiny.gguf`",
        ),
        ("C:/m/T.GGUF", "`C:/m/T.GGUF` does not name a provider\n  hint: write `llama:C:/m/"),
        ("said.jsonl", "`said.jsonl` does not name a provider\n  hint: write `replay:said"),
        ("gpt-5", "`gpt-5` does not name a provider\n  hint: write `openai:gpt-5`"),
        ("openai:", "`openai:` has no model after the colon"),
        ("", "`` does not name a provider"),
    ],
)
def test_names(name: str, text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        connect(name)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize(
    "url",
    [
        "127.0.0.1:8080", "ftp://host/v1", "http://", "https://:443/", "http://host:99999999",
        "http://[::1", "http:// h", "http://h\x00/v1", "http://h/v\n1", "http://h/\x1b[2J",
        "http://user:pw@host/v1", "http://host/v1?key=1", "http://host/v1#x", "",
    ],
)  # fmt: skip
def test_addresses(url: str) -> None:
    with pytest.raises(ConfigError, match="base URL") as caught:
        connect("openai:x", base_url=url, key=KEY)
    assert "pw" not in str(caught.value)


def test_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key comes from an argument or the provider's variable; only the provider must have one."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match="set the environment variable OPENAI_API_KEY"):
        connect("openai:x")
    connect("openai:x", base_url=HERE)
    connect("ollama:x")
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    assert KEY not in repr(connect("openai:x"))
    for bad in ("sk-\u00e9", "sk-a\nb", "sk-\x00"):
        with pytest.raises(ConfigError, match="the key contains characters") as caught:
            connect("openai:x", key=bad)
        assert bad not in str(caught.value)


PROVIDERS = {
    "openai": "https://api.openai.com",
    "openai-responses": "https://api.openai.com",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
}


@pytest.mark.parametrize("scheme", FAMILIES)
def test_whose_key_goes_where(scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider's goes to the provider's own address alone, any other has one of its own."""
    api = FAMILIES[scheme]
    monkeypatch.setenv(api.key_variable, "sk-provider")
    monkeypatch.delenv("PDL_API_KEY", raising=False)
    own = api.base_url
    assert own.startswith(f"{PROVIDERS.get(scheme, 'http://127.0.0.1:')}")
    assert key_of(scheme) == key_of(scheme, own) == key_of(scheme, f"{own}/") == "sk-provider"
    host = own.partition("://")[2].partition("/")[0]
    name = host.partition(":")[0]
    for other in ("https://example.org/v1", f"https://{name}.example.org/", f"http://{name}:81/v1"):
        assert key_of(scheme, other) == ""
    monkeypatch.setenv("PDL_API_KEY", "sk-other")
    assert key_of(scheme, "https://example.org/v1") == "sk-other"
    assert key_of(scheme) == "sk-provider"


def key_of(scheme: str, base_url: str | None = None) -> str:
    model = connect(f"{scheme}:x", base_url=base_url)
    assert isinstance(model, RemoteModel)
    return model.key.text


def test_other_servers_that_speak_like_openai_get_settings_by_their_usual_names() -> None:
    request = Request(pdl.loads("<|user|>\nHi").render().messages, config={"max_tokens": 7})
    own, other = connect("openai:x", key=KEY), connect("openai:x", base_url=HERE, key=KEY)
    assert isinstance(own, RemoteModel)
    assert isinstance(other, RemoteModel)
    assert own.api.payload(request, "x").body["max_completion_tokens"] == 7
    assert other.api.payload(request, "x").body["max_tokens"] == 7


def test_a_key_stays_here() -> None:
    """A model can be copied, but not be stored together with its key."""
    model = connect("openai:x", key=KEY)
    assert copy.deepcopy(model) == model
    with pytest.raises(TypeError, match="a key must not be stored"):
        pickle.dumps(model)


def test_what_a_model_is() -> None:
    assert model_of(lambda _: Reply("x")).name == "function:<lambda>"
    assert model_of(connect("openai:x", key=KEY)).name == "openai:x"
    with pytest.raises(TypeError, match="model must be"):
        model_of(None)


def test_replay(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"text": "hi"}\n', encoding="utf-8")
    assert connect(f"replay:{path}").name == f"replay:{path}"
    with pytest.raises(FileError, match="no such file"):
        connect(f"replay:{tmp_path / 'none'}")
    with pytest.raises(ConfigError, match="have no base URL"):
        connect(f"replay:{path}", base_url=HERE)


def test_llama(tmp_path: Path) -> None:
    """A file in this process; a server of llama.cpp has a scheme of its own."""
    path = tmp_path / "no.gguf"
    path.write_bytes(b"something else")
    with pytest.raises(FileError, match=re.escape(str(path))):
        connect(f"llama:{path}")
    with pytest.raises(ConfigError, match="use `llama-server:` for a llama"):
        connect("llama:any", base_url=HERE)


def test_without_httpx() -> None:
    """Where httpx lacks, a replay still works, and a provider's model says what is to be done."""
    program = """
import sys
sys.modules["httpx"] = None
from pdl.errors import ConfigError
from pdl.models import connect
try:
    connect("openai:x", key="k")
except ConfigError as error:
    print(error)
"""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "needs httpx, which is not installed\n" in done.stdout
    assert "  hint: pip install 'pdl-prompts[run]'\n" in done.stdout


def test_what_is_imported() -> None:
    """Asking a function loads neither httpx nor sqlite3 nor OpenTelemetry."""
    program = """
import sys, pdl
from pdl.models import ask
rendered = pdl.loads("<|user|>\\nhi\\n<|schema|>\\nint\\n").render()
assert ask(rendered, lambda messages: "7").value == 7
print(sorted({"httpx", "sqlite3", "opentelemetry", "jsonschema"} & set(sys.modules)))
"""
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
