"""A process that works for the page: requests on standard input, answers on standard output.

Each request is a frame of JSON, each answer a byte that says what it is and a frame of JSON. The
process ends when its input does, even while it works.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from queue import SimpleQueue
from threading import Thread
from typing import IO, TYPE_CHECKING, Any

from pdl.play.access import BUG, refusal_of
from pdl.play.frames import DONE, FAILED, LENGTH, READY
from pdl.play.look import look, warm_up

if TYPE_CHECKING:
    from collections.abc import Callable

    from pdl._types import Json


def main() -> None:
    """Answer requests until the input ends; what is printed goes to standard error."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    warm_up()
    answers.write(READY)
    answers.flush()
    pending: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=(requests, pending), daemon=True).start()
    while True:
        kind, answer = _answer(json.loads(pending.get()))
        data = json.dumps(answer, separators=(",", ":")).encode()
        answers.write(kind + LENGTH.pack(len(data)) + data)
        answers.flush()


def _read(requests: IO[bytes], pending: SimpleQueue[bytes]) -> None:
    """Pass requests on; end the process when there are no more."""
    while True:
        head = requests.read(LENGTH.size)
        data = requests.read(LENGTH.unpack(head)[0]) if len(head) == LENGTH.size else b""
        if not data:
            os._exit(0)
        pending.put(data)


def _answer(request: Json) -> tuple[bytes, Json]:
    method, params = request
    try:
        return DONE, METHODS[method](params)
    except Exception as error:  # noqa: BLE001 - the page is told of all
        refused = refusal_of(error)
        if refused.status == BUG:
            sys.excepthook(type(error), error, error.__traceback__)
        return FAILED, {"message": str(refused), "hint": refused.hint}


def _look(params: dict[str, Any]) -> Json:
    given = [params[name] for name in ("prompt", "data", "reply", "options")]
    return look(*given, base=params["base"])


def _case(params: dict[str, Any]) -> Json:
    from pdl.play.recorded import written_case  # noqa: PLC0415 - few looks end in a case

    found = written_case(params, params["base"])
    return {"text": found.text, "files": dict(found.files)}


def _tokens(params: dict[str, Any]) -> Json:
    from pdl.play.tokens import tokens  # noqa: PLC0415 - numpy is an extra

    return tokens(params)


METHODS: dict[str, Callable[[dict[str, Any]], Json]] = {
    "look": _look,
    "case": _case,
    "tokens": _tokens,
}
"""What is asked of such a process."""

if __name__ == "__main__":
    main()
