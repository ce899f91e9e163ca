//===- SequenceGroups.cpp - Sequences that are alike ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SequenceGroups.h"

namespace mlir::llm {

SmallVector<SequenceGroup> groupsOf(OpsBuilder &b) {
  bool isMixed = b.program.getPhase() == Phase::Mixed;
  SmallVector<SequenceGroup> groups;
  int64_t firstRow = 0;
  for (auto [index, sequences] : llvm::enumerate(b.program.getGroups())) {
    SequenceGroup group{sequences,
                        firstRow,
                        "",
                        b.size(sequences.getBatch(), "batch"),
                        b.size(sequences.getSeq(), "seq"),
                        {},
                        {}};
    for (int64_t kvLen : sequences.getKvLens()) {
      group.kvLens.push_back(b.size(kvLen, "kv_len"));
      bool isOpen = kvLen == openSize || sequences.getSeq() == openSize;
      group.firstPositions.push_back(
          b.size(isOpen ? openSize : kvLen - sequences.getSeq(),
                 OpsBuilder::firstPositionName));
    }
    size_t count = b.program.getGroups().size();
    if (isMixed && index + 1 == count)
      group.suffix = ".chunk";
    else if (isMixed)
      group.suffix = count == 2 ? ".decode" : ".decode" + std::to_string(index);
    else if (b.program.getGroups().size() > 1)
      group.suffix = ".sequences" + std::to_string(index);
    if (sequences.hasKnownTokens())
      firstRow += sequences.getBatch() * sequences.getSeq();
    groups.push_back(std::move(group));
  }
  return groups;
}

Value rowsOf(OpsBuilder &b, const SequenceGroup &group, Value x) {
  return group.isOnly()
             ? x
             : b.slice(x, 0, group.firstRow,
                       group.sequences.getBatch() * group.sequences.getSeq());
}

Value headsOf(OpsBuilder &b, const SequenceGroup &group, Value x,
              int64_t heads) {
  int64_t features = tensorType(x).getDimSize(1) / heads;
  return b.expand(rowsOf(b, group, x),
                  {group.batch, group.seq, b.number(heads), b.number(features)},
                  {{0, 1}, {2, 3}});
}

} // namespace mlir::llm
