//===- HfFamilies.h - What families of models differ in ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_HFFAMILIES_H
#define LLM_LIB_IMPORT_HFFAMILIES_H

#include "HfFields.h"
#include "llm/Import/ModelConfig.h"

namespace mlir::llm {

/// What may differ between the configs of families.
enum HfTrait : unsigned {
  RotatesPart = 1,  ///< rotary embedding may turn a part of a head
  HasOwnWidths = 2, ///< intermediate_size in each layer, instead of one
  HasOwnRopes = 4,  ///< `read` reads rotary embeddings, of kinds of layers
  HasNoHeads = 8    ///< no layer attends
};

/// A value of `model_type`, and how its fields become layers. `read` gets a
/// model with what all families share. Its layers are equal by then.
struct HfFamily {
  llvm::StringLiteral modelType;
  /// The value that `hidden_act` must have. If it is empty, `read` looks at it.
  llvm::StringLiteral activation;
  double theta;   ///< `rope_theta` if it is absent
  double epsilon; ///< `rms_norm_eps` if it is absent
  void (*read)(HfFields &fields, ModelConfig &model);
  unsigned traits = 0;
  /// Counts layers, for families in which num_hidden_layers may be absent.
  int64_t (*countLayers)(HfFields &fields) = nullptr;
  /// Reads the modules that predict further tokens. Null: they are not known.
  void (*readFurther)(HfFields &fields, ModelConfig &model) = nullptr;

  bool has(HfTrait trait) const { return traits & trait; }
};

/// Finds the family that the config names. Returns null after an error.
const HfFamily *findHfFamily(const LocatedJson &config);

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_HFFAMILIES_H
