//===- WeightFiles.h - Weights by name --------------------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXECUTION_WEIGHTFILES_H
#define LLM_EXECUTION_WEIGHTFILES_H

#include "llm/Execution/HostTensor.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>

namespace mlir::llm {

/// The tensors of a weight. A weight of plain elements has one; one of
/// block-scaled elements has its values and the scales of each layer.
using WeightParts = SmallVector<HostTensor, 1>;

/// Weights that lie in files. The files are mapped, so that only the weights in
/// use are read.
class WeightFiles {
public:
  virtual ~WeightFiles();

  /// Opens `path`. It is a GGUF file (told by its first bytes), a *.safetensors
  /// file, a model.safetensors.index.json, or a folder with one of these.
  /// Errors are located at `loc`, or in the headers of the files.
  static FailureOr<std::unique_ptr<WeightFiles>> open(StringRef path,
                                                      Location loc);

  /// Reads the weight of that name, with parts of these types. If the file has
  /// another float type, or blocks with scales, the weight is converted to a
  /// plain float type and rounded once. It is an error if a tensor is missing,
  /// if it has another shape (the error names both), or if its type cannot be
  /// converted to the wanted one.
  virtual FailureOr<WeightParts> read(StringRef name,
                                      ArrayRef<RankedTensorType> parts,
                                      Location loc) const = 0;

  /// Returns the scale of all keys or values of a cache, such as that of
  /// "model.layers.0.self_attn". Returns nothing if the files have none. It is
  /// an error if the scale is not a single number.
  virtual FailureOr<std::optional<HostTensor>>
  readCacheScale(StringRef cache, bool isOfKeys, Type type) const {
    return std::optional<HostTensor>();
  }

  /// Says whether the rows of q_proj and k_proj of a model of this family are
  /// in the order of an interleaved rotary embedding, pair by pair. Returns
  /// nothing if the files do not say.
  virtual std::optional<bool> hasInterleavedRows(StringRef family) const = 0;
};

/// The numbers from middle - width / 2 to middle + width / 2.
struct RandomRange {
  float middle, width;
};

/// Makes a tensor of uniformly distributed random numbers. They depend only on
/// the seed and the name.
HostTensor makeRandomTensor(StringRef name, RankedTensorType type,
                            uint64_t seed, RandomRange range);

/// Writes a safetensors file of these tensors, in the order of their names.
/// `hasInterleavedRows` is what `WeightFiles` says about the file when it reads
/// it.
void writeSafetensors(const std::map<std::string, HostTensor> &tensors,
                      raw_ostream &os,
                      std::optional<bool> hasInterleavedRows = std::nullopt);
/// The key of `hasInterleavedRows` in the metadata of the file. Its value is
/// "true" or "false".
constexpr llvm::StringLiteral interleavedRowsKey = "interleaved_rows";

} // namespace mlir::llm

#endif // LLM_EXECUTION_WEIGHTFILES_H
