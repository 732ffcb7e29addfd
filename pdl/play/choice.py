"""The models that the page may ask: those that the user has named, and no others."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from pdl.errors import PdlError
from pdl.play.access import RefusedError
from pdl.prompt import loads
from pdl.prompt.files import Folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pdl.models import Model
    from pdl.play.files import OpenedFiles

_FILES = ("llama:", "replay:")


def label_of(model: str) -> str:
    """Return what the page calls a model of the command line: of a file only its name."""
    if not model.startswith(_FILES):
        return model
    scheme, _, path = model.partition(":")
    return f"{scheme}:{path.replace(chr(92), '/').rpartition('/')[2]}"


def models_in(text: str) -> list[str]:
    """Return the models that the config turns of a prompt name, as they are written."""
    from pdl.edit.document import Document  # noqa: PLC0415 - only prompts with models need it

    if "model" not in text:
        return []
    document, found = Document(text), []
    for turn in document.turns:
        if turn.role == "config":
            body = document.text[turn.body.start : turn.body.end]
            with suppress(PdlError):  # it depends on data, which are those of the page
                found.append(loads(f"<|config|>\n{body}\n<|user|>\n.").render().config.get("model"))
    return [one for one in found if isinstance(one, str) and one]


class Choice:
    """The models that may be asked: those of the command line, and of opened prompts."""

    def __init__(
        self, named: Sequence[str], base_url: str | None, files: OpenedFiles | None
    ) -> None:
        self.named = {label_of(one): one for one in named}
        self.base_url = base_url
        self.files = files

    def of_file(self, name: str | None) -> list[str]:
        """Return the models that a prompt on disk names. Raises RefusedError."""
        if self.files is None or name is None:
            return []
        return models_in(self.files.read(name)[0])

    def connect(self, label: str, name: str | None) -> Model:
        """Return a model by its label. Raises RefusedError for another one, and PdlError."""
        from pdl.models.connecting import below, connect_at  # noqa: PLC0415 - most pages ask none

        if label in self.named:
            return connect_at(self.named[label], self.base_url)
        if label not in self.of_file(name):
            message = "this model was not named by you"
            hint = "start with `pdl play --model NAME`, or save `model: NAME` in the config turn"
            raise RefusedError(403, message, hint)
        assert self.files is not None
        folder = Folder(self.files.root / self.files.folder_of(name))
        return connect_at(below(label, folder), self.base_url)
