"""Models with random weights, small enough for tests: what they say is noise, and obeys masks."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from gguf import GGUFWriter, TokenType

from pdl.masks.sources.tokenizer_data import byte_level

if TYPE_CHECKING:
    from pathlib import Path

    from tokenizers import Tokenizer

_WIDTH, _HEADS, _INNER = 32, 4, 64


def llama_file(path: Path, tokenizer: Tokenizer, special: frozenset[int], eos: int) -> Path:
    """A GGUF file of a Llama with one layer, and the tokens of a byte-level tokenizer."""
    size = tokenizer.get_vocab_size()
    writer = GGUFWriter(path, "llama")
    writer.add_context_length(512)
    writer.add_embedding_length(_WIDTH)
    writer.add_block_count(1)
    writer.add_feed_forward_length(_INNER)
    writer.add_head_count(_HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    texts = [str(tokenizer.id_to_token(token)) for token in range(size)]
    writer.add_token_list(texts)
    writer.add_token_types([_kind(text, at in special) for at, text in enumerate(texts)])
    writer.add_token_merges(["a b"])
    writer.add_eos_token_id(eos)
    drawn = np.random.default_rng(1)
    square, tall, wide = (_WIDTH, _WIDTH), (_INNER, _WIDTH), (_WIDTH, _INNER)
    shapes: dict[str, tuple[int, ...]] = {
        "token_embd": (size, _WIDTH), "output": (size, _WIDTH), "output_norm": (_WIDTH,),
        "blk.0.attn_norm": (_WIDTH,), "blk.0.ffn_norm": (_WIDTH,),
        **{f"blk.0.attn_{name}": square for name in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": tall, "blk.0.ffn_up": tall, "blk.0.ffn_down": wide,
    }  # fmt: skip
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", drawn.standard_normal(shape, np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _kind(text: str, special: bool) -> TokenType:  # noqa: FBT001 - as the loop has it
    if special:
        return TokenType.CONTROL
    return TokenType.USER_DEFINED if byte_level(text) is None else TokenType.NORMAL


def transformers_model(size: int, eos: int) -> Any:
    """A Llama of `transformers`, on torch, with more logits than there are tokens."""
    library = import_module("transformers")
    import_module("torch").manual_seed(1)
    settings = library.LlamaConfig(
        vocab_size=size + 9,
        hidden_size=_WIDTH,
        intermediate_size=_INNER,
        num_hidden_layers=1,
        num_attention_heads=_HEADS,
        eos_token_id=eos,
        bos_token_id=0,
        pad_token_id=0,
    )
    return library.LlamaForCausalLM(settings).eval()
