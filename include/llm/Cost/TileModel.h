//===- TileModel.h - Traffic and room of a tiled op -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_TILEMODEL_H
#define LLM_COST_TILEMODEL_H

#include "llm/Workload/Workload.h"

#include <map>

namespace mlir::llm {

/// How the iterations of a workload are cut: the size of a tile along each
/// loop, and the loops from outermost to innermost.
struct Tiling {
  SmallVector<int64_t, 6> sizes;
  SmallVector<unsigned, 6> order;
};

/// Returns the bytes of an element; 0 if scales, or bits that are no whole
/// byte, need more care.
int64_t wholeBytesOf(Type elementType);

/// What a tiled op moves between the memory that holds its tiles and those
/// beyond.
///
/// A tile of a buffer stays until an iteration needs another one. So a buffer
/// is moved once for each iteration of those loops that it does not use and
/// that lie outside the innermost loop that changes its tile. Ragged edges are
/// exact. A result whose reduction is interrupted that way is spilled and
/// fetched again as 32-bit partial sums. A state is moved as it is. If each
/// stage sweeps over the tiles of a row, what several stages read is moved for
/// each.
///
/// A memory on the way that has room for all that some inner loops touch holds
/// it until they touch something else. It has one large tile of each buffer.
class TileModel {
public:
  /// `op` and `workload` must outlive the model.
  TileModel(WorkloadOpInterface op, const Workload &workload);

  int64_t trips(const Tiling &tiling, unsigned loop) const;
  /// Says whether stages sweep over the tiles of a row one after the other
  /// (`Loop::Tiles::PerStage`).
  bool sweepsPerStage(const Tiling &tiling) const;
  /// Says whether a tile of the buffer stays until no iteration needs it any
  /// more.
  bool isKept(const Tiling &tiling, unsigned buffer) const;
  /// Returns the tiles of a memory on the way. As many inner loops are whole as
  /// fit into `room`, with one tile of each buffer. Returns nothing if the
  /// smallest tiles do not fit.
  std::optional<Tiling> growTilesInto(int64_t room, const Tiling &tiling) const;
  /// Bytes that one buffer moves, in both directions. Fails if they do not fit
  /// into 64 bits, or if a value inside a kernel would be computed again.
  Count trafficBytes(const Tiling &tiling, unsigned buffer) const;
  /// Bytes of one buffer that arithmetic reads and writes in the memory of the
  /// tiles. Each stage and each iteration over tiles does so once.
  Count usedBytes(const Tiling &tiling, unsigned buffer) const;
  /// Bytes of one full tile of a buffer.
  Count tileBytes(const Tiling &tiling, unsigned buffer) const;
  /// Returns the number of tiles that are held: 2 if the next tile is fetched
  /// while this one is used, 1 if there is no next.
  int64_t tilesHeld(const Tiling &tiling, unsigned buffer) const {
    return tilesHeld(workload, shapes[buffer], tiling);
  }
  /// Does the same for callers that ask for nothing else.
  static int64_t tilesHeld(const Workload &workload, unsigned buffer,
                           const Tiling &tiling);
  /// Returns the room in bytes of all tiles held.
  Count workingSetBytes(const Tiling &tiling, ArrayRef<int64_t> held) const;
  Count workingSetBytes(const Tiling &tiling) const;
  /// Returns the bytes of every element once. No tiling can move fewer.
  Count compulsoryBytes(unsigned buffer) const;

private:
  /// Calls `visit` for each cut loop that brings tiles of the buffer back. The
  /// buffer does not have such a loop, and the loop is around one that changes
  /// the tile.
  template <typename Visit>
  void forEachReturn(const Tiling &tiling, unsigned buffer, Visit visit) const;
  /// Elements of a buffer, once for each iteration over tiles of those loops
  /// that `forEach` visits, which the buffer does not have.
  template <typename ForEach>
  Count touchedElements(const Tiling &tiling, unsigned buffer,
                        ForEach forEach) const;
  /// Bytes that are written, with 32-bit partial sums for each interruption.
  Count writtenBytes(unsigned buffer, int64_t touched) const;
  /// Room for a tile of `box`; for a result, room for sums that are not
  /// complete.
  Count roomOfTile(const Tiling &tiling, const Tiling &box,
                   unsigned buffer) const;
  /// Elements moved when the masked loops in `outer` are cut into tiles of
  /// `sizes`.
  Count maskedElements(unsigned buffer, const llvm::SmallBitVector &outer,
                       const Tiling &tiling) const;
  /// Bytes of some elements of a buffer.
  Count bytesOf(unsigned buffer, int64_t elements) const;
  int64_t simpleWorkingSetBytes(const Tiling &tiling) const;
  /// Elements of one full tile of a buffer.
  Count tileElements(const Tiling &tiling, unsigned buffer) const;

  WorkloadOpInterface op;
  const Workload &workload;
  /// What the search needs to know about a buffer again and again.
  struct Shape {
    SmallVector<unsigned, 4> loops; ///< that it has
    /// Says whether each dimension has one loop of its own, or none.
    bool isProduct;
    /// The bytes of one element, for up to so many elements; 0 if scales, or
    /// bits that are no whole byte, need more care.
    int64_t bytesPerElement, mostElements;
    bool takesRoom; ///< beside other buffers
    bool holdsNext; ///< while a tile is used, where there is one
  };
  static Shape shapeOf(const Buffer &buffer, const llvm::SmallBitVector &loops);
  static int64_t tilesHeld(const Workload &workload, const Shape &buffer,
                           const Tiling &tiling);

  SmallVector<llvm::SmallBitVector, 4> loopsOf;
  SmallVector<Shape, 4> shapes;
  /// Says whether no tile of a buffer is above 64 bits or rounded to whole
  /// bytes.
  bool areShapesSimple = true;
  SmallVector<int64_t, 4> sweeps; ///< of stages over each buffer
  SmallVector<Count, 4> fullElements, fullBytes;
  /// Sums over tiles of masked loops, which the search needs again and again.
  mutable std::map<SmallVector<int64_t, 8>, Count> maskedSums;
};

} // namespace mlir::llm

#endif // LLM_COST_TILEMODEL_H
