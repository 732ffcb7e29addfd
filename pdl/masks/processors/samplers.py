"""Logits processors of llama-cpp-python, of `generate` of `transformers`, and of vLLM; and `apply`.

The state of a text is found by its tokens so far (`Prefixes`), since samplers reorder, drop and
copy their texts. Logits are arrays of numpy or tensors of torch.

A processor is made before the model reads its prompt, which leaves this process idle: a thread then
computes a few masks in advance.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import replace
from hashlib import blake2b
from importlib import import_module
from operator import index
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from pdl.errors import Problem, TokenError
from pdl.masks.protocol import WORD, check_masker

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from pdl.masks.protocol import TokenMasker, TokenState
    from pdl.masks.vocabulary import Ints

    Longs: TypeAlias = NDArray[np.int64]
    Scores: TypeAlias = NDArray[np.single]


_Logits = TypeVar("_Logits")


def apply(logits: _Logits, bitmask: Ints) -> _Logits:
    """Forbid all other tokens: set their logits to minus infinity, in place. Return the same array.

    `logits` is an array of numpy or a tensor of torch, of floating point, with one row (tokens) or
    several (texts, tokens); `bitmask` is of int32 and has as many rows, or one for all. Logits
    beyond the mask belong to no token, and are forbidden.

    Raises TokenError if no token remains, TypeError for other arrays, ValueError if the numbers of
    rows differ, if there are more than twice as many tokens as logits, and if the logits are
    read-only.
    """
    bitmask = _mask(bitmask)
    if isinstance(logits, np.ndarray):
        if not np.issubdtype(logits.dtype, np.floating):
            raise TypeError(f"logits must be of floating point, not {logits.dtype}")
        if not logits.flags.writeable:
            raise ValueError("logits are read-only: they are changed in place")
        np.putmask(logits, _forbidden(bitmask, logits.shape), -np.inf)
        return logits
    if not is_tensor(logits):
        raise TypeError(f"logits must be of numpy or of torch, not {type(logits).__name__}")
    _apply_to_tensor(logits, bitmask)
    return logits


def _mask(bitmask: Any) -> Ints:
    """A mask as a numpy array. Raises TypeError for anything else."""
    held = to_numpy(bitmask)
    if not isinstance(held, np.ndarray):
        kind = type(held).__name__
        raise TypeError(f"bitmask must be an array (`state.bitmask()`), not {kind}")
    if held.dtype != np.int32:
        raise TypeError(f"bitmask must be of int32, one bit a token, not {held.dtype}")
    return held


def _apply_to_tensor(logits: Any, bitmask: Ints) -> None:
    if not logits.is_floating_point():
        raise TypeError(f"logits must be of floating point, not {logits.dtype}")
    forbidden = import_module("torch").from_numpy(_forbidden(bitmask, tuple(logits.shape)))
    logits.masked_fill_(forbidden.to(logits.device), -np.inf)


def is_tensor(value: Any) -> bool:
    """Whether something is a tensor of torch, which is not imported to find out."""
    return any(kind.__module__.partition(".")[0] == "torch" for kind in type(value).__mro__)


def to_numpy(value: Any) -> Any:
    """Return a tensor of torch as a numpy array, from any device; anything else unchanged."""
    return value.detach().cpu().numpy() if is_tensor(value) else value


def _forbidden(bitmask: Ints, shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """True for each logit of a token that is not allowed."""
    fits = len(shape) in {1, 2} and bitmask.ndim in {1, 2}
    if not fits or bitmask.shape[:-1] not in {(), (1,), shape[:-1]}:
        raise ValueError(f"a mask of {bitmask.shape} does not fit logits of {shape}")
    width, tokens = shape[-1], bitmask.shape[-1] * WORD
    if tokens > 2 * width + 2 * WORD:  # models lack the logits of a few tokens, not of most
        raise ValueError(
            f"a mask of {tokens:,} tokens does not fit {width:,} logits: is it `state.bitmask()`,"
            " and of the model's vocabulary?"
        )
    data = np.ascontiguousarray(bitmask, "<i4").view(np.uint8)
    held = min(width, tokens)
    bits = np.unpackbits(data, axis=-1, count=held, bitorder="little")
    if not bits.any(axis=-1).all():
        message = f"the mask allows none of the {width:,} tokens that have a logit"
        hint = "is the vocabulary that of the model?"
        raise TokenError(Problem("token/none", message, None, hint))
    found = np.ones(shape, np.bool_)
    found[..., :held] = bits == 0
    return found


_PREFILL = 0.025  # seconds of work on masks in advance
_ROOM = 16_000_000
_COST = 500  # bytes that an entry takes in addition to its key
_TOKEN = np.dtype(np.int64).itemsize
_HINT = (
    "these tokens were not sampled with its mask: a processor is for one generation, whose first"
    " call has only the prompt"
)


class Prefixes:
    """The states of the texts that were requested last, in at most `room` bytes.

    A text is found by all its tokens, not by its position in a batch; one that was dropped is read
    again from its beginning.
    """

    def __init__(self, masker: TokenMasker, room: int = _ROOM) -> None:
        check_masker(masker)
        self._masker = masker
        self._eos = masker.vocabulary.eos
        self._known: OrderedDict[bytes, TokenState | None] = OrderedDict()
        self._room = room
        self._size = 0
        prepare = getattr(masker, "prepare", None)
        if prepare is not None:
            Thread(target=prepare, args=(_PREFILL,)).start()

    def state(self, tokens: Longs) -> TokenState | None:
        """Return the state of a text; None if one of its tokens ended it.

        Tokens after such a token (padding) are ignored. Raises TokenError, with the position, for a
        token that is not allowed.
        """
        key = tokens.tobytes()
        if key in self._known:
            self._known.move_to_end(key)
            return self._known[key]
        before = key[:-_TOKEN]
        if key and before in self._known:
            found = self._after(self._known[before], int(tokens[-1]), len(tokens) - 1)
        else:
            found = self._read(tokens)
        self._keep(key, found)
        return found

    def _read(self, tokens: Longs) -> TokenState | None:
        here: TokenState | None = self._masker.start()
        for at, token in enumerate(tokens.tolist()):
            here = self._after(here, token, at)
        return here

    def _after(self, here: TokenState | None, token: int, at: int) -> TokenState | None:
        if here is None or (token in self._eos and here.is_complete):
            return None
        try:
            return here.accept(token)
        except TokenError as error:
            problem = error.problem
            message = f"{problem.message}, after {at:,} tokens"
            raise TokenError(replace(problem, message=message, hint=_HINT)) from error

    def _keep(self, key: bytes, found: TokenState | None) -> None:
        self._known[key] = found
        self._size += len(key) + _COST
        while self._size > self._room and len(self._known) > 1:
            old, _ = self._known.popitem(last=False)
            self._size -= len(old) + _COST


_CALLS = 256  # whose texts are remembered: speculative decoding takes some tokens back
_AGAIN = "use a new processor for each generation"


class Prompted:
    """The states of texts that follow prompts of one length."""

    def __init__(self, masker: TokenMasker, prompt: int | None = None) -> None:
        self._prefixes = Prefixes(masker)
        self._prompt = None if prompt is None else _length(prompt)
        self._prompts: frozenset[bytes] = frozenset()
        self._seen: deque[frozenset[bytes]] = deque(maxlen=_CALLS)

    def states(self, rows: Iterable[Longs]) -> list[TokenState | TokenError | None]:
        """Return the states of texts, by their tokens with those of the prompts; None if it ended.

        A TokenError represents a text with a token that is not allowed. Raises ValueError if a text
        is shorter than the prompt was, has another prompt, or does not extend a text of the last
        calls by one token: a second use, whose mask would be that of another position.
        """
        held = list(rows)
        self._check(held)
        return [self._state(row) for row in held]

    def _state(self, row: Longs) -> TokenState | TokenError | None:
        try:
            return self._prefixes.state(row[self._prompt :])
        except TokenError as error:
            return error

    def _check(self, rows: list[Longs]) -> None:
        """Raise ValueError for texts of another generation; remember those of this one."""
        if not rows:
            return
        size = len(rows[0])
        if self._prompt is None:
            self._prompt = size
        if size < self._prompt:
            raise ValueError(
                f"there are {size:,} tokens, fewer than the prompt's {self._prompt:,}: {_AGAIN}"
            )
        names = [_names(row) for row in rows]
        if not self._seen:
            self._prompts = frozenset(_names(row[: self._prompt])[1] for row in rows)
        elif size == self._prompt:
            if not self._prompts.issuperset(name for _, name in names):
                raise ValueError(f"the prompt differs from that of the first call: {_AGAIN}")
        elif not all(any(one in seen for seen in self._seen) for one, _ in names):
            raise ValueError(
                "these tokens do not extend those of an earlier call by one that was sampled with"
                f" its mask: {_AGAIN}"
            )
        self._seen.appendleft(frozenset(name for _, name in names))


def _names(row: Longs) -> tuple[bytes, bytes]:
    """A digest of all tokens of a text except the last, and one of all."""
    data = row.tobytes()
    held = blake2b(data[:-_TOKEN], digest_size=16)
    before = held.digest()
    held.update(data[-_TOKEN:])
    return before, held.digest()


def _length(prompt: object) -> int:
    """The length of a prompt. Raises TypeError and ValueError for anything else."""
    if isinstance(prompt, bool) or not hasattr(prompt, "__index__"):
        raise TypeError(f"prompt must be its number of tokens, not {type(prompt).__name__}")
    found = index(prompt)
    if found < 0:
        raise ValueError(f"prompt must be its number of tokens, not {found}")
    return found


def to_token_ids(tokens: Any, dimensions: int) -> Longs:
    """Return tokens as a numpy array, from any device.

    Raises TypeError for anything but integers, ValueError for another number of dimensions.
    """
    held = np.asarray(to_numpy(tokens))
    if held.size and not np.issubdtype(held.dtype, np.integer):
        raise TypeError(f"tokens must be integers, not {held.dtype}")
    if held.ndim != dimensions:
        shape = "2 dimensions (texts, tokens)" if dimensions > 1 else "1 dimension"
        raise ValueError(f"tokens must have {shape}, not {held.ndim}")
    return np.ascontiguousarray(held, np.int64)


class LlamaCppProcessor:
    """Constrains a text to a grammar: `LogitsProcessorList([LlamaCppProcessor(masker)])`.

    For one call of `create_completion` or `create_chat_completion`, whose first step has only the
    prompt; otherwise `prompt` is its number of tokens.
    """

    def __init__(self, masker: TokenMasker, *, prompt: int | None = None) -> None:
        self._texts = Prompted(masker, prompt)

    def __call__(self, input_ids: Any, scores: Scores) -> Scores:
        """Set the scores of tokens that can't follow `input_ids` to minus infinity, in place.

        Raises TokenError for a text that was not sampled this way, ValueError for one of another
        call, TypeError for anything but tokens and scores.
        """
        [state] = self._texts.states([to_token_ids(input_ids, 1)])
        if isinstance(state, TokenError):
            raise state
        return scores if state is None else apply(scores, state.bitmask())


class TransformersProcessor:
    """Constrains each text of a batch to a grammar: `generate(…, logits_processor=[processor])`.

    Of torch or of numpy; for greedy search, sampling, and with `beams=True` for beam search. For
    one call of `generate`, whose first step has only the prompts, padded on the left as `generate`
    requires; otherwise `prompt` is their number of tokens. The rows of texts that have ended are
    unchanged.

    Beam search keeps forbidden candidates, with a score of minus infinity, if it finds too few
    others. With `beams`, their rows are unchanged; without, they are errors.
    """

    def __init__(
        self, masker: TokenMasker, *, prompt: int | None = None, beams: bool = False
    ) -> None:
        self._texts = Prompted(masker, prompt)
        self._beams = beams

    def __call__(self, input_ids: Any, scores: _Logits) -> _Logits:
        """Return the scores (texts, tokens) with minus infinity for what can't follow `input_ids`.

        Raises TokenError for a text that was not sampled this way; ValueError for one of another
        call and if the number of rows differs; TypeError for anything but tokens and scores.
        """
        rows = to_token_ids(input_ids, 2)
        _check_scores(scores, len(rows))
        states = [self._allowing(state) for state in self._texts.states(rows)]
        held = [at for at, state in enumerate(states) if state is not None]
        found = _copy(scores)
        if held:
            masks = np.stack([state.bitmask() for state in states if state is not None])
            found[held] = apply(found[held], masks)
        return found  # type: ignore[no-any-return]  # of the kind of the scores

    def _allowing(self, state: TokenState | TokenError | None) -> TokenState | None:
        if not isinstance(state, TokenError):
            return state
        if self._beams:
            return None
        raise state


def _check_scores(scores: Any, texts: int) -> None:
    """Raise TypeError or ValueError for anything but scores of so many texts."""
    if not (isinstance(scores, np.ndarray) or is_tensor(scores)):
        raise TypeError(f"scores must be of numpy or of torch, not {type(scores).__name__}")
    if scores.ndim != 2 or len(scores) != texts:  # noqa: PLR2004 - texts, tokens
        shape = tuple(scores.shape)
        raise ValueError(f"scores must have a row for each of {texts:,} texts, not {shape}")


def _copy(scores: Any) -> Any:
    return scores.clone() if is_tensor(scores) else np.array(scores)


class VllmProcessor:
    """Constrains the text of a request to a grammar.

    A request-level processor in the terms of vLLM: `new_req_logits_processor` of an
    `AdapterLogitsProcessor` returns one; old versions have it in
    `SamplingParams.logits_processors`. One serves any number of requests, which it identifies by
    their tokens.
    """

    def __init__(self, masker: TokenMasker) -> None:
        self._masker = masker
        self._prefixes = Prefixes(masker)

    def __call__(self, output_ids: Sequence[int], logits: _Logits) -> _Logits:
        """Set the logits (tokens) of what can't follow to minus infinity, in place.

        Raises TokenError for a text that was not sampled this way.
        """
        state = self._prefixes.state(to_token_ids(output_ids, 1))
        return logits if state is None else apply(logits, state.bitmask())

    def clone(self) -> VllmProcessor:
        """Return another one for the same grammar, as vLLM requires when it copies parameters."""
        return VllmProcessor(self._masker)
