//===- TileModel.h - Traffic and room of a tiled op -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_COST_TILEMODEL_H
#define LLM_COST_TILEMODEL_H

#include "llm/Workload/Workload.h"
#include "llvm/Support/MathExtras.h"

#include <map>

namespace mlir::llm {

/// How the iterations of a workload are cut: the size of a tile along each
/// loop, and the loops from outermost to innermost.
struct Tiling {
  SmallVector<int64_t, 6> sizes;
  SmallVector<unsigned, 6> order;
};

/// Returns the bytes of an element. It is 0 if the element has scales or is not
/// a whole number of bytes, so that bytes must be counted with more care.
int64_t wholeBytesOf(Type elementType);

/// Computes what a tiled op moves between the memory of its tiles and those
/// beyond.
///
/// A tile of a buffer stays until an iteration needs another one. So a buffer
/// is moved once for each iteration of those loops that it does not use and
/// that lie outside the innermost loop that changes its tile. Ragged edges are
/// exact. A result whose reduction is interrupted that way is spilled and
/// fetched again as 32-bit partial sums. A state is moved as it is. If each
/// stage sweeps over the tiles of a row, a buffer is moved for each stage that
/// reads it.
///
/// A memory on the way may have room for everything that some inner loops
/// touch. It holds that, as one large tile of each buffer, until they touch
/// something else.
class TileModel {
public:
  /// `op` and `workload` must outlive the model.
  TileModel(WorkloadOpInterface op, const Workload &workload);

  /// Says whether there is more than one tile along a loop.
  bool isCut(const Tiling &tiling, unsigned loop) const {
    return tiling.sizes[loop] < extents[loop];
  }
  /// Returns the number of tiles along a loop.
  int64_t trips(const Tiling &tiling, unsigned loop) const {
    return isCut(tiling, loop)
               ? llvm::divideCeil(extents[loop], tiling.sizes[loop])
               : 1;
  }
  /// Says whether stages sweep over the tiles of a row one after the other
  /// (`Loop::Tiles::PerStage`).
  bool sweepsPerStage(const Tiling &tiling) const;
  /// Says whether a tile of the buffer stays until no iteration needs it any
  /// more.
  bool isKept(const Tiling &tiling, unsigned buffer) const;
  /// Returns the tiles of a memory on the way. As many inner loops are whole as
  /// fit into `room`, which has one tile of each buffer. Returns nothing if the
  /// smallest tiles do not fit.
  std::optional<Tiling> growTilesInto(int64_t room, const Tiling &tiling) const;
  /// Returns the cut loops that bring tiles of the buffer back: its map does
  /// not use them, and inside of them is a loop that changes the tile. They
  /// depend on the order of the cut loops alone, not on their sizes.
  SmallVector<unsigned, 2> returningLoops(const Tiling &tiling,
                                          unsigned buffer) const;
  /// Returns the bytes that one buffer moves, in both directions together.
  /// Fails if they do not fit into 64 bits, or if a value inside a kernel would
  /// be computed again.
  Count trafficBytes(const Tiling &tiling, unsigned buffer) const {
    return trafficBytesWith(returningLoops(tiling, buffer), tiling, buffer);
  }
  /// Does the same for a caller that knows the returning loops already.
  Count trafficBytesWith(ArrayRef<unsigned> returning, const Tiling &tiling,
                         unsigned buffer) const;
  /// Returns the bytes of one buffer that arithmetic reads and writes in the
  /// memory of the tiles. Each stage does so once in each iteration over tiles.
  Count usedBytes(const Tiling &tiling, unsigned buffer) const;
  /// Returns the bytes of one full tile of a buffer.
  Count tileBytes(const Tiling &tiling, unsigned buffer) const;
  /// Returns the number of tiles of a buffer that are held at a time. It is 2
  /// if the next tile is fetched while this one is used, and 1 if there is no
  /// next one.
  int64_t tilesHeld(const Tiling &tiling, unsigned buffer) const {
    return tilesHeld(workload, shapes[buffer], tiling);
  }
  /// Does the same without a model, for callers that need only this number.
  static int64_t tilesHeld(const Workload &workload, unsigned buffer,
                           const Tiling &tiling);
  /// Returns the room in bytes of all tiles held.
  Count workingSetBytes(const Tiling &tiling, ArrayRef<int64_t> held) const;
  Count workingSetBytes(const Tiling &tiling) const;
  /// Says whether this room grows evenly with the size of each loop that is
  /// cut.
  bool growsEvenly() const { return areShapesSimple; }
  /// Room in bytes by the size of one loop, while the others keep theirs.
  struct RoomAlongLoop {
    int64_t whole = 0;                   ///< with the whole loop in one tile
    int64_t fixed = 0, perIteration = 0; ///< for tiles that cut the loop
    int64_t cutInto(int64_t size) const { return fixed + perIteration * size; }
  };
  /// Returns the room of all tiles held. It must grow evenly.
  RoomAlongLoop roomAlong(unsigned loop, const Tiling &tiling) const;
  /// Returns the bytes of all elements of a buffer, each once. No tiling can
  /// move fewer.
  Count compulsoryBytes(unsigned buffer) const;

private:
  /// Returns the elements of a buffer, times the tiles of the `repeating`
  /// loops, which the buffer's map does not use.
  Count touchedElements(const Tiling &tiling, unsigned buffer,
                        ArrayRef<unsigned> repeating) const;
  /// Returns the bytes that are written, with 32-bit partial sums for
  /// interruptions.
  Count writtenBytes(unsigned buffer, int64_t touched) const;
  /// Returns the room for a tile of `box`. For a result, the room includes sums
  /// that are not complete.
  Count roomOfTile(const Tiling &tiling, const Tiling &box,
                   unsigned buffer) const;
  /// Returns the elements that are moved if the masked loops in `outer` are
  /// tiled.
  Count maskedElements(unsigned buffer, const llvm::SmallBitVector &outer,
                       const Tiling &tiling) const;
  /// Returns the bytes of some elements of a buffer.
  Count bytesOf(unsigned buffer, int64_t elements) const;
  int64_t simpleWorkingSetBytes(const Tiling &tiling) const;
  /// Returns the elements of one full tile of a buffer.
  Count tileElements(const Tiling &tiling, unsigned buffer) const;

  WorkloadOpInterface op;
  const Workload &workload;
  SmallVector<int64_t, 6> extents; ///< of the loops, side by side
  /// What the search often needs to know about a buffer.
  struct Shape {
    SmallVector<unsigned, 4> loops; ///< the loops that its map uses
    /// Whether each dimension has one loop of its own, or none.
    bool isProduct;
    /// The bytes of one element (see `wholeBytesOf`), and the most elements
    /// whose bytes fit into 64 bits.
    int64_t bytesPerElement, mostElements;
    bool takesRoom; ///< whether its tile takes room of its own
    bool holdsNext; ///< whether the next tile is held while one is used
  };
  static Shape shapeOf(const Buffer &buffer, const llvm::SmallBitVector &loops);
  static int64_t tilesHeld(const Workload &workload, const Shape &buffer,
                           const Tiling &tiling);

  /// The bytes that a buffer moves if its tiles never return, and what it moves
  /// more for each time that they do.
  struct Passes {
    int64_t firstBytes, furtherBytes;
  };
  Passes passesOf(unsigned buffer) const;
  /// Says whether each pass over a buffer moves equally many bytes. A mask,
  /// sweeps over rows, and elements that are not whole bytes prevent it.
  bool areAllPassesEqual() const;
  /// Returns the bytes of all passes of a buffer. Returns nothing if they must
  /// be counted with more care.
  std::optional<int64_t> bytesOfPasses(const Tiling &tiling, unsigned buffer,
                                       ArrayRef<unsigned> returning) const;

  SmallVector<llvm::SmallBitVector, 4> loopsOf;
  SmallVector<Shape, 4> shapes;
  /// Whether the bytes of every tile fit into 64 bits and need no rounding.
  bool areShapesSimple = true;
  SmallVector<Passes, 4> passes; ///< of each buffer; empty if not all are equal
  SmallVector<int64_t, 4> sweeps; ///< how many stages read each buffer
  SmallVector<Count, 4> fullElements, fullBytes;
  /// Sums over tiles of masked loops, which the search often needs.
  mutable std::map<SmallVector<int64_t, 8>, Count> maskedSums;
};

} // namespace mlir::llm

#endif // LLM_COST_TILEMODEL_H
