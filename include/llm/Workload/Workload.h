//===- Workload.h - What an op does, as loops and buffers -------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workload is a few stages (sweeps) over common loops, which touch buffers
// through affine maps. It says what is computed and which elements are touched,
// and nothing about tiles, machines or time.
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

/// A loop with the iterations [begin, begin + extent).
struct Loop {
  std::string name;
  utils::IteratorType kind;
  int64_t extent = 0;
  /// How tiles of the loop may follow each other.
  enum class Tiles : uint8_t {
    Whole,    ///< a tile has the whole loop (the head dimension of attention)
    AnyOrder, ///< tiles do not depend on each other
    /// A value is carried from one iteration to the next (the state of a
    /// recurrence). Tiles follow each other, and never run at once.
    InOrder,
    /// A later stage needs a value that an earlier one carries along the whole
    /// loop (the row of a norm). A tile has the whole loop. If that does not
    /// fit, each stage sweeps over the tiles by itself.
    PerStage,
  } tiles = Tiles::AnyOrder;
  /// Says whether the loop may be cut into pieces that run in any order, or at
  /// once.
  bool isTileable() const { return tiles == Tiles::AnyOrder; }
  /// The first iteration. It is above 0 in a part of an op
  /// (`Workload::within`).
  int64_t begin = 0;
  /// The ends of groups of iterations, increasing. Each group uses one slice of
  /// a buffer (the rows of an expert). It is null if there are no groups.
  std::shared_ptr<const std::vector<int64_t>> groupEnds = nullptr;
};

/// An operand or result in memory: `map` takes loop indices to element indices.
/// A temporary exists only on chip (the scores of fused attention). It takes
/// room in a tile and is never moved. A state is read before and written after
/// the iterations that change it (the state of a recurrence).
struct Buffer {
  enum class Role { Read, Write, Temporary, State } role = Role::Read;
  std::string name; ///< the operand's or result's name in the op's definition
  Value value;
  AffineMap map;
  Type elementType;
  /// If each token uses only some slices of a weight (experts): the number of
  /// slices, and how many of them a token uses. With 0, it uses all.
  int64_t slices = 0, slicesPerToken = 0;
  /// Whether the map only says how many elements are touched. Which ones an
  /// iteration touches is known only at run time (rows of a table, rows of
  /// experts).
  bool isGathered = false;
  /// The operands of the op that say at run time which elements these are, such
  /// as the choice of a router. A buffer cannot be fetched before they are
  /// computed. It is empty if all of the buffer is read in any case.
  SmallVector<Value, 1> selectedBy = {};
  /// Whether it is a value that one op makes and another one uses inside of one
  /// kernel. A tile of it stays on chip until it is not needed any more.
  bool isKept = false;
  /// Whether the op that reads such a value overwrites it with its own result.
  /// It takes no room besides that.
  bool isInPlace = false;
  /// Whether one engine makes the temporary and another one uses it.
  bool isHandedOver = false;
  /// Whether the buffer is needed only when the sums of a contraction are
  /// complete. One tile is enough, which is fetched while the sums are made.
  bool isLate = false;
  /// For ops that run as one: whether an op that reads the buffer contracts it,
  /// even if it is computed inside. Without a value, it follows from the loops.
  std::optional<bool> isContracted = std::nullopt;
};

/// One sweep over a subset of the loops. Stages run one after the other. The
/// kinds of work within one stage run side by side on their own pipes.
struct Stage {
  std::string name;
  llvm::SmallBitVector loops;
  EngineKind engine = EngineKind::Vector;
  SmallVector<std::pair<WorkKind, int64_t>, 4> workPerPoint;
  /// Returns the kind of work whose pipe does work of this kind. On a vector
  /// engine, the lanes for Alu work also do multiply-accumulates.
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
  int64_t chips; ///< chips of a group, two or more
  /// The number of neighbouring chips of the grid among which the group lies.
  /// The first link that joins so many carries the bytes.
  int64_t span;
  /// The bytes that each chip has, or for an all-gather, that it has at the
  /// end.
  int64_t bytes;
  /// The axes of the group. If there are none, its chips are equally far apart.
  SmallVector<GroupAxis, 2> axes = {};

  /// Returns how many chips of the group are among as many neighbours.
  int64_t countAmong(int64_t neighbours) const;
};

/// A box of iterations in the IR: where it begins, and the number of iterations
/// along each loop. They are values if they are known only at run time.
struct IterationBox {
  SmallVector<OpFoldResult> offsets, sizes;
};

struct Composition;

struct Workload {
  SmallVector<Loop, 6> loops;
  SmallVector<Buffer, 4> buffers;
  SmallVector<Stage, 4> stages;
  /// The loops that a mask couples. Counts over them are not a product, so that
  /// sums over their tiles are computed tile by tile.
  llvm::SmallBitVector maskedLoops;
  /// The exchange of an op that moves bytes between chips.
  std::optional<Collective> collective = std::nullopt;
  /// The ops, if several run as one (see Composition.h).
  std::shared_ptr<const Composition> composition;

  /// Returns the box of all iterations.
  SmallVector<Interval, 6> fullBox() const;
  /// Returns the part of the work that lies in `box`, which must be inside of
  /// the full box.
  Workload within(Box box) const;
  /// Returns the engine kinds that the stages need.
  EngineKindSet engineKinds() const;
  /// Returns the type in which the multiply-accumulates run, which is the
  /// widest type of the contracted operands. Returns null if there are none.
  Type macElementType() const;
  /// Says whether a multiply-accumulate stage contracts the buffer. It may be a
  /// value that is kept inside of a kernel of several ops.
  bool isContracted(const Buffer &buffer) const;
  std::optional<unsigned> findLoop(StringRef name) const;
  /// Returns the loops that the buffer's map uses.
  llvm::SmallBitVector loopsOf(const Buffer &buffer) const;
  /// Returns how many stages sweep over the elements of a buffer that is read.
  /// It is 1 for a buffer that is written, or whose map does not use all loops.
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

/// A reduction that is cut into parts that may run at once (see
/// `getPartialReduction`).
struct PartialReduction {
  /// The op with partial results. Each part runs a box of its loops. Buffers of
  /// the op that it still touches keep their names.
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

/// The elements of a tensor that another one shows. In each dimension they are
/// the indices begin, begin + stride, .., `size` of them.
struct ShownBox {
  struct Range {
    int64_t begin, size, stride;
  };
  Value source;
  SmallVector<Range, 4> ranges;
};

/// The kind of memory that a SourceOpInterface op shows.
enum class SourceKind { Weight, Cache };

/// Returns the product of the box's intervals over the stage's loops.
Count countPointsOfProduct(const Workload &workload, unsigned stage, Box box);
/// Returns the elements of the bounding box of the buffer's map over `box`.
Count countElementsOfProduct(const Workload &workload, unsigned buffer,
                             Box box);

/// Emits an error that names the type of an operand or result without a static
/// shape, or without elements.
LogicalResult requireStaticShapes(Operation *op, EmitError emitError);

/// Returns the bytes that `shape` elements take in memory, densely packed and
/// rounded up to whole bytes, with the scales of the type if it has any. Every
/// count of bytes comes from this function.
Count storageBytes(Type elementType, ArrayRef<int64_t> shape);
/// Does the same for a whole tensor or cache. Fails for dynamic shapes and
/// other types.
Count storageBytes(Type type);
/// Does the same for some elements of a buffer, such as those of a tile, or all
/// that are moved. Scales count in proportion.
Count storageBytes(const Buffer &buffer, int64_t elements);
/// Returns the bytes of all of the values.
Count storageBytesOf(ValueRange values);
/// Returns the type of single values of an element type, in which arithmetic is
/// done. For a block-scaled type, it is that of the values without scales.
Type valueTypeOf(Type elementType);

} // namespace mlir::llm

#include "llm/Workload/WorkloadInterfaces.h.inc"
#include "llm/Workload/WorkloadTypeInterfaces.h.inc"

namespace mlir::llm {

/// Says whether a mask hides nothing, for example if one query sees all keys.
/// The counts of any box are then those of the product.
bool hidesNothing(WorkloadOpInterface op, const Workload &workload);

} // namespace mlir::llm

#endif // LLM_WORKLOAD_WORKLOAD_H
