//===- Llm.td - The whole llm dialect ----------------------*- tablegen -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_DIALECT_LLM
#define LLM_DIALECT_LLM

include "LlmBase.td"
include "LlmEnums.td"
include "LlmTypes.td"
include "LlmAttrs.td"
include "LlmSourceOps.td"
include "LlmOps.td"
include "LlmAttentionOps.td"
include "LlmRecurrentOps.td"
include "LlmCompressedOps.td"
include "LlmExpertOps.td"
include "LlmModelEndOps.td"
include "LlmCollectiveOps.td"
include "LlmFusedOps.td"

#endif // LLM_DIALECT_LLM
