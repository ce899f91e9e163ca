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

/// The degrees of parallelism: how many chips share what.
struct Degrees {
  int64_t tp = 1; ///< chips that share each product
  /// Chips, of those of tp and ep that would have copies of a KV head, that
  /// share its keys.
  int64_t cp = 1;
  int64_t ep = 1; ///< chips that share the experts
  int64_t dp = 1; ///< chips that share a batch; with experts it divides ep
  int64_t pp = 1; ///< stages of a pipeline, which share the layers
  int64_t interleave = 1; ///< parts of a batch, next to each other on one chip
  /// The chips of tp also share the rows of the values between products.
  bool sp = false;

  /// How many chips share each product, or the products of all experts.
  int64_t countForProducts(bool withExperts) const {
    return tp * (withExperts ? ep / dp : ep);
  }
};

/// What the axes of a grid are for. The name of an axis begins with its uses:
/// `tp` (products), `tp_sp` (products, and rows between them), `ep` (experts,
/// and all other products), `dp` (sequences), `dp_ep` (sequences, and experts),
/// `pp` (layers) and `interleave` (parts of a batch, on one chip). Anything may
/// follow. `_cp` at the end of one of products adds the keys of a KV head.
struct AxisRoles {
  SmallVector<StringAttr> batch;         ///< their chips share sequences
  SmallVector<StringAttr> products;      ///< theirs share each product
  SmallVector<StringAttr> experts;       ///< theirs share experts
  SmallVector<StringAttr> withinExperts; ///< theirs share one expert's products
  SmallVector<StringAttr>
      rows;          ///< theirs share rows of tokens between products
  SmallVector<StringAttr> keys; ///< theirs share the keys of a KV head
  StringAttr stages; ///< its chips are in different stages; null: no stages
  StringAttr parts;  ///< its places are parts of a batch; null: no parts

  static AxisRoles get(GridAttr grid);
  /// Says whether the grid has only an axis of stages, so that no op is cut.
  static bool areStagesOnly(GridAttr grid);
};

/// Returns the grid with these degrees. Neighbours share one expert, because
/// they exchange most. `heads` is the number of chips that have KV heads of
/// their own (`chipsOfKvHeads`). If more chips share them, an axis is split,
/// and the other chips have copies, or share keys.
GridAttr makeGrid(MLIRContext *context, const Degrees &degrees,
                  bool withExperts, int64_t heads);

/// Returns how many chips would have a copy of the same KV head. `cp` must
/// divide that.
int64_t chipsWithCopies(const Degrees &degrees, bool withExperts,
                        int64_t heads);

/// Says whether an op of the function belongs to a mixture of experts.
bool hasExperts(FunctionOpInterface function);

/// Cuts the ops of a function over the axes of the grid, by tensor parallelism
/// (Shoeybi et al., Megatron-LM, 2019), and experts over chips. It writes the
/// attribute `llm.shard` of each op.
///
/// The rules do not depend on names of ops. A product of a weight with a whole
/// activation is cut along the columns of the weight. If its activation is cut
/// along the reduction, the product is cut there. Cuts are passed on along the
/// loops of other ops (heads of attention) and through views. A product stays
/// whole if a later op needs all of a row (norms, routers). Ops that have
/// `llm.shard` keep it. The function must not have open sizes.
LogicalResult shardFunction(FunctionOpInterface function, GridAttr grid,
                            const AxisRoles &roles);

/// Makes the program of one chip as `llm.shard` says. Values get the types of
/// pieces. If a use needs a value with another cut than it has, collectives are
/// added. It is an error if something cannot be cut as `llm.shard` says. `room`
/// says for how many rows of its experts a chip has room.
LogicalResult partitionFunction(FunctionOpInterface function, GridAttr grid,
                                ExpertRoom room);

/// Makes an exchange of rows (`llm.expert_dispatch`, `llm.expert_combine`) of
/// each gather of tokens for experts and scatter of their sums, in the program
/// of one chip. Gathers that other ops read stay. Each part of a batch gets an
/// exchange of its own. `room` says for how many tokens a chip has room.
LogicalResult exchangeRowsOfExperts(FunctionOpInterface function, GridAttr grid,
                                    ExpertRoom room);

/// Whether the op adds up what chips have, and gives each of them all of the
/// sum or its piece.
bool isSumOverChips(Operation *op);

/// Divides products whose summands the chips add up into so many chunks of
/// rows, each with a sum of its own, so that one chunk computes while another
/// is added up. If chips get rows of the sum, chunks are of columns. Products of
/// fewer rows, and sums of anything else, stay as they are. The results do not
/// change.
LogicalResult splitSumsIntoChunks(FunctionOpInterface function, int64_t chunks);

/// Puts the parts of a batch next to each other into the program of one chip,
/// after `partitionFunction` has cut them as over chips. Each op has a copy for
/// each part. A part waits for another one only where an op needs the whole
/// batch, so that one part computes while another exchanges (two-batch
/// overlap).
LogicalResult unrollParts(FunctionOpInterface function, GridAttr grid);
/// Returns the grid without the axis of parts.
GridAttr withoutParts(GridAttr grid);

/// Writes `llm.stage` on ops, which says in which of so many stages they are,
/// so that the longest stage is as short as possible. Each stage is a run of
/// layers. The embedding is in the first stage, and the head in the last. Ops
/// of one layer and of one iteration of a loop stay together. `secondsOf`
/// returns the time of an op, or something in proportion to it. Does nothing to
/// a function in which an op has `llm.stage` already.
LogicalResult
assignStages(FunctionOpInterface function, int64_t stages,
             function_ref<FailureOr<double>(Operation *)> secondsOf);

/// Replaces the function by a function for each stage, as `llm.stage` says, and
/// returns these. A stage receives values that the stage before hands on, for
/// itself and for later stages (arguments without `llm.input`), and the
/// arguments of the whole program that it reads (`llm.input` is their number
/// there). It returns what the next stage receives. The last stage returns the
/// results of the whole program. Chips have `rounds` stages each.
FailureOr<SmallVector<FunctionOpInterface>>
splitIntoStages(FunctionOpInterface function, int64_t stages, int64_t rounds,
                int64_t microbatches);

/// Returns the largest number of chips that divides `chips` and the KV heads of
/// each cache in `root`, except single ones. If there are more chips, they have
/// copies. If all KV heads are single, `cp` chips that share keys count as one.
int64_t chipsOfKvHeads(Operation *root, int64_t chips, int64_t cp = 1);
/// Returns the same for caches with these numbers of KV heads.
int64_t chipsOfKvHeads(ArrayRef<int64_t> kvHeads, int64_t chips, int64_t cp);

} // namespace mlir::llm

#endif // LLM_SHARDING_SHARDING_H
