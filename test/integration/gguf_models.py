"""Small models with random weights, as a GGUF file and as a checkpoint of Hugging Face."""
import itertools
import json
import struct

import numpy as np

import make_gguf
import oracle_models
from checkpoint_shapes import read_shapes, weights
from gguf_files import dequantize, random_blocks, write_gguf, write_parts
from gguf_header import ARRAY, F32, I32, STRING, U32
from run_tools import run
from safetensors_file import write_safetensors
from small_models import make_config

SIZES = {"hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 2, "vocab_size": 320,
         "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 64, "torch_dtype": "float32",
         "max_position_embeddings": 128}
LLAMA3 = {"rope_type": "llama3", "factor": 32.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 64}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32}
MODELS = {  # a config of test/models, and what changes in it
    "llama": ("meta-llama--Llama-3.2-1B", SIZES | {"rope_scaling": LLAMA3}),
    "llama2": ("meta-llama--Llama-2-7b-hf", SIZES | {"rope_scaling": {"rope_type": "linear", "factor": 2.0}}),
    "qwen2": ("Qwen--Qwen2.5-0.5B", SIZES),
    "qwen3": ("Qwen--Qwen3-0.6B", SIZES | {"rope_scaling": YARN}),
    "mixtral": ("mistralai--Mixtral-8x7B-v0.1", SIZES | {"num_local_experts": 4, "num_experts_per_tok": 2}),
    "qwen3_moe": ("Qwen--Qwen3-30B-A3B", SIZES | {"num_experts": 4, "num_experts_per_tok": 2,
                                                  "moe_intermediate_size": 256})}


def vocabulary_entries(count):
    """Pieces of SentencePiece that llama.cpp loads, of which it wants all bytes."""
    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    kinds = [2, 3, 3] + [6] * 256 + [1] * (count - len(pieces))
    pieces += [f"t{i}" for i in range(len(pieces), count)]
    yield "tokenizer.ggml.model", STRING, "llama"
    yield "tokenizer.ggml.tokens", ARRAY, (STRING, pieces)
    yield "tokenizer.ggml.scores", ARRAY, (F32, [-float(i) for i in range(count)])
    yield "tokenizer.ggml.token_type", ARRAY, (I32, kinds)
    for n, name in enumerate(("unknown", "bos", "eos")):
        yield f"tokenizer.ggml.{name}_token_id", U32, n


def from_pairs(array, heads):
    """Rows of queries or keys, which llama.cpp stores pair by pair, as Hugging Face has them: halves of a head."""
    rows = array.reshape(heads, array.shape[0] // heads // 2, 2, *array.shape[1:])
    return rows.swapaxes(1, 2).reshape(array.shape)


def draw(rng, weight, kind):
    """Bytes as the file has them."""
    if "norm" in weight.role:
        return rng.uniform(0.5, 1.5, weight.shape).astype("<f4").tobytes()
    # What the layers add is large beside the embedding: a tied head does not repeat the token.
    deviation = 0.3 if len(weight.shape) == 1 else 0.05 if weight.role == "embedding" else weight.shape[-1] ** -0.5
    return random_blocks(rng, kind, weight.shape, deviation)


def make_model(folder, name, kind, seed):
    """Writes model.gguf, the same in three parts, config.json and model.safetensors (f32). Gives the config, and the weights by the names of
    Hugging Face in float64."""
    config = make_config(*MODELS[name])
    shapes, rng = read_shapes(config), np.random.default_rng(seed)
    arrays, tensors = {}, {}
    if make_gguf.rope(config)["rope_type"] == "llama3":
        factors = make_gguf.rope_factors(config, shapes.head_dim)
        tensors["rope_freqs.weight"] = ("f32", [len(factors)], struct.pack(f"<{len(factors)}f", *factors))
    for weight in weights(shapes):
        stored = make_gguf.tensor_type(weight, shapes, kind)
        content = draw(rng, weight, stored)
        array = dequantize(stored, content, weight.shape)
        part = weight.role.partition(".")[0]
        if make_gguf.ARCHITECTURES[shapes.family] == "llama" and part in ("q_proj", "k_proj"):
            array = from_pairs(array, shapes.heads if part == "q_proj" else shapes.kv_heads)
        arrays[weight.name] = array
        whole = make_gguf.gguf_name(weight)
        shape = weight.shape if weight.expert is None else [shapes.experts, *weight.shape]
        tensors[whole] = (stored, shape, tensors.get(whole, (0, 0, b""))[2] + content)
    metadata = [entry for entry in make_gguf.entries(config, shapes, kind, name) if "tokenizer" not in entry[0]]
    metadata += vocabulary_entries(shapes.vocabulary)
    write_gguf(folder / "model.gguf", metadata, tensors)
    write_parts(folder, "model", 3, metadata, tensors)
    (folder / "config.json").write_text(json.dumps(config))
    write_safetensors(folder / "model.safetensors", {key: ("F32", array.astype("<f4")) for key, array in arrays.items()})
    return config, arrays


PROMPT, STEPS, SEED = [3, 17, 5, 29, 11, 2, 38, 23], 16, 7


def make_talker(folder, name, kind):
    """A model that does not repeat itself, of the first seed that makes one: the tokens that follow PROMPT."""
    for seed in itertools.count(SEED):
        oracle = oracle_models.Model(*make_model(folder, name, kind, seed))
        tokens = oracle_models.greedy(oracle, PROMPT, STEPS)
        if len(set(tokens)) > STEPS // 4:
            return tokens


def greedy_tokens(folder, importer, source, weights, *options):
    """Those that llm-run chooses behind PROMPT, one for each step."""
    (folder / "program.mlir").write_text(run(
        "llm-translate", importer, folder / source, "--layers=all", "--seq=?", "--kv-len=?", "--dtype=f32", *options))
    said = run("llm-run", folder / "program.mlir", f"--weights={folder / weights}", f"--steps={STEPS}",
               "--tokens=" + ",".join(map(str, PROMPT)))
    return [int(line.split()[1]) for line in said.splitlines()]
