//===- Workload.h - What an op does, as loops and buffers -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workload is a few stages (sweeps) over common loops that touch buffers
// through affine maps. It says what is computed and which elements are touched.
// It says nothing about tiles, machines or time.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_WORKLOAD_WORKLOAD_H
#define LLM_WORKLOAD_WORKLOAD_H

#include "llm/Diagnostics/Reasons.h"
#include "llm/Support/Kinds.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallBitVector.h"

#include <memory>
#include <optional>
#include <string>

namespace mlir {
class PatternRewriter;
class RewriterBase;
} // namespace mlir

namespace mlir::llm {

/// A count of elements, points or bytes. It is a failure if it does not fit
/// into 64 bits.
using Count = FailureOr<int64_t>;

/// The iterations [begin, end) of one loop.
struct Interval {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
};
/// One interval per loop of the workload.
using Box = ArrayRef<Interval>;

/// Iterations [begin, begin + extent).
struct Loop {
  std::string name;
  utils::IteratorType kind;
  int64_t extent = 0;
  /// How tiles of the loop may follow each other.
  enum class Tiles : uint8_t {
    Whole,    ///< a tile has all of it (the head dimension of attention)
    AnyOrder, ///< each on its own
    /// A value is carried from one iteration to the next (the state of a
    /// recurrence). Tiles follow each other, and never run at once.
    InOrder,
    /// A stage carries a value along all of the loop that a later stage needs
    /// (the row of a norm). A tile has all of the loop, or, if that does not
    /// fit, each stage sweeps over its tiles anew.
    PerStage,
  } tiles = Tiles::AnyOrder;
  /// Says whether the loop may be cut into pieces that run in any order, or at
  /// once.
  bool isTileable() const { return tiles == Tiles::AnyOrder; }
  /// The first iteration. It is above 0 in a part of an op
  /// (`Workload::within`).
  int64_t begin = 0;
  /// Where the groups of iterations end that take one slice of a buffer each
  /// (the rows of an expert), increasing. Null: there are no groups.
  std::shared_ptr<const std::vector<int64_t>> groupEnds = nullptr;
};

/// An operand or result in memory: `map` takes loop indices to element indices.
/// A temporary exists on chip only (the scores of fused attention). It takes
/// room in a tile and is never moved. A state is read before and written behind
/// the iterations that change it (of a recurrence, between two tokens).
struct Buffer {
  enum class Role { Read, Write, Temporary, State } role = Role::Read;
  std::string name; ///< the operand's or result's name in the op's definition
  Value value;
  AffineMap map;
  Type elementType;
  /// If each token takes only some slices of a weight (experts), this is how
  /// many slices there are, and how many a token takes. With 0, it takes all.
  int64_t slices = 0, slicesPerToken = 0;
  /// The map only says how many elements are touched. Which ones, or which of
  /// them decide about an iteration, is known at run time (rows of a table, of
  /// experts).
  bool isGathered = false;
  /// Operands of the op that say at run time which elements those are. They
  /// cannot be fetched before these values are computed. For experts, it is the
  /// choice of a router; empty if all of a buffer is read in any case.
  SmallVector<Value, 1> selectedBy = {};
  /// A value that one op makes and another one takes inside of one kernel. A
  /// tile of it stays until all of that is done.
  bool isKept = false;
  /// Such a value lies where the op that reads it writes its own result. It
  /// takes no room beside that.
  bool isInPlace = false;
  /// A temporary may be made by one engine while another one uses it.
  bool isHandedOver = false;
  /// The buffer is needed only when the sums of a contraction are complete. One
  /// tile is enough, which is fetched while the sums are made.
  bool isLate = false;
  /// For ops that run as one, this says whether an op that reads it contracts
  /// it, also if it is computed inside. Without a value, it follows from the
  /// loops.
  std::optional<bool> isContracted = std::nullopt;
};

/// One sweep over a subset of the loops. Stages run one after the other. The
/// kinds of work within one stage run side by side on their own pipes.
struct Stage {
  std::string name;
  llvm::SmallBitVector loops;
  EngineKind engine = EngineKind::Vector;
  SmallVector<std::pair<WorkKind, int64_t>, 4> workPerPoint;
  /// Returns the kind of work whose pipe does work of this kind: the lanes of a
  /// vector engine do its multiply-accumulates, too.
  WorkKind pipeOf(WorkKind kind) const {
    return kind == WorkKind::Mac && engine == EngineKind::Vector ? WorkKind::Alu
                                                                 : kind;
  }
};

/// Chips of a group along one axis of the grid, `stride` apart.
struct GroupAxis {
  int64_t chips, stride;
};

/// What an op exchanges with other chips.
struct Collective {
  CollectiveKind kind;
  int64_t chips; ///< of a group, two or more
  /// How many neighbouring chips of the grid the group lies within. The first
  /// link that joins so many carries the bytes.
  int64_t span;
  /// What each chip has, or, of an all-gather, what it has at the end.
  int64_t bytes;
  /// The axes of the group. If there are none, its chips are equally far apart.
  SmallVector<GroupAxis, 2> axes = {};

  /// Returns how many chips of the group are among as many neighbours.
  int64_t countAmong(int64_t neighbours) const;
};

/// A box of iterations in the IR: where it begins, and how many iterations
/// there are along each loop. These are values if they are known only at run
/// time.
struct IterationBox {
  SmallVector<OpFoldResult> offsets, sizes;
};

struct Composition;

struct Workload {
  SmallVector<Loop, 6> loops;
  SmallVector<Buffer, 4> buffers;
  SmallVector<Stage, 4> stages;
  /// Loops that a mask couples: counts over them are not a product, so that
  /// sums over their tiles are taken tile by tile.
  llvm::SmallBitVector maskedLoops;
  /// Of an op that moves bytes between chips.
  std::optional<Collective> collective = std::nullopt;
  /// What each of several ops that run as one is: see Composition.h.
  std::shared_ptr<const Composition> composition;

  /// Returns the box of all iterations.
  SmallVector<Interval, 6> fullBox() const;
  /// Returns the share of the work that lies in `box`, which is inside of the
  /// full box.
  Workload within(Box box) const;
  /// Returns the engine kinds that the stages need.
  EngineKindSet engineKinds() const;
  /// Returns the type in which the multiply-accumulates run: the widest of the
  /// contracted operands. Returns null if there are none.
  Type macElementType() const;
  /// Says whether the buffer is an operand that a multiply-accumulate stage
  /// reduces over. It may be a value that is kept inside of a kernel of several
  /// ops.
  bool isContracted(const Buffer &buffer) const;
  std::optional<unsigned> findLoop(StringRef name) const;
  /// Returns the loops that the buffer's map uses.
  llvm::SmallBitVector loopsOf(const Buffer &buffer) const;
  /// Returns how many stages sweep over the elements of a buffer that is read.
  /// 1 for a buffer that is written, or that does not have all loops.
  int64_t countSweeps(unsigned buffer) const;
  /// Appends a stage over the loops with the given names.
  Stage &addStage(StringRef name, EngineKind engine,
                  ArrayRef<StringRef> loopNames,
                  ArrayRef<std::pair<WorkKind, int64_t>> workPerPoint);
  /// Appends a buffer whose dimensions are indexed by the loops with the given
  /// names.
  Buffer &addBuffer(Buffer::Role role, StringRef name, Value value,
                    Type elementType, ArrayRef<StringRef> loopNames);
  /// Does the same for a tensor. The buffer has the tensor's elements.
  Buffer &addBuffer(Buffer::Role role, StringRef name, Value tensor,
                    ArrayRef<StringRef> loopNames);
};

/// A reduction in parts that run at once, see `getPartialReduction`.
struct PartialReduction {
  /// The op with partial results. Each part runs a box of its loops. It has all
  /// buffers of the op that it still touches, by name.
  Workload part;
  /// The step that runs once, after all parts. It reads what they wrote, and
  /// writes the results of the op.
  Workload combine;
};

/// Returns the workload of an op that reads `inputs` and writes `out`, tensors
/// of one shape, element by element: loops d0, d1, .. and one vector stage,
/// "map".
FailureOr<Workload>
elementwiseWorkload(Operation *op, EmitError emitError,
                    ArrayRef<std::pair<StringRef, Value>> inputs, Value out,
                    ArrayRef<std::pair<WorkKind, int64_t>> workPerElement);

/// Elements of a tensor that another one shows. In each dimension there are
/// `size` of them from `begin` on, each `stride` behind the one before.
struct ShownBox {
  struct Range {
    int64_t begin, size, stride;
  };
  Value source;
  SmallVector<Range, 4> ranges;
};

/// What a SourceOpInterface op shows.
enum class SourceKind { Weight, Cache };

/// Returns the product of the box's intervals over the stage's loops.
Count countPointsOfProduct(const Workload &workload, unsigned stage, Box box);
/// Returns the elements of the bounding box of the buffer's map over `box`.
Count countElementsOfProduct(const Workload &workload, unsigned buffer,
                             Box box);

/// Emits an error that names the type of an operand or result without a static
/// shape, or without elements.
LogicalResult requireStaticShapes(Operation *op, EmitError emitError);

/// The bytes that `shape` elements take in memory, densely packed and rounded
/// up to whole bytes, with the scales of the type if it has any. This is the
/// one function for every byte count.
Count storageBytes(Type elementType, ArrayRef<int64_t> shape);
/// Does the same for a whole tensor or cache. Fails for dynamic shapes and
/// other types.
Count storageBytes(Type type);
/// Does the same for some elements of a buffer, such as a tile of it, or as
/// many as are moved altogether. Scales count in proportion.
Count storageBytes(const Buffer &buffer, int64_t elements);
/// Returns the bytes of all of the values.
Count storageBytesOf(ValueRange values);
/// Returns the type of single values of an element type, in which arithmetic is
/// done: the type itself, or the one behind its scales.
Type valueTypeOf(Type elementType);

} // namespace mlir::llm

#include "llm/Workload/WorkloadInterfaces.h.inc"
#include "llm/Workload/WorkloadTypeInterfaces.h.inc"

namespace mlir::llm {

/// Says whether no mask hides anything, as if one query sees all keys. The
/// counts of any box are then those of the product.
bool hidesNothing(WorkloadOpInterface op, const Workload &workload);

} // namespace mlir::llm

#endif // LLM_WORKLOAD_WORKLOAD_H
