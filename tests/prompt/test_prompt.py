"""Loading and rendering, as an app calls them."""

from __future__ import annotations

import copy
import json
import multiprocessing
import os
import threading
import zipfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import date
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

import pydantic
import pydantic.dataclasses
import pytest
from pydantic import AliasChoices, AliasPath
from pydantic.json_schema import SkipJsonSchema

import pdl
from pdl.limits import Limits
from pdl.schema import Absent  # noqa: TC001 - the annotations are evaluated

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable
    from pathlib import Path


def write(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_load_reads_a_path(tmp_path: Path) -> None:
    path = write(tmp_path, "hello.pdl", "<|user|>\nHello {{ name }}\n")
    for given in (path, str(path)):
        assert pdl.load(given).render(name="Ada").messages[0].text == "Hello Ada"


def test_load_reads_a_resource() -> None:
    """A prompt may live in an installed package."""
    prompt = pdl.load(files("pdl").joinpath("py.typed"), strict=False)
    assert prompt.source.text == ""


def test_data_is_a_mapping_and_keywords() -> None:
    prompt = pdl.loads("<|user|>\n{{ a }}{{ b }}{{ strict }}\n")
    assert prompt.render({"a": 1, "strict": 3, "b": 0}, b=2).messages[0].text == "123"


def test_variables_are_what_the_template_and_its_includes_read(tmp_path: Path) -> None:
    write(tmp_path, "part.jinja", "{{ inner }}{% set own = 1 %}{{ own }}")
    text = (
        "<|user|>\n{% for d in docs %}{{ d.title }}{{ loop.index }}{% endfor %}"
        "{% include 'part.jinja' %}{{ range(2) }}{% set_global n = 1 %}{{ n }}"
    )
    assert pdl.loads(text, base=tmp_path).variables == ("docs", "inner")


def test_the_schema_is_no_variable_of_a_prompt_that_has_one() -> None:
    assert pdl.loads("<|schema|>\nint\n<|user|>\n{{ schema }}").variables == ()
    assert pdl.loads("<|user|>\n{{ schema }}").variables == ("schema",)


def test_a_value_named_schema_wins_over_the_description() -> None:
    prompt = pdl.loads("<|schema|>\nint\n<|user|>\n{{ schema }}")
    assert prompt.render(schema="mine").messages[0].text == "mine"


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "a.pdl", "<|user|>\n\n{{ x }}\n")
    with pytest.raises(pdl.TemplateError) as raised:
        pdl.load(path).render()
    assert str(raised.value).startswith(f"{path}:3:4: `x` is undefined")


def test_a_missing_file_is_a_file_error(tmp_path: Path) -> None:
    for path in (tmp_path / "nothing.pdl", tmp_path):
        with pytest.raises(pdl.FileError, match="cannot be read"):
            pdl.load(path)


def test_bytes_that_are_not_utf8_have_a_place(tmp_path: Path) -> None:
    path = write(tmp_path, "a.pdl", b"<|user|>\nna\xefve\n")
    with pytest.raises(pdl.FileError) as raised:
        pdl.load(path)
    assert str(raised.value).startswith(f"{path}:2:3: this byte (0xef) is not UTF-8")


def test_rendering_twice_gives_the_same() -> None:
    prompt = pdl.loads("<|user|>\n{{ a }}\n<|schema|>\n{ a: int }\n")
    assert prompt.render(a=1) == prompt.render(a=1)


def test_media_root_widens_the_folder(tmp_path: Path) -> None:
    write(tmp_path, "media/dot.png", b"\x89PNG\r\n\x1a\n")
    path = write(tmp_path, "prompts/a.pdl", "<|user|>\n<|media(media/dot.png)|>\n")
    with pytest.raises(pdl.MediaError, match="was not found"):
        pdl.load(path).render()
    (message,) = pdl.load(path, media_root=tmp_path).render().messages
    assert message.parts == (pdl.Media("png", b"\x89PNG\r\n\x1a\n"),)


@pytest.mark.parametrize("text", ["<|media(link.png)|>", "{% include 'link.png' %}"])
def test_a_link_out_of_the_folder_is_refused(tmp_path: Path, text: str) -> None:
    outside = write(tmp_path, "secret.png", b"\x89PNG\r\n\x1a\n")
    folder = tmp_path / "prompts"
    folder.mkdir()
    (folder / "link.png").symlink_to(outside)
    with pytest.raises(pdl.PromptError, match="a link that points outside"):
        pdl.loads(f"<|user|>\n{text}\n", base=folder).render()


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    """Reading one would wait for a writer for ever."""
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(pdl.MediaError, match="was not found"):
        pdl.loads("<|user|>\n<|media(pipe.png)|>", base=tmp_path).render()


def test_media_may_not_be_larger_than_the_limit(tmp_path: Path) -> None:
    write(tmp_path, "dot.png", b"\x89PNG\r\n\x1a\n" + bytes(100))
    limits = Limits(media_bytes=50)
    for block in ("<|media(dot.png)|>", f"<|raw_media(png:{'A' * 100})|>"):
        with pytest.raises(pdl.MediaError, match=r"larger|more than"):
            pdl.loads(f"<|user|>\n{block}", base=tmp_path, limits=limits).render()


def test_text_alone_reads_no_files() -> None:
    for block in ("<|media(a.png)|>", "{% include 'a' %}", "<|schema|>\n@a.json"):
        with pytest.raises(pdl.PromptError, match="loaded from text"):
            pdl.loads(f"<|user|>\nHi\n{block}").render()


def test_a_schema_may_come_from_an_installed_package() -> None:
    text = (
        "<|schema|>\n@jsonschema_specifications:schemas/draft202012/metaschema.json\n<|user|>\nHi"
    )
    with pytest.raises(pdl.SchemaError):  # it refers to other documents, which are never fetched
        pdl.loads(text).render()


def test_renderings_of_one_prompt_share_nothing() -> None:
    """Each thread has its own budget, and the undefined names of one are not another's."""
    prompt = pdl.loads("<|user|>\n{% for i in range(300) %}{{ x }}{% endfor %}\n")
    outcomes: list[str] = []

    def render(name: str) -> None:
        for _ in range(20):
            try:
                outcomes.append(prompt.render({name: name}).messages[0].text[:1])
            except pdl.TemplateError as error:
                outcomes.append(error.problem.message)

    threads = [threading.Thread(target=render, args=(name,)) for name in "xyxy"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(set(outcomes)) == ["`x` is undefined", "x"]
    assert len(outcomes) == 80


def test_ten_megabytes_of_data_render() -> None:
    text = "<|assistant|>\n" * 100_000 + "x" * 9_000_000
    prompt = pdl.loads("<|system|>\n{{ a }}\n<|user|>\n{{ a }}\n")
    assert [message.text for message in prompt.render(a=text).messages] == [text, text]


def test_ten_megabytes_of_turns_render() -> None:
    prompt = pdl.loads("{% for t in ts %}\n<|user|>\n{{ t }}\n<|assistant|>\nok\n{% endfor %}")
    rendered = prompt.render(ts=["x" * 200] * 45_000, prefill=True)
    assert len(rendered.messages) == 90_000


def test_a_template_of_a_megabyte_loads() -> None:
    text = "<|user|>\n" + "Some words and a {{ name }} on every line.\n" * 20_000
    assert len(pdl.loads(text).render(name="x").messages[0].text) > 600_000


def test_a_prompt_goes_to_another_process(tmp_path: Path) -> None:
    """It is pickled as its source, with its folder, and compiled there."""
    write(tmp_path, "part.jinja", "Dear {{ name }},")
    prompt = pdl.loads("<|user|>\n{% include 'part.jinja' %}", base=tmp_path)
    values = [{"name": "Ada"}, {"name": "Bob"}]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        assert list(pool.map(prompt.render, values)) == [prompt.render(one) for one in values]


def test_a_prompt_of_a_zip_copies(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        archive.writestr("prompts/hello.pdl", "<|user|>\n{% include 'part.jinja' %}\n")
        archive.writestr("prompts/part.jinja", "Hello {{ name }}")
    root = cast("Traversable", zipfile.Path(tmp_path / "app.zip"))
    prompt = pdl.load(root.joinpath("prompts", "hello.pdl"))
    for again in (copy.deepcopy(prompt), copy.copy(prompt)):
        assert again.render(name="Ada").messages[0].text == "Hello Ada"


@pytest.mark.parametrize(
    ("value", "found"),
    [(object(), "an object"), (b"a", "bytes"), (1j, "a complex")],
)
def test_a_value_of_another_type_is_named(value: object, found: str) -> None:
    prompt = pdl.loads("<|input|>\n{ a: str }\n<|user|>\n{{ a }}\n")
    with pytest.raises(pdl.InputError) as caught:
        prompt.render(a=value)
    assert caught.value.problem.message.endswith(f", found {found}")


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("<|user|>\n{% include 'words' %}\n<|schema|>\nint", True),
        ("<|user|>\n{% if a %}{% include 'words' %}{% endif %}\n<|schema|>\nint", True),
        ("<|user|>\n{% include name %}\n<|schema|>\nint", False),
        ("<|user|>\n{% if a %}{% include name %}{% endif %}\n<|schema|>\nint", False),
        ("<|user|>\na\n{% include 'schema' %}", False),
        ("<|user|>\n{% if a %}a{% elif b %}b\n{% include 'schema' %}{% endif %}", False),
        ("<|user|>\n{% for a in b %}{% include 'twice' %}{% endfor %}", False),
        ("<|user|>\n{% include 'absent' %}\n<|schema|>\nint", False),
        ("<|user|>\na\n<|schema|>\n{% include 'words' %}int", False),
        ("<|user|>\n{% include 'itself' %}\n<|schema|>\nint", False),
    ],
)
def test_a_schema_is_known_without_values(text: str, *, known: bool, tmp_path: Path) -> None:
    """Parts that the file includes by name are looked into; they might have a schema."""
    for name, part in (
        ("words", "Be brief."),
        ("schema", "<|schema|>\nint"),
        ("twice", "{% include 'schema' %}"),
        ("itself", "{% include 'itself' %}"),
    ):
        (tmp_path / name).write_text(part, encoding="utf-8")
    template = pdl.loads(text, base=tmp_path).template
    assert template is not None
    assert template.constant_schema == (known, pdl.Schema.parse("int") if known else None)


@dataclass
class Given:
    text: str
    since: date | Absent = None
    nick: str | None = None
    inner: list[Given] | Absent = None


class Model(pydantic.BaseModel):
    text: str
    since: date | SkipJsonSchema[None] = None
    nick: str | None = None
    inner: list[Model] | SkipJsonSchema[None] = None


@dataclass
class Aliased:
    text: Unknown  # type: ignore[name-defined]  # noqa: F821 - a name that leads to nothing
    nick: str | None = None


GIVEN = """<|input|>
{ text: str, since?: date, nick?: str?, inner?: [Given] }
Given = { text: str, since?: date, nick?: str?, inner?: [Given] }
<|user|>
{{ text }} {{ since is defined }} {{ nick is none }} {{ inner | tojson }}"""


@pytest.mark.parametrize("cls", [Given, Model])
def test_values_may_be_an_instance(cls: Any) -> None:
    """A None that represents an absent key is not passed, at any depth."""
    prompt = pdl.loads(GIVEN)
    rendered = prompt.render(cls(text="a", inner=[cls(text="b", since=date(2024, 1, 2))]))
    inner = '[{"text": "b", "since": "2024-01-02", "nick": null}]'
    assert rendered.messages[0].text == f"a False True {inner}"
    assert prompt.render(cls(text="a", nick="c"), inner=[]).messages[0].text == "a False False []"


class Person(pydantic.BaseModel):
    """Whose keys in JSON Schema are not the names of its fields, nor those that it is dumped by."""

    full: str = pydantic.Field(alias="fullName")
    age: int = pydantic.Field(validation_alias="years", serialization_alias="lived")
    code: int = pydantic.Field(validation_alias=AliasChoices(AliasPath("c", 0), "id", "no"))
    since: date | SkipJsonSchema[None] = pydantic.Field(None, alias="hiredOn")

    @pydantic.computed_field  # type: ignore[prop-decorator]
    @property
    def initial(self) -> str:
        return self.full[:1]


class People(pydantic.RootModel[list[Person]]):
    """A list as a model."""


class Team(pydantic.BaseModel):
    lead: Person = pydantic.Field(alias="headedBy")
    others: tuple[Person, ...] = ()
    by_name: dict[str, Person] = pydantic.Field({}, alias="byName")
    past: People = People([])


@pydantic.dataclasses.dataclass
class Office:
    team: Team = pydantic.Field(alias="ofTeam")


PERSON = Person.model_validate({"fullName": "Ann", "years": 30, "id": 7})
PERSON_JSON = {"fullName": "Ann", "years": 30, "id": 7}
TEAM = Team.model_validate(
    {"headedBy": PERSON, "others": (PERSON,), "byName": {"a": PERSON}, "past": [PERSON]}
)
TEAM_JSON = {
    "headedBy": PERSON_JSON,
    "others": [PERSON_JSON],
    "byName": {"a": PERSON_JSON},
    "past": [PERSON_JSON],
}


ALIASED = """<|input|>
{{ it: {}, other?: Team }}
Team = {{ headedBy: Person, others: [Person], byName: {{ [str]: Person }}, past: [Person] }}
Person = {{ fullName: str, years: int, id: int, hiredOn?: date }}
<|user|>
{{{{ it | tojson }}}}"""


@pytest.mark.parametrize(
    ("form", "dsl", "value", "found"),
    [
        (Person, "Person", PERSON, PERSON_JSON),
        (list[Person], "[Person]", [PERSON], [PERSON_JSON]),
        (People, "[Person]", People([PERSON]), [PERSON_JSON]),
        (Team, "Team", TEAM, TEAM_JSON),
        (Office, "{ ofTeam: Team }", Office(ofTeam=TEAM), {"ofTeam": TEAM_JSON}),
    ],
)
def test_an_inner_instance_has_the_keys_of_its_schema(
    form: Any, dsl: str, value: Any, found: Any
) -> None:
    """Its aliases, without what it computes."""
    [message] = pdl.loads(ALIASED.format(dsl)).render({"it": value}).messages
    assert json.loads(message.text) == found
    assert pdl.check(pdl.Schema.from_type(form), message.text).ok


def test_an_instance_of_a_pydantic_dataclass_has_its_aliases() -> None:
    text = "<|input|>\n{ ofTeam: any }\n<|user|>\n{{ ofTeam.lead.full }}"
    assert pdl.loads(text).render(Office(ofTeam=TEAM)).messages[0].text == "Ann"


def test_an_instance_of_a_type_with_unknown_names_gives_all_its_values() -> None:
    text = "<|input|>\n{ text: str, nick?: str? }\n<|user|>\n{{ text }} {{ nick is none }}"
    assert pdl.loads(text).render(Aliased("a")).messages[0].text == "a True"


@pytest.mark.parametrize("given", [Given, 5, [("text", "a")], object()])
def test_values_that_are_neither_are_refused(given: Any) -> None:
    with pytest.raises(TypeError, match="the values must be a mapping"):
        pdl.loads(GIVEN).render(given)


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("<|input|>\n{ a: int }\n<|system|>\n{%- if a %}b{% endif %}\n", "media/unknown-block", 3),
        ("<|input|>\n{ a: int }\n<|system|>\n{{- a }}\n", "media/unknown-block", 3),
        ("<|input|>\n{ a: int }\n\n{% if a %}b{% endif %}\n", "input/text", 4),
        ("<|input|>\n{ a: int }  // &amp;\n{% set b = a %}\n{{ b }}\n", "input/text", 4),
    ],
)
def test_what_an_input_turn_prints_is_not_lost(text: str, code: str, line: int) -> None:
    prompt = pdl.loads(text + "<|user|>\nx")
    with pytest.raises(pdl.PromptError) as raised:
        prompt.render(a=1)
    assert [(one.code, one.location.line) for one in raised.value.problems if one.location] == [
        (code, line)
    ]
