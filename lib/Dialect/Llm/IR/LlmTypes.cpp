//===- LlmTypes.cpp - Types of the llm dialect ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Dialect/Llm/IR/Llm.h"
#include "llm/Support/Units.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::llm;

#define GET_TYPEDEF_CLASSES
#include "llm/Dialect/Llm/IR/LlmTypes.cpp.inc"

void LlmDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "llm/Dialect/Llm/IR/LlmTypes.cpp.inc"
      >();
}

LogicalResult KvCacheType::verify(EmitError emitError, int64_t batch,
                                  int64_t kvHeads, int64_t headDim,
                                  int64_t capacity, Type elementType,
                                  int64_t pageSize) {
  for (auto [name, value] : {std::pair<StringRef, int64_t>{"batch", batch},
                             {"kv_heads", kvHeads},
                             {"head_dim", headDim},
                             {"capacity", capacity}})
    if (value < 1 || value > maxCount) // kv_cache-C1
      return emitError() << "'" << name << "' must be in [1, 2^61), got "
                         << value;
  if (pageSize < 0 || pageSize > capacity) // kv_cache-C2
    return emitError() << "'page_size' must be in [0, capacity " << capacity
                       << "], got " << pageSize;
  // kv_cache-C3
  bool isScalar = elementType.isSignlessIntOrFloat() ||
                  (isa<StorageBytesTypeInterface>(elementType) &&
                   !isa<KvCacheType>(elementType));
  if (!isScalar)
    return emitError()
           << "element type must be a float or signless integer type, got "
           << elementType;
  return success();
}

/// Keys and values of the whole capacity.
Count KvCacheType::getStorageBytes(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> dims(shape);
  llvm::append_values(dims, 2, getBatch(), getCapacity(), getKvHeads(),
                      getHeadDim());
  return storageBytes(getElementType(), dims);
}
