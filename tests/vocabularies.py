"""Small real tokenizers, trained on texts in many scripts when a test asks for one."""

from __future__ import annotations

from functools import lru_cache
from io import BytesIO
from typing import Any

import sentencepiece
import tiktoken
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)

TEXTS = (
    "The quick brown fox jumps over the lazy dog, doesn't it?  Two blanks,\tand a tab.",
    "Größe, Straße und Äpfel: »übermäßig« teuer - 12,50 € das Stück.",
    "Ça coûte déjà 3 000 francs, mais c'est bientôt l'été à Orléans.",
    "Съешь ещё этих мягких французских булок, да выпей чаю.",
    "العربية لغة جميلة، والكتابة من اليمين إلى اليسار.",
    "यह एक छोटा वाक्य है, जिसमें देवनागरी अक्षर हैं।",
    "我能吞下玻璃而不伤身体。今天的天气很好！",
    "私はガラスを食べられます。それは私を傷つけません。",
    "나는 유리를 먹을 수 있어요. 그래도 아프지 않아요.",
    "Emoji: 👩‍👩‍👧 🏳️‍🌈 👍🏽, and combining marks: e\u0301 a\u0308.",
    'def f(x):\n    return {"key": [1, 2.5e-3, null], "other": "a\\n\\u00e9"}\n',
    "\n\n  - item one\n  - item two\n\r\n",
)
"""What tokenizers are trained on and tested with."""

UNSEEN = "Ωμέγα ξ ħ ℵ 𝔘𝔫𝔦 ꙮ ᚠᛇᚻ \x7f\u200b ½ ⅓ ﬁ"
"""Characters that no tokenizer was trained on."""


@lru_cache(maxsize=1)
def byte_level(size: int = 700) -> Tokenizer:
    """Byte-level BPE, as that of GPT-2, Llama 3 and Qwen."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=["<|begin|>", "<|end_of_text|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    made.train_from_iterator(TEXTS * 20, trainer)
    made.add_special_tokens([AddedToken("<|eot_id|>", special=True)])
    made.add_tokens([AddedToken("<think>", normalized=False), AddedToken("Straße x")])
    return made


@lru_cache(maxsize=1)
def byte_fallback() -> Tokenizer:
    """BPE over characters, with a token for each byte, as that of Llama 2 and Gemma."""
    made = Tokenizer(models.BPE(unk_token="<unk>", byte_fallback=True, fuse_unk=True))  # noqa: S106
    made.normalizer = normalizers.Sequence(
        [normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]
    )
    made.decoder = decoders.Sequence(
        [
            decoders.Replace("▁", " "),
            decoders.ByteFallback(),
            decoders.Fuse(),
            decoders.Strip(" ", 1, 0),
        ]
    )
    bytes_ = [f"<0x{byte:02X}>" for byte in range(256)]
    trainer = trainers.BpeTrainer(
        vocab_size=900,
        special_tokens=["<unk>", "<s>", "</s>", *bytes_],
        show_progress=False,
        limit_alphabet=200,
    )
    made.train_from_iterator(TEXTS * 20, trainer)
    return _without_added(made, bytes_)


def _without_added(tokenizer: Tokenizer, texts: list[str]) -> Tokenizer:
    """The same tokenizer, in which some tokens are ordinary ones."""
    import json  # noqa: PLC0415 - for this alone

    document = json.loads(tokenizer.to_str())
    document["added_tokens"] = [
        token for token in document["added_tokens"] if token["content"] not in texts
    ]
    return Tokenizer.from_str(json.dumps(document))


@lru_cache(maxsize=1)
def metaspace() -> Tokenizer:
    """Unigram without bytes, as that of T5."""
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=600,
        special_tokens=["<unk>", "</s>"],
        unk_token="<unk>",  # noqa: S106
        show_progress=False,
    )
    made.train_from_iterator(TEXTS * 20, trainer)
    return made


@lru_cache(maxsize=2)
def pieces(kind: str = "bpe") -> Any:
    """A processor of SentencePiece with bytes, as that of Llama 2 and Mistral."""
    held = BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 20),
        model_writer=held,
        model_type=kind,
        vocab_size=700,
        byte_fallback=True,
        character_coverage=0.98,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        user_defined_symbols=["<mask>", "  "],
        control_symbols=["[INST]"],
        hard_vocab_limit=False,
        minloglevel=2,
    )
    return sentencepiece.SentencePieceProcessor(model_proto=held.getvalue())


@lru_cache(maxsize=1)
def ranks() -> tiktoken.Encoding:
    """An encoding with gaps in its numbers, as those of GPT-4 have."""
    held = [bytes([byte]) for byte in range(256)]
    for text in TEXTS:
        data = text.encode()
        held += [data[at : at + 2] for at in range(len(data) - 1)]
    found = {piece: rank for rank, piece in enumerate(dict.fromkeys(held))}
    top = len(found)
    return tiktoken.Encoding(
        "small",
        pat_str=r"\s+|\S+",
        mergeable_ranks=found,
        special_tokens={"<|endoftext|>": top + 3, "<|im_end|>": top + 7},
    )
