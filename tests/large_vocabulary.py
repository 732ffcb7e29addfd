"""A vocabulary of the size of a large model's, made up."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from pdl.masks import Vocabulary


@lru_cache(maxsize=1)
def large() -> Vocabulary:
    """As many tokens as Llama 3 has, of words, numbers, blanks, and what stands in JSON."""
    rng = Random(8)  # noqa: S311
    letters = "etaoinshrdlucmfwypvbgk"
    marks = ['"', '",', '":', '": "', '"}', "},", "[", "]", '{"', ' "', "\\n", "\n", ", ", ": "]
    found = {bytes([byte]): None for byte in range(256)}
    for size in range(1, 65):
        found[b" " * size] = found[b"\n" + b" " * size] = None
    for number in range(1000):
        found[str(number).encode()] = None
    while len(found) < 128_000:
        word = "".join(rng.choice(letters) for _ in range(rng.randint(1, 8)))
        kind = rng.random()
        if kind < 0.02:
            word = rng.choice(marks) + word
        elif kind < 0.04:
            word += rng.choice(marks)
        elif kind < 0.06:
            word = "".join(chr(rng.randint(0x400, 0x4FF)) for _ in range(rng.randint(1, 4)))
        elif kind < 0.4:
            word = f" {word}"
        found[word.encode()] = None
    return Vocabulary([*found, b"<eos>"], eos=len(found))
