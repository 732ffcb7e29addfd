"""What changed between two versions of a prompt."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, NamedTuple

import pytest
from effort import effort
from hypothesis import given, settings
from hypothesis import strategies as st
from shipped import PROMPTS
from snapshots import CASES, Snapshot

import pdl
from pdl.compare import compare_prompts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pdl.compare.verdicts import Change

FILES = sorted((CASES / "prompt_changes").glob("*.txt"))
JUDGED = frozenset({"schema", "inputs", "tools"})
MARKED = {"equal": "{}", "removed": "[-{}-]", "inserted": "{{+{}+}}"}


class Case(NamedTuple):
    """A case of a file: its title, and the texts of its parts: `old`, `new NAME`, `changes`."""

    title: str
    parts: dict[str, str]

    @staticmethod
    def all(text: str) -> Iterator[Case]:
        for one in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
            title, _, rest = one.partition("\n")
            parts = re.split(r"^--- (.*)\n", rest, flags=re.MULTILINE)[1:]
            yield Case(title, dict(zip(parts[::2], parts[1::2], strict=True)))

    def prompt(self, version: str, folder: Path) -> pdl.Prompt | None:
        """A version of the prompt, with its files: those of `both`, and those of its own."""
        base = folder / self.title.replace(" ", "-") / version
        base.mkdir(parents=True)
        for name, text in self.parts.items():
            which, _, file = name.partition(" ")
            if file and which in ("both", version):
                base.joinpath(file).write_text(text, encoding="utf-8")
        text = self.parts[version]
        strict = "lenient" not in self.title
        return pdl.loads(text, name=version, base=base, strict=strict) if text else None

    def written(self, folder: Path) -> str:
        """The case with the changes that were found."""
        found = compare_prompts(self.prompt("old", folder), self.prompt("new", folder))
        parts = {**self.parts, "changes": "".join(map(shown, found.changes)) or "(none)\n"}
        parts["changes"] = parts["changes"].replace(str(folder), "…").rstrip("\n") + "\n\n"
        inside = "".join(f"--- {name}\n{text}" for name, text in parts.items())
        return f"=== {self.title}\n{inside}"


def shown(change: Change) -> str:
    """A change as lines; what the comparison of schemas says is tested where that is."""
    is_judged = change.part in JUDGED and change.verdict and not change.words
    own = not is_judged or change.message.startswith("the `")
    facts = [change.message if own else "…", change.verdict or ""]
    facts += [f"breaks {', '.join(change.breaks)}"] if change.breaks else []
    places = [str(span) for span in (change.old_span, change.new_span) if span and own]
    words = "".join(MARKED[piece.kind].format(piece.text) for piece in change.words)
    indented = "".join(f"    {line}\n" for line in words.splitlines())
    where = f" ({', '.join(places)})" if places else ""
    name = f"{change.part} {change.path}".strip()
    return f"{name}: {'; '.join(filter(None, facts))}{where}\n{indented}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_cases(path: Path, tmp_path: Path, snapshot: Snapshot) -> None:
    cases = list(Case.all(path.read_text(encoding="utf-8")))
    assert len({case.title for case in cases}) == len(cases)
    snapshot.check(path, "".join(case.written(tmp_path) for case in cases))


def _mutations(text: str) -> Iterator[str]:
    """Texts that differ from a prompt in one way, which may render the same."""
    yield text.replace("{{ ", "{{").replace(" }}", "}}")
    yield re.sub(r"\{#[\s\S]*?#\}", "{# Another note. #}", text)
    yield text.replace("<|schema|>", "<|config|>\ntemperature: 0\n\n<|schema|>")
    yield text.replace("<|user|>", "<|assistant|>\nYes.\n\n<|user|>", 1)
    yield text.replace("int<", "int<0,1> | int<", 1)
    yield text.replace("include ", "include  ")
    yield text.replace("data_only", "no_file")
    yield text.replace(" | trim", "")
    yield text.replace("{% if", "{% if true and", 1)
    yield text.replace("\n\n", "\n\n\n")
    yield text.replace("str<1,", "str<2,", 1)
    yield text.replace(" the ", " a ", 3)
    for at in range(0, len(text), len(text) // 4):
        yield text[:at] + text[at + 20 :]


@pytest.mark.parametrize("path", PROMPTS, ids=lambda path: path.stem)
def test_a_prompt_has_changes_if_its_fingerprint_differs(path: Path) -> None:
    """Both directions, also of prompts with errors; the two texts of words are those of changes."""
    original = path.read_text(encoding="utf-8")
    prompt = pdl.load(path)
    for text in dict.fromkeys(_mutations(original)):
        try:
            other = pdl.loads(text, name="other", base=path.parent, strict=False)
        except pdl.LimitError:
            continue
        found = compare_prompts(prompt, other)
        assert bool(found.changes) == (prompt.fingerprint != other.fingerprint)
        assert set(found.breaks) == {one for each in found.changes for one in each.breaks}
        for change in found.changes:
            _check_words(change)


def _check_words(change: Change) -> None:
    if change.words:
        sides = (
            "".join(piece.text for piece in change.words if piece.kind != other)
            for other in ("inserted", "removed")
        )
        assert (change.old, change.new) == tuple(sides)


PIECES = st.sampled_from(
    [
        *("<|user|>\n", "<|assistant|>\n", "<|system|>\n", "<|schema|>\nint\n", "<|user|>\nA\n\n"),
        *("text\n", "{{ a }}\n", "{% if a %}\n", "{% endif %}\n", "{% else %}\n", "{# note #}\n"),
        *("{% set b = 1 %}\n", "{% for c in d %}", "{% endfor %}\n", "<|input|>\n{ a: str }\n\n"),
        *("<|config|>\nseed: 1\n", "<|reasoning|>\n", "<|media(a.png)|>", "{%- if b -%}", "<|"),
        *('{% include "part.txt" %}\n', "<|{{ role }}|>\n", "{% raw %}", "{% endraw %}", "\n", " "),
        *("<|tools|>\nf(a: int)\n", "{% macro m(x) %}", "{% endmacro %}\n", "{{ m(a) }}", "{{"),
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
BODIES = st.lists(PIECES.filter(lambda text: "<|" not in text), max_size=8).map("".join)


@given(TEXTS, TEXTS)
@settings(max_examples=100)
def test_laws(one: str, other: str) -> None:
    """Of any texts: nothing is told of equal ones, and something of those that differ."""
    old, new = (pdl.loads(text, strict=False) for text in (one, other))
    assert compare_prompts(old, pdl.loads(one, strict=False)).changes == ()
    assert compare_prompts(old, new) == compare_prompts(old, new)
    there, back = compare_prompts(old, new), compare_prompts(new, old)
    assert bool(there.changes) == bool(back.changes) == (old.fingerprint != new.fingerprint)
    for change in (*there.changes, *back.changes):
        _check_words(change)


@given(BODIES, BODIES)
def test_swapped_versions_swap_what_was_old_and_new(one: str, other: str) -> None:
    """Of one turn; of several, the pairs of turns that are equally similar may be others."""
    old, new = (pdl.loads(f"<|user|>\n{text}", strict=False) for text in (one, other))
    there, back = (compare_prompts(*pair).changes for pair in ((old, new), (new, old)))
    texts = [sorted((change.old, change.new) for change in there if change.words)]
    texts.append(sorted((change.new, change.old) for change in back if change.words))
    assert texts[0] == texts[1]


def test_the_work_is_linear() -> None:
    def compared(paragraphs: int) -> int:
        chance = random.Random(5)  # noqa: S311
        words = [f"w{number}" for number in range(2_000)]
        turns = [" ".join(chance.choices(words, k=60)) for _ in range(paragraphs)]
        others = [
            " ".join(chance.choices(words, k=60)) if n % 3 else turns[n] for n in range(paragraphs)
        ]
        texts = [
            "".join(f"<|{('user', 'assistant')[n % 2]}|>\n{t}\n" for n, t in enumerate(each))
            for each in (turns, others)
        ]
        old, new = map(pdl.loads, texts)
        return effort(compare_prompts, old, new)

    assert compared(160) < 7 * compared(40)


def test_lone_surrogates_are_text() -> None:
    old, new = (pdl.loads(f"<|user|>\nA \ud800 {word}") for word in ("b", "c"))
    (change,) = compare_prompts(old, new).changes
    assert change.words[0].text == "A \ud800 "


def test_only_prompts_are_compared() -> None:
    with pytest.raises(TypeError, match="old and new must be prompts or None, not str"):
        compare_prompts("a", "b")  # type: ignore[arg-type]
    assert compare_prompts(None, None).changes == ()


def test_comparisons_are_those_of_the_parts() -> None:
    old = pdl.loads("<|input|>\n{ a: str }\n\n<|user|>\n{{ a }}\n\n<|schema|>\nint<1,9>")
    new = pdl.loads("<|input|>\n{ a: str<1,> }\n\n<|user|>\n{{ a }}\n\n<|schema|>\nint<0,9>")
    found = compare_prompts(old, new)
    assert found.schema is not None
    assert found.schema.verdict == "widened"
    assert found.inputs is not None
    assert found.inputs.verdict == "narrowed"
    assert found.tools is None
    assert found.breaks == ("programs", "callers")
