//===- Sharding.h - A program cut over the chips of a grid ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_SHARDING_SHARDING_H
#define LLM_SHARDING_SHARDING_H

#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/Sharding/ExpertRoom.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::llm {

/// How many chips share what.
struct Degrees {
  int64_t tp = 1; ///< each product
  int64_t ep = 1; ///< the experts
  int64_t dp = 1; ///< the sequences of a batch; with experts a divisor of ep
  int64_t pp = 1; ///< the layers: each has some of them, a stage of a pipeline
  /// Parts of a batch that are side by side on one chip.
  int64_t interleave = 1;
  /// The chips of tp share the rows of what lies between products, too.
  bool sp = false;

  /// How many chips share each product, or the products of all experts.
  int64_t countForProducts(bool withExperts) const {
    return tp * (withExperts ? ep / dp : ep);
  }
};

/// What the axes of a grid are for. An axis is named after its uses: `tp`,
/// `tp_sp` (products, and rows between them), `ep` (experts, and all other
/// products), `dp` (sequences), `dp_ep` (sequences, and experts), `pp`
/// (layers) and `interleave` (parts of a batch, on one chip), with whatever
/// stands behind.
struct AxisRoles {
  SmallVector<StringAttr> batch;         ///< share sequences, parts included
  SmallVector<StringAttr> products;      ///< share each product
  SmallVector<StringAttr> experts;       ///< share experts
  SmallVector<StringAttr> withinExperts; ///< share the products of one expert
  SmallVector<StringAttr> rows; ///< share the rows of tokens between products
  StringAttr stages; ///< have a stage each; null: all have all layers
  StringAttr parts;  ///< are parts of a batch on one chip; null: there are none

  static AxisRoles get(GridAttr grid);
  /// Whether chips share nothing but stages, so that no op is cut.
  static bool areStagesOnly(GridAttr grid);
};

/// Returns the grid with these degrees: neighbours share one expert, as they
/// exchange most. If there are fewer KV heads than chips that share them, an
/// axis is split, so that `heads` of these have some each, and the others
/// copies.
GridAttr makeGrid(MLIRContext *context, const Degrees &degrees,
                  bool withExperts, int64_t heads);

/// Whether an op of the function is one of a mixture of experts.
bool hasExperts(FunctionOpInterface function);

/// Cuts the ops of a function over the axes of the grid, by tensor parallelism
/// (Shoeybi et al., Megatron-LM, 2019), and experts over chips: writes
/// `llm.shard`.
///
/// No op is known by its name. A product of a weight with an activation that is
/// whole is cut along the columns of the weight, and one whose activation is
/// cut along the reduction stays cut there. What is cut is handed on along the
/// loops of other ops (heads of attention) and through views. A product stays
/// whole if an op behind it needs all of a row (norms, routers). Ops that have
/// `llm.shard` keep it. The function has no open sizes.
LogicalResult shardFunction(FunctionOpInterface function, GridAttr grid,
                            const AxisRoles &roles);

/// Makes the program of one chip of what `llm.shard` says: types of pieces, and
/// collectives where a value is needed otherwise than it is there. Reports what
/// cannot be cut as `llm.shard` says. A chip has room for so many rows of its
/// experts.
LogicalResult partitionFunction(FunctionOpInterface function, GridAttr grid,
                                ExpertRoom room);

/// Puts the parts of a batch, which `partitionFunction` has cut as over chips,
/// side by side into the program of one chip: a copy of each op for each part.
/// Nothing waits for the other part but what needs the whole batch, so that one
/// computes while the other exchanges (two-batch overlap).
LogicalResult unrollParts(FunctionOpInterface function, GridAttr grid);
/// The chips: the grid without the axis of parts.
GridAttr withoutParts(GridAttr grid);

/// Says which ops are in which of so many stages (`llm.stage`), so that the
/// longest stage is as short as it can be: a run of layers each, the embedding
/// in the first and the head in the last. Iterations of loops, and ops of one
/// layer, stay together. `secondsOf` is the time of an op, or something in
/// proportion to it. A function in which an op has `llm.stage` keeps what it
/// says.
LogicalResult
assignStages(FunctionOpInterface function, int64_t stages,
             function_ref<FailureOr<double>(Operation *)> secondsOf);

/// Makes a function of each stage of what `llm.stage` says, in place of this
/// one, and returns them. A stage receives what the one before has made for it
/// and for those behind (arguments without `llm.input`), and what it reads of
/// the arguments of the whole (`llm.input` is their number there). It returns
/// what the next one receives, and the last stage the results of the whole.
FailureOr<SmallVector<FunctionOpInterface>>
splitIntoStages(FunctionOpInterface function, int64_t stages,
                int64_t microbatches);

/// The largest number of chips that divides `chips` and the KV heads of each
/// cache in the module. More chips have copies of KV heads.
int64_t chipsOfKvHeads(Operation *root, int64_t chips);

} // namespace mlir::llm

#endif // LLM_SHARDING_SHARDING_H
