//===- OpenSizes.cpp - Workloads of ops whose sizes are open --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenSizes.h"
#include "llm/Sharding/Cut.h"

using namespace mlir;
using namespace mlir::llm;

namespace {
/// While it exists, the tensors of an op have no open sizes.
class ClosedTypes {
public:
  explicit ClosedTypes(Operation *op) {
    for (ValueRange values :
         {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      for (Value value : values)
        close(value);
  }
  ~ClosedTypes() {
    for (auto [value, type] : llvm::reverse(open))
      value.setType(type);
  }
  ClosedTypes(const ClosedTypes &) = delete;
  ClosedTypes &operator=(const ClosedTypes &) = delete;

  bool areAnyOpen() const { return !open.empty(); }

private:
  void close(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.hasStaticShape())
      return;
    open.push_back({value, type});
    value.setType(
        type.clone(llvm::map_to_vector(type.getShape(), [](int64_t size) {
          return ShapedType::isDynamic(size) ? openExtent : size;
        })));
  }

  SmallVector<std::pair<Value, RankedTensorType>> open;
};
} // namespace

/// Makes the longest of the loops that count along a dimension an open one. The
/// others count few (the taps of a convolution).
static void openLongest(Workload &workload, AffineExpr index) {
  Loop *longest = nullptr;
  for (auto [position, loop] : llvm::enumerate(workload.loops))
    if (index.isFunctionOfDim(position) &&
        (!longest || loop.extent > longest->extent))
      longest = &loop;
  if (longest)
    longest->extent = openExtent;
}

/// Marks the loops that count along open dimensions.
static void openLoops(Workload &workload) {
  for (const Buffer &buffer : workload.buffers) {
    SmallVector<int64_t> sizes = sizesOf(buffer.value.getType());
    if (buffer.role == Buffer::Role::Temporary ||
        buffer.map.getNumResults() != sizes.size())
      continue;
    for (auto [index, size] : llvm::zip_equal(buffer.map.getResults(), sizes))
      if (ShapedType::isDynamic(size))
        openLongest(workload, index);
  }
}

FailureOr<Workload> mlir::llm::workloadForCuts(WorkloadOpInterface op,
                                               EmitError emitError) {
  FailureOr<Workload> workload = failure();
  bool areAnyOpen = false;
  {
    ClosedTypes closed(op);
    areAnyOpen = closed.areAnyOpen();
    workload = op.getWorkload(emitError);
  }
  if (areAnyOpen && succeeded(workload))
    openLoops(*workload);
  return workload;
}

FailureOr<Workload> mlir::llm::workloadForCuts(Operation *op) {
  auto works = dyn_cast<WorkloadOpInterface>(op);
  if (!works)
    return failure();
  return workloadForCuts(works, [] { return InFlightDiagnostic(); });
}

bool mlir::llm::hasOpenSize(Type type) {
  return llvm::any_of(sizesOf(type), ShapedType::isDynamic);
}

bool mlir::llm::hasOpenSize(ProgramAttr program) {
  return !llvm::all_of(program.getGroups(), [](SequencesAttr group) {
    return group.hasKnownTokens();
  });
}
