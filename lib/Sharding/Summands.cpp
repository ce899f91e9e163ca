//===- Summands.cpp - Sums that may be made later -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Sharding/Summands.h"
#include "Experts.h"
#include "Keys.h"
#include "llm/Dialect/Llm/IR/Llm.h"

using namespace mlir;
using namespace mlir::llm;

#include "llm/Sharding/ShardingInterfaces.cpp.inc"

namespace {
/// An op that is linear in its first operands together.
template <typename Op, unsigned count>
struct LinearIn : SummandOpInterface::ExternalModel<LinearIn<Op, count>, Op> {
  SmallVector<unsigned, 2> getSummandOperands(Operation *) const {
    return llvm::to_vector<2>(llvm::seq<unsigned>(0, count));
  }
};
} // namespace

void mlir::llm::registerSummands(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, LlmDialect *) {
    AddOp::attachInterface<LinearIn<AddOp, 2>>(*context);
    ScaleOp::attachInterface<LinearIn<ScaleOp, 1>>(*context);
    MoeCombineOp::attachInterface<LinearIn<MoeCombineOp, 1>>(*context);
  });
  registerExperts(registry);
  registerJoinables(registry);
}
