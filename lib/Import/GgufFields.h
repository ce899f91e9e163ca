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

/// Reads keys "<architecture>.<key>" of a GGUF file, and checks them.
class GgufFields {
public:
  explicit GgufFields(const GgufHeader &header) : header(header) {}

  /// Reads a positive whole number. In a list, all entries must be the same. If
  /// `absent` is 0, the key is required.
  FailureOr<int64_t> size(StringRef key, int64_t absent = 0) const;
  /// Reads a positive number.
  FailureOr<double> number(StringRef key, double absent) const;
  std::string keyOf(StringRef key) const {
    return (architecture + "." + key).str();
  }
  bool has(StringRef key) const { return header.has(keyOf(key)); }
  /// Begins an error at a whole key.
  InFlightDiagnostic refuse(StringRef key) const {
    return mlir::emitError(header.loc(key)) << "'" << key << "' ";
  }
  bool hasTensor(StringRef name) const { return header.findTensor(name); }

  const GgufHeader &header;
  std::string architecture;
};

/// Reads the scaling of the angles of pairs of features: the keys
/// "rope.scaling.*" and the tensor 'rope_freqs.weight'. It is an error if
/// something is not supported, since wrong angles give wrong answers.
LogicalResult readGgufRopeScaling(const GgufFields &fields, int64_t pairs,
                                  RopeConfig &rope);

/// Whether readGgufRopeScaling() reads the key, which is without the
/// architecture.
bool isGgufRopeScalingKey(StringRef key);
/// The tensor that readGgufRopeScaling() reads.
constexpr llvm::StringLiteral ggufRopeFactors = "rope_freqs.weight";

} // namespace mlir::llm

#endif // LLM_LIB_IMPORT_GGUFFIELDS_H
