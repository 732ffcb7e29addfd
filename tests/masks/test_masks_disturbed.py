"""Masks in spite of interrupts, threads, new processes, and a lack of memory."""

from __future__ import annotations

import gc
import subprocess
import sys
from random import Random
from threading import Thread
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NoReturn
from weakref import ref

import pytest
from shares import share

from pdl import LimitError, Limits, gbnf
from pdl.gbnf.limits_errors import uncollected
from pdl.masks import Masker, TokenError, Vocabulary, mask_cache, native
from pdl.masks import kernel as kernels
from pdl.masks.automaton import FullError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

needs_kernel = pytest.mark.skipif(
    native.library() is None, reason="the kernel was not built, or PDL_NATIVE is 0"
)
TEXT = r"""
root ::= "{" key ":" value ("," key ":" value){0,5} "}"
key ::= ["] [^"]{0,30} ["]
value ::= key | [0-9]{1,9} | "{" key "}" | ("a" | "ab" | "abc"){2,8}
"""
LINE = b'{"ab":123,"c":"d","e":{"f"},"g":ababc}'


def vocabulary(count: int = 300) -> Vocabulary:
    rng = Random(1)  # noqa: S311 - tests draw
    made = ("".join(rng.choices('abcd {}":,0', k=rng.randint(2, 7))) for _ in range(count))
    tokens = [bytes([byte]) for byte in range(256)] + [one.encode() for one in made] + [b"$"]
    return Vocabulary(tokens, eos=len(tokens) - 1)


def masks(masker: Masker, text: bytes = LINE) -> Iterator[bytes]:
    """The masks along a text."""
    here: Any = masker.start()
    for byte in text:
        yield here.bitmask().tobytes()
        here = here.accept(byte)


def interrupted(masker: Masker, lines: int, module: str = "pdl.", text: bytes = LINE) -> bool:
    """Follow a text, with an interrupt after so many lines of some modules; whether it came."""
    left = lines

    def trace(frame: FrameType, _: str, __: object) -> Any:
        nonlocal left
        if not frame.f_globals.get("__name__", "").startswith(module):
            return None
        if frame.f_code.co_name == "uncollected":  # signals come at calls, not between its lines
            return None
        left -= 1
        if left < 0:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        list(masks(masker, text))
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.usefixtures("engine")
def test_masks_after_an_interrupt() -> None:
    """Wherever it comes, it is raised, and the masks that follow are right."""
    grammar, rng = gbnf.parse(TEXT), Random(2)  # noqa: S311 - tests draw
    expected = list(masks(Masker(grammar, vocabulary())))
    found = 0
    for _ in range(share(60)):
        masker = Masker(gbnf.parse(TEXT), vocabulary())
        found += interrupted(masker, int(10 ** rng.uniform(0, 3.7)))
        assert list(masks(masker)) == expected
        assert gc.isenabled()
    assert found > share(60) / 2


@needs_kernel
def test_an_interrupt_at_each_line_of_the_kernel() -> None:
    """No matter which call of the kernel lacks a rule."""
    text = 'root ::= "a" r | "b" s\nr ::= "x" s\ns ::= [a-z]{0,9} "!"'
    expected = list(masks(Masker(gbnf.parse(text), vocabulary(9)), b"axb!"))
    for lines in range(10_000):
        masker = Masker(gbnf.parse(text), vocabulary(9))
        if not interrupted(masker, lines, kernels.__name__, b"axb!"):
            break
        assert list(masks(masker, b"axb!")) == expected
    assert 40 < lines < 10_000


def test_an_interrupt_as_the_collector_pauses() -> None:
    """It runs again afterwards."""

    def interrupt(_: FrameType, event: str, function: Any) -> None:
        if event == "c_return" and function is gc.disable:
            raise KeyboardInterrupt

    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt), uncollected():
            pass
    finally:
        sys.setprofile(None)
    assert gc.isenabled()


@pytest.mark.usefixtures("engine")
def test_a_masker_after_a_limit_is_freed_without_the_collector() -> None:
    grammar = gbnf.parse(f'root ::= "a" r\nr ::= "{300 * "x"}"', limits=Limits(grammar_states=99))
    held: list[Any] = [ref(grammar)]
    with uncollected():
        masker = Masker(grammar, vocabulary(9))
        with pytest.raises(LimitError):
            masker.start().accept(ord("a"))
        held.append(ref(masker))
        del masker, grammar
        assert [one() for one in held] == [None, None]


@pytest.mark.usefixtures("engine")
def test_threads_make_maskers(monkeypatch: pytest.MonkeyPatch) -> None:
    """While others compute masks, and look at what all maskers know."""
    monkeypatch.setattr(mask_cache, "_SELDOM", 1)
    held, grammar = vocabulary(), gbnf.parse(TEXT)
    expected = list(masks(Masker(grammar, held)))
    kept: list[Masker] = []
    wrong: list[object] = []

    def work() -> None:
        try:
            for _ in range(share(20)):
                kept.append(Masker(grammar, held))
                if list(masks(kept[-1])) != expected:
                    wrong.append("masks")
        except Exception as error:  # noqa: BLE001 - which the test shows
            wrong.append(error)

    threads = [Thread(target=work) for _ in range(4)]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    assert wrong == []


@pytest.mark.usefixtures("engine")
def test_those_that_are_used_seldom_forget_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that many maskers over one vocabulary keep to its limit, and those in use are fast."""
    held = vocabulary()
    maskers = [Masker(gbnf.parse(TEXT.replace("key", f"k{n}")), held) for n in range(12)]
    for masker in maskers:
        list(masks(masker))
    most = max(masker.spent for masker in maskers)
    monkeypatch.setattr(mask_cache, "LEARNED", 4 * most)
    shared = mask_cache.mask_cache(held)
    for _ in range(50):
        shared.check(maskers[0])
    assert sum(masker.spent for masker in maskers) <= 4 * most
    assert maskers[0].spent
    assert maskers[-1].spent > maskers[1].spent
    expected = list(masks(Masker(gbnf.parse(TEXT), vocabulary())))
    assert all(list(masks(masker)) == expected for masker in maskers)


@needs_kernel
def test_a_kernel_costs_little_at_first() -> None:
    """A server may have a masker for each of a thousand schemas."""
    assert Masker(gbnf.parse(TEXT), vocabulary()).spent < 60_000


FORK = """
import os, threading
from pdl import gbnf
from pdl.masks import Masker, Vocabulary
from pdl.masks.mask_cache import mask_cache
held = Vocabulary([bytes([byte]) for byte in range(256)] + [b"$"], eos=256)
masker = Masker(gbnf.parse('root ::= [ab]+'), held)
inside, leave = threading.Event(), threading.Event()
def work():
    with mask_cache(held).lock:
        inside.set()
        leave.wait(0.3)
thread = threading.Thread(target=work)
thread.start()
inside.wait()
child = os.fork()
if not child:
    free = mask_cache(held).lock.acquire(timeout=5)
    os._exit(0 if free and masker.start().allowed().tolist() == [97, 98] else 3)
thread.join()
assert masker.start().allowed().tolist() == [97, 98]
print(os.waitpid(child, 0)[1])
"""


@pytest.mark.skipif(not hasattr(sys, "getdlopenflags"), reason="there is no fork on Windows")
def test_a_new_process_has_masks_of_its_own() -> None:
    """Also if it begins while another thread computes one."""
    command = [sys.executable, "-W", "ignore", "-c", FORK]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)  # noqa: S603
    assert done.stdout == "0\n"


@needs_kernel
def test_without_memory_for_another_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """The places of a full one go on with numpy."""
    masker = Masker(gbnf.parse(TEXT), vocabulary())
    expected = [one.bitmask().tobytes() for one in (masker.start(), masker.start().accept(123))]
    here = masker.start().accept(123)

    def full(*_: object, **__: object) -> NoReturn:
        raise FullError

    monkeypatch.setattr(kernels.Kernel, "_config", full)
    masker.forget()
    assert [masker.start().bitmask().tobytes(), here.bitmask().tobytes()] == expected
    with pytest.raises(TokenError, match="is not allowed"):
        here.accept(0)


def test_a_library_that_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has none of the functions; an empty `PDL_NATIVE` is as none."""
    monkeypatch.setattr("ctypes.CDLL", lambda _: SimpleNamespace())
    monkeypatch.setenv("PDL_NATIVE", "")
    native.library.cache_clear()
    try:
        assert native.library() is None
        with pytest.raises(ImportError, match=r"can't be loaded: .*pdl_source"):
            native.library("require")
    finally:
        native.library.cache_clear()
