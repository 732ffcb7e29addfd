"""A template reads the data that it is given, and reaches and changes nothing else."""

from __future__ import annotations

import copy
from collections import ChainMap, Counter, OrderedDict, UserList, defaultdict, deque
from dataclasses import dataclass
from typing import Any

import pytest

import pdl

DEEP = "__init__.__globals__.os.environ.PDL_TEST_KEY"
REACHING = {
    "group_by": f'[cycler]|group_by(attribute="{DEEP}")',
    "filter": f'[cycler]|filter(attribute="{DEEP}", value="sk")',
    "map": f'[cycler]|map(attribute="{DEEP}")|list',
    "groupby": f'[cycler]|groupby(attribute="{DEEP}")',
    "sort": f'[cycler, cycler]|sort(attribute="{DEEP}")',
    "a field that begins with _": '[user]|group_by(attribute="_key")',
    "a field of a field": '[[user]]|group_by(attribute="0._key")',
    "a class": "bytes.__class__.__mro__",
    "a class by its name": 'bytes["__class__"]',
}


@dataclass
class User:
    name: str
    _key: str = "secret-field"


class Cart(list[int]):
    """A list with a method of the caller's own."""

    def total(self) -> int:
        return sum(self)


def render(text: str, **data: Any) -> str:
    return pdl.loads(f"<|user|>\n{text}\n").render(data).messages[0].text


@pytest.mark.parametrize("expression", REACHING.values(), ids=REACHING.keys())
def test_no_filter_reaches_into_python(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PDL_TEST_KEY", "sk-not-real")
    with pytest.raises(pdl.TemplateError, match="unsafe") as raised:
        render("{{ " + expression + " }}", user=User("Ann"), bytes=bytearray(b"a"))
    assert "secret-field" not in str(raised.value)
    assert "sk-not-real" not in str(raised.value)


def test_filters_with_paths_read_objects_and_lists() -> None:
    people = [User("Ann"), {"name": "Bob"}, User("Ann"), {"other": 1}]
    text = (
        "{% for name, found in people|group_by(attribute='name') %}{{ name }} {{ found|length }},"
    )
    assert render(text + "{% endfor %}", people=people) == "Ann 2,Bob 1,"
    assert render("{{ [[1, 2]]|filter(attribute='1', value=2)|length }}") == "1"
    assert render("{{ people|filter(attribute='name.upper.x')|length }}", people=people) == "0"


def test_json_of_a_dataclass_has_its_public_fields() -> None:
    assert render("{{ user|tojson }}", user=User("Ann")) == '{"name": "Ann"}'


@pytest.mark.parametrize(
    ("value", "change"),
    [
        (deque([1, 2]), "appendleft(3)"),
        (deque([1, 2]), "rotate(1)"),
        (deque([1, 2]), "extendleft([3])"),
        (Counter("aab"), "subtract({'a': 1})"),
        (OrderedDict(a=1, b=2), "move_to_end('a')"),
        (UserList([1]), "append(2)"),
        (defaultdict(list, a=[1]), "setdefault('b', 2)"),
        (bytearray(b"ab"), "extend([1])"),
        (Cart([1]), "append(2)"),
    ],
)
def test_no_method_changes_a_value(value: Any, change: str) -> None:
    before = copy.deepcopy(value)
    with pytest.raises(pdl.TemplateError, match="unsafe"):
        render("{{ value." + change + " }}", value=value)
    assert value == before


def test_reading_a_container_is_allowed_and_leaves_it_as_it_is() -> None:
    lists: Any = defaultdict(list)
    assert render("{{ v['new'] }}{{ v.other }}{{ v|length }}", v=lists) == "[][]0"
    assert not lists
    assert render("{{ v.most_common(1)[0][0] }}{{ v['none'] }}", v=Counter("aab")) == "a0"
    assert render("{{ v.maps|length }}", v=ChainMap({})) == "1"
    assert render("{{ v.total() }}", v=Cart([1, 2])) == "3"
    assert render("{{ v.decode() }}", v=bytearray(b"ab")) == "ab"
