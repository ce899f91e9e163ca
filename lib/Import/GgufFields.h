//===- GgufFields.h - Metadata of one architecture --------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_LIB_IMPORT_GGUFFIELDS_H
#define LLM_LIB_IMPORT_GGUFFIELDS_H

#include "llm/Files/GgufHeader.h"
#include "llm/Import/ModelConfig.h"

namespace mlir::llm {

/// Keys "<architecture>.<key>" of a GGUF file, checked as they are read.
class GgufFields {
public:
  explicit GgufFields(const GgufHeader &header) : header(header) {}

  /// A positive whole number, or of a list the one that all its entries are;
  /// `absent` 0: it is required.
  FailureOr<int64_t> size(StringRef key, int64_t absent = 0) const;
  /// A positive number.
  FailureOr<double> number(StringRef key, double absent) const;
  std::string keyOf(StringRef key) const {
    return (architecture + "." + key).str();
  }
  bool has(StringRef key) const { return header.has(keyOf(key)); }
  /// An error at a whole key.
  InFlightDiagnostic refuse(StringRef key) const {
    return mlir::emitError(header.loc(key)) << "'" << key << "' ";
  }
  bool hasTensor(StringRef name) const { return header.findTensor(name); }

  const GgufHeader &header;
  std::string architecture;
};

/// What becomes of the angles of pairs of features: the keys "rope.scaling.*"
/// and the tensor 'rope_freqs.weight'. Errors: what is there and not supported,
/// since angles that are wrong are wrong answers.
LogicalResult readGgufRopeScaling(const GgufFields &fields, int64_t pairs,
                                  RopeConfig &rope);

/// Whether the key, without the architecture, is read there.
bool isGgufRopeScalingKey(StringRef key);
/// Likewise of a tensor.
constexpr llvm::StringLiteral ggufRopeFactors = "rope_freqs.weight";

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_GGUFFIELDS_H
