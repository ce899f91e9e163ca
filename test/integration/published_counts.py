"""Counts of released models, for derive_models.py: published by their makers, or counted by hand from their papers."""
from __future__ import annotations

# Published counts; test/models/README.md has the sources.
PUBLISHED: dict[str, int] = {
    "meta-llama--Llama-2-7b-hf": 6_738_415_616, "meta-llama--Llama-2-70b-hf": 68_976_648_192,
    "meta-llama--Llama-3.2-1B": 1_235_814_400, "meta-llama--Llama-3.2-3B": 3_212_749_824,
    "meta-llama--Meta-Llama-3.1-8B": 8_030_261_248,
    "meta-llama--Meta-Llama-3.1-70B": 70_553_706_496,
    "meta-llama--Meta-Llama-3.1-405B": 405_853_388_800,
    "mistralai--Mistral-7B-v0.1": 7_241_732_096, "mistralai--Mixtral-8x7B-v0.1": 46_702_792_704,
    "mistralai--Mixtral-8x22B-v0.1": 140_620_634_112,
    "Qwen--Qwen2.5-0.5B": 494_032_768, "Qwen--Qwen2.5-7B": 7_615_616_512,
    "Qwen--Qwen2.5-72B": 72_706_203_648, "Qwen--Qwen3-0.6B": 596_049_920,
    "Qwen--Qwen3-8B": 8_190_735_360, "Qwen--Qwen3-30B-A3B": 30_532_122_624,
    "Qwen--Qwen3-235B-A22B": 235_093_634_560,
    "google--gemma-2-2b": 2_614_341_888, "google--gemma-2-9b": 9_241_705_984,
    "google--gemma-2-27b": 27_227_128_320, "google--gemma-3-1b-pt": 999_885_952,
    "google--gemma-4-26B-A4B": 25_233_141_790,  # card: 25.2B
    "microsoft--Phi-3-mini-4k-instruct": 3_821_079_552,
    "openai--gpt-oss-20b": 20_914_757_184, "openai--gpt-oss-120b": 116_829_156_672,
    "deepseek-ai--DeepSeek-V2": 235_741_434_880, "deepseek-ai--DeepSeek-V2-Lite": 15_706_484_224,
    "deepseek-ai--DeepSeek-V3": 671_026_419_200,
    "moonshotai--Kimi-K2-Instruct": 1_026_408_232_448,  # fp8 scales, rotary tables left out
    "deepseek-ai--DeepSeek-V3.2": 671_026_419_200 + 61 * (1536 * 8192 + 7168 * (128 + 64) + 256),  # V3 and indexers
    "zai-org--GLM-5-FP8": 743_911_218_432,  # README: 744B
    "deepseek-ai--DeepSeek-V4-Flash": 284_332_240_471,  # card: 284B
    "MiniMaxAI--MiniMax-M3": 426_174_572_928,  # card: about 428B, with the vision part
    "XiaomiMiMo--MiMo-V2-Flash": 308_778_780_864,  # README: 309B; 3 x 0.33B of further layers left out
    "Qwen--Qwen3-VL-30B-A3B-Instruct": 30_532_122_624,  # as Qwen3-30B-A3B
    "nvidia--Llama-3_3-Nemotron-Super-49B-v1": 49_867_145_216,
    "Qwen--Qwen3-Next-80B-A3B-Instruct": 79_674_391_296,  # 80B
    "Qwen--Qwen3.5-35B-A3B": 34_660_610_688,  # the page says 36B with the vision part and further tokens
    "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 31_577_940_288,  # release: 31.6B
    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8": 120_668_707_840,  # 120B; 121B on the page, without further tokens
    "moonshotai--Kimi-Linear-48B-A3B-Instruct": 49_122_681_728,  # README: 48B
    "HuggingFaceTB--SmolLM3-3B": 3_075_098_624,
    "ByteDance-Seed--Seed-OSS-36B-Base": 36_151_104_512,
    "LiquidAI--LFM2-1.2B": 1_170_340_608,
    "LiquidAI--LFM2-8B-A1B": 8_339_930_560,  # card: 8.3B
    "tiiuae--Falcon-H1-0.5B-Base": 521_411_104,
    "ibm-granite--granite-4.0-h-small": 32_207_337_984,  # card: 32B
    "ibm-ai-platform--Bamba-9B-v1": 9_780_235_392,  # card: 9.78B
    "mistralai--Mamba-Codestral-7B-v0.1": 7_285_403_648,
    "allenai--Olmo-3-1025-7B": 7_298_011_136,
    "CohereLabs--c4ai-command-r7b-12-2024": 8_028_033_024,
    "LGAI-EXAONE--EXAONE-4.0-32B": 30_954_640_384 + 2 * 102_400 * 5120,  # card: 30.95B without embeddings
    "tencent--Hunyuan-7B-Instruct": 7_504_568_320,  # page: 7.5B
    "zai-org--GLM-4.5-Air": 106_852_251_264,  # README: 106B
    "baidu--ERNIE-4.5-21B-A3B-PT": 21_825_437_888,
    # Published with the f32 scales of its FP8 blocks, 128 x 128: in each of 62 layers of 256 x 3
    # matrices of experts (12 x 24 blocks), of q and o (24 x 48) and of k and v (24 x 8).
    "MiniMaxAI--MiniMax-M2": 228_703_644_928 - 62 * (256 * 3 * 12 * 24 + 2 * 24 * 48 + 2 * 24 * 8),
    # Published with the layer that predicts one more token, which is taken off: a layer, a
    # projection of two hidden states to one, three norms.
    "XiaomiMiMo--MiMo-7B-Base": 7_833_409_536 - (177_223_680 + 2 * 4096 * 4096 + 3 * 4096),
    # Published with the vision part, whose size (tower and projector) is taken off here.
    "google--gemma-3-27b-pt": 27_432_406_640 - 423_060_336,
    "meta-llama--Llama-4-Scout-17B-16E-Instruct": 108_641_793_536 - 871_932_416,
    "meta-llama--Llama-4-Maverick-17B-128E-Instruct": 401_583_781_376 - 871_932_416,
}
PUBLISHED_ACTIVE: dict[str, int] = {"Qwen--Qwen3-30B-A3B": 3_353_032_704,
                                    "Qwen--Qwen3-VL-30B-A3B-Instruct": 3_353_032_704,
                                    "google--gemma-4-26B-A4B": 3_822_530_590,  # card: 3.8B
                                    "deepseek-ai--DeepSeek-V4-Flash": 13_799_632_471,  # card: 13B, without embedding
                                    "zai-org--GLM-5-FP8": 41_784_728_832,  # README: 40B, without embedding
                                    "XiaomiMiMo--MiMo-V2-Flash": 15_445_936_320,  # README: 15B
                                    "Qwen--Qwen3-Next-80B-A3B-Instruct": 3_874_929_408,
                                    "Qwen--Qwen3.5-35B-A3B": 3_454_988_928,
                                    "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 3_580_076_352,  # 3.6B
                                    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8": 12_770_237_440,
                                    "moonshotai--Kimi-Linear-48B-A3B-Instruct": 3_484_459_904,
                                    "LiquidAI--LFM2-8B-A1B": 1_557_740_992,  # card: 1.5B
                                    "ibm-granite--granite-4.0-h-small": 8_803_121_664,  # card: 9B
                                    "zai-org--GLM-4.5-Air": 13_424_129_664}  # README: 12B, without embedding
# Elements that a token adds without end, and that windows hold: counted by hand from the papers.
KNOWN_KV: dict[str, int] = {"deepseek-ai--DeepSeek-V3.2": 61 * (512 + 64 + 128), "zai-org--GLM-5-FP8": 78 * (512 + 64 + 128),
                            "deepseek-ai--DeepSeek-V4-Flash": 21 * (512 + 128) // 4 + 20 * 512 // 128,
                            "MiniMaxAI--MiniMax-M3": 60 * 2 * 4 * 128 + 57 * 128,
                            "XiaomiMiMo--MiMo-V2-Flash": 9 * 4 * (192 + 128),
                            "Qwen--Qwen3-VL-30B-A3B-Instruct": 49_152,
                            "google--gemma-4-26B-A4B": 5 * 2 * 2 * 512,
                            "nvidia--Llama-3_3-Nemotron-Super-49B-v1": 100_352}
# Heads x key x value sizes and the inputs of convolutions, of all layers with a state: by hand, too.
KNOWN_STATE: dict[str, int] = {
    "deepseek-ai--DeepSeek-V4-Flash": 21 * (2 * 8 * 1024 + 2 * 8 * 256) + 20 * 2 * 128 * 512,
    "Qwen--Qwen3-Next-80B-A3B-Instruct": 36 * (32 * 128 * 128 + 3 * 8192),
    "Qwen--Qwen3.5-35B-A3B": 30 * (32 * 128 * 128 + 3 * 8192),
    "nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-BF16": 23 * (64 * 64 * 128 + 3 * 6144),
    "nvidia--NVIDIA-Nemotron-3-Super-120B-A12B-FP8": 40 * (128 * 64 * 128 + 3 * 10240),
    "moonshotai--Kimi-Linear-48B-A3B-Instruct": 20 * (32 * 128 * 128 + 3 * 3 * 4096),
    "LiquidAI--LFM2-1.2B": 10 * 2 * 2048,
    "tiiuae--Falcon-H1-0.5B-Base": 36 * (24 * 64 * 128 + 3 * (1536 + 2 * 128)),
    "ibm-granite--granite-4.0-h-small": 36 * (128 * 64 * 128 + 3 * (8192 + 2 * 128)),
    "mistralai--Mamba-Codestral-7B-v0.1": 64 * (128 * 64 * 128 + 3 * (8192 + 2 * 8 * 128))}
KNOWN_WINDOW: dict[str, int] = {"deepseek-ai--DeepSeek-V4-Flash": 43 * 128 * 512,
                                "google--gemma-4-26B-A4B": 25 * 1024 * 2 * 8 * 256,
                                "XiaomiMiMo--MiMo-V2-Flash": 39 * 128 * 8 * (192 + 128)}
