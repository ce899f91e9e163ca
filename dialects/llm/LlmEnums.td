//===- LlmEnums.td - Enumerations of the llm dialect -------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLMENUMS
#define LLM_DIALECT_LLMENUMS

include "mlir/IR/EnumAttr.td"
include "LlmBase.td"

class Llm_Enum<string name, string summary, list<I32EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::mlir::llm";
}

def Llm_MaskKind : Llm_Enum<"MaskKind", "which keys a query sees", [
  I32EnumCase<"Causal", 0, "causal">, // key t <= s + (keys - queries)
  I32EnumCase<"Full", 1, "full">      // every key
]>;

def Llm_RopeScalingKind : Llm_Enum<"RopeScalingKind", "how angles are scaled", [
  I32EnumCase<"Linear", 0, "linear">, // all by one factor
  I32EnumCase<"Llama3", 1, "llama3">, // slow ones by a factor, fast ones stay
  I32EnumCase<"Yarn", 2, "yarn">,     // the same, along another ramp
  I32EnumCase<"Listed", 3, "listed">, // each by its own factor (LongRoPE)
  I32EnumCase<"Proportional", 4, "proportional"> // fast ones stay, the others do not turn
]>;

def Llm_ActivationKind : Llm_Enum<"ActivationKind", "elementwise nonlinearity", [
  I32EnumCase<"Silu", 0, "silu">,
  I32EnumCase<"Gelu", 1, "gelu">,
  I32EnumCase<"GeluTanh", 2, "gelu_tanh">,
  I32EnumCase<"Relu", 3, "relu">,
  I32EnumCase<"Relu2", 4, "relu2">,
  I32EnumCase<"Sigmoid", 5, "sigmoid">,
  I32EnumCase<"Softplus", 6, "softplus">
]>;
def Llm_ActivationKindAttr : EnumAttr<Llm_Dialect, Llm_ActivationKind, "activation_kind">;

def Llm_LinearRule : Llm_Enum<"LinearRule", "what a token writes into the state of linear attention", [
  I32EnumCase<"Additive", 0, "additive">, // its value
  I32EnumCase<"Delta", 1, "delta">        // what of its value the state lacks
]>;
def Llm_LinearRuleAttr : EnumAttr<Llm_Dialect, Llm_LinearRule, "linear_rule">;

def Llm_ExpertScoring : Llm_Enum<"ExpertScoring", "how experts are scored", [
  I32EnumCase<"Softmax", 0, "softmax">,          // of all logits of a token
  I32EnumCase<"Sigmoid", 1, "sigmoid">,          // of each logit
  I32EnumCase<"TopkSoftmax", 2, "topk_softmax">, // of the largest logits only
  I32EnumCase<"TopkSigmoid", 3, "topk_sigmoid">, // of each of the largest logits
  I32EnumCase<"SqrtSoftplus", 4, "sqrt_softplus"> // of each logit
]>;
def Llm_ExpertScoringAttr : EnumAttr<Llm_Dialect, Llm_ExpertScoring, "expert_scoring">;

def Llm_Routing : Llm_Enum<"Routing", "how the tokens of a batch spread over experts", [
  I32EnumCase<"Uniform", 0, "uniform">,   // at random: the number that is met on average
  I32EnumCase<"Balanced", 1, "balanced">, // as many experts as there can be
  I32EnumCase<"Zipf", 2, "zipf">          // in proportion to 1 / rank
]>;
def Llm_RoutingAttr : EnumAttr<Llm_Dialect, Llm_Routing, "routing">;

def Llm_Sampling : Llm_Enum<"Sampling", "how the next token is chosen", [
  I32EnumCase<"Greedy", 0, "greedy">,          // the largest logit
  I32EnumCase<"Categorical", 1, "categorical"> // drawn with the probabilities
]>;
def Llm_SamplingAttr : EnumAttr<Llm_Dialect, Llm_Sampling, "sampling">;

def Llm_TileStrategy : Llm_Enum<"TileStrategy", "who chose a tile", [
  I32EnumCase<"Theoretical", 0, "theoretical">, // the closed form of hand-made cost sheets
  I32EnumCase<"Search", 1, "search">,           // the search of llm-tile
  I32EnumCase<"Manual", 2, "manual">,           // a person, or another compiler, chose its sizes
  I32EnumCase<"Pinned", 3, "pinned">            // the same, with its split
]>;

def Llm_Join : Llm_Enum<"Join", "what becomes of the values that several chips have", [
  I32EnumCase<"Sum", 0, "sum">,
  I32EnumCase<"Max", 1, "max">
]>;
def Llm_JoinAttr : EnumAttr<Llm_Dialect, Llm_Join, "join">;

def Llm_CostBound : Llm_Enum<"CostBound", "what a part's length is made of", [
  I32EnumCase<"Compute", 0, "compute">,
  I32EnumCase<"Memory", 1, "memory">,
  I32EnumCase<"Overhead", 2, "overhead">        // overhead and serial cycles dominate
]>;

def Llm_Phase : Llm_Enum<"Phase", "phase of inference", [
  I32EnumCase<"Decode", 0, "decode">,
  I32EnumCase<"Prefill", 1, "prefill">,
  I32EnumCase<"Verify", 2, "verify">,  // of drafts (speculative decoding)
  I32EnumCase<"Mixed", 3, "mixed">     // decode, with a chunk of a prompt beside it
]>;

#endif // LLM_DIALECT_LLMENUMS
