//===- FieldTable.h - The whole numbers of a target, each once --*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reader, writer, comparison, fingerprint, check, JSON schema and README all
// need the same numbers, so they all walk these tables.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_TARGET_FIELDTABLE_H
#define LLM_LIB_TARGET_FIELDTABLE_H

#include "llm/Support/Units.h"
#include "llm/Target/Target.h"

namespace mlir::llm {

/// A whole number in a part of a target. It has a default in the struct, or it
/// is optional.
template <typename Part>
struct NumberField {
  StringRef key, unit;
  StringRef absent; ///< what it means if it is not given
  StringRef meaning;
  int64_t least = 1;
  int64_t Part::*value = nullptr;
  std::optional<int64_t> Part::*optional = nullptr;
  /// Whether a figure of a kernel is found by fitting, and not known from its
  /// code.
  bool isFitted = true;
  int64_t most = maxCount;

  std::optional<int64_t> get(const Part &part) const {
    return value ? std::optional<int64_t>(part.*value) : part.*optional;
  }
  void set(Part &part, int64_t number) const {
    if (value)
      part.*value = number;
    else
      part.*optional = number;
  }
};

/// A field that is more than an optional whole number.
struct OtherField {
  StringRef key, unit, absent, meaning;
};

ArrayRef<OtherField> targetOthers();
ArrayRef<OtherField> engineOthers();
ArrayRef<OtherField> kernelOthers();
ArrayRef<OtherField> calibrationOthers();

ArrayRef<NumberField<Target>> targetNumbers();
ArrayRef<NumberField<Engine>> engineNumbers();
ArrayRef<NumberField<Memory>> memoryNumbers();
ArrayRef<NumberField<Link>> linkNumbers();
ArrayRef<NumberField<KernelFigures>> kernelNumbers();
ArrayRef<NumberField<ProductTile>> productTileNumbers();

template <typename Part>
bool haveEqualNumbers(ArrayRef<NumberField<Part>> numbers, const Part &part,
                      const Part &other) {
  return llvm::all_of(numbers, [&](const NumberField<Part> &number) {
    return number.get(part) == number.get(other);
  });
}

} // namespace mlir::llm

#endif // LLM_LIB_TARGET_FIELDTABLE_H
