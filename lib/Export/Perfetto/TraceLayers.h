//===- TraceLayers.h - Layers of a model over time --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_EXPORT_PERFETTO_TRACELAYERS_H
#define LLM_LIB_EXPORT_PERFETTO_TRACELAYERS_H

#include "llm/Planning/Timeline.h"

#include <map>

namespace mlir::llm {

/// A time from the first start to the last end of some ops in the body of a
/// loop; fetches do not count. These are the ops of one layer, or those of a
/// stretch that are in no layer, or those of one module of a layer
/// (`self_attn`), which is drawn within the layer's slice.
struct LayerSpan {
  std::string name; ///< empty if the ops are in no layer
  unsigned firstOp = 0, lastOp = 0;
  std::optional<size_t> layer = {}; ///< the layer of a module
  int64_t ops = 0;
  int64_t startCycle = INT64_MAX, endCycle = 0; ///< relative to the iteration
  unsigned lane = 0;
  bool isHidden = false; ///< a module where modules of the layer overlap

  bool isModule() const { return layer.has_value(); }
};

/// Layers that overlap are on different lanes.
class TraceLayers {
public:
  explicit TraceLayers(const Timeline &timeline);

  ArrayRef<LayerSpan> spans() const { return all; }
  unsigned laneCount() const { return lanes; }
  /// Returns the layers that begin in a stretch, as positions in `spans`.
  ArrayRef<unsigned> beginIn(const ProgramItem &stretch) const;
  /// Returns "model.layers.3", or "model.norm .. lm_head" for ops in no layer.
  std::string nameOf(const LayerSpan &span, ArrayRef<int64_t> iterations) const;

private:
  /// A room takes `lanes` neighbouring lanes from its start to its end.
  struct Room {
    int64_t startCycle, endCycle;
    unsigned lanes;
    size_t first, last; ///< the spans that are in it
  };
  unsigned visitItems(ArrayRef<ProgramItem> items, int64_t bodyStart);
  using Known = std::map<std::string, size_t>; ///< by name
  void addStretch(const ProgramItem &stretch, Known &known);
  size_t addSpan(const ProgramItem &stretch, LayerSpan span);
  void addModule(const ProgramItem &stretch, unsigned op, size_t layer,
                 Known &known);
  void hideOverlapping(ArrayRef<size_t> spans);
  void addOp(unsigned op, LayerSpan &span);
  unsigned placeRooms(std::vector<Room> rooms);

  const Timeline &timeline;
  size_t nextLoop = 0;
  std::vector<LayerSpan> all;
  DenseMap<const ProgramItem *, SmallVector<unsigned, 1>> begins;
  unsigned lanes = 0;
};

} // namespace mlir::llm

#endif // LLM_LIB_EXPORT_PERFETTO_TRACELAYERS_H
