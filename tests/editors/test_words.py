"""The words in the files of editors, which name what pdl reads: types and turns."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from pdl.edit.document import TYPED
from pdl.prompt.turns import ROLES
from pdl.reply.result import Reason
from pdl.schema.dsl.words import FORMS, TYPES
from pdl.testing.sections import MARKS

EDITORS = Path(__file__).parents[2] / "editors"
VIM = EDITORS / "vim" / "syntax" / "pdl-prompt.vim"
EMACS = EDITORS / "emacs" / "pdl-prompt-mode.el"


@pytest.mark.parametrize(
    ("file", "pattern", "words"),
    [
        (VIM, r"pdlType contained .*?%\((.*?)\\\)", {*TYPES, *FORMS}),
        (VIM, r"let s:next .*?%\((system.*?)\\\)", {*ROLES}),
        (VIM, r"syn match pdlTurn .*?%\((system.*?)\\\)", {*ROLES} - {*TYPED, "config"}),
        (VIM, r"syn region pdlTypes .*?%\((schema.*?)\\\)", {*TYPED}),
        (VIM, r"let s:marks = .*?%\((case.*?)\\\)", {*MARKS}),
        (VIM, r"pdlCaseTurn contained .*?%\((system.*?)\\\)", {*ROLES}),
        (
            VIM,
            r"pdlRefused contained .*?%\((absent.*?)\\\)",
            {*"-".join(get_args(Reason)).split("-")},
        ),
        (EMACS, r"defconst pdl-prompt--types\s*'\((.*?)\)", {*TYPES, *FORMS}),
        (EMACS, r"defconst pdl-prompt--roles\s*'\((.*?)\)", {*ROLES}),
    ],
)
def test_words_of_editors(file: Path, pattern: str, words: set[str]) -> None:
    found = re.search(pattern, file.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert set(re.findall(r"[a-z0-9]+", found[1])) == words
