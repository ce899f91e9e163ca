//===- GgmlCapture.h - Graphs that a program of ggml ran --------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_GGMLCAPTURE_H
#define LLM_TRACEIMPORT_GGMLCAPTURE_H

#include "llm/TraceImport/GgmlCaptureFormat.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <array>
#include <string>
#include <vector>

namespace mlir::llm {

/// A type of ggml: blocks of elements along a row.
struct CapturedType {
  std::string name;
  uint32_t blockElements = 1, blockBytes = 0;
};

struct CapturedBackend {
  std::string name, device;
};

struct CapturedBuffer {
  std::string kind;
  ggmlCapture::BufferUsage usage = ggmlCapture::BufferUsage::Any;
  bool isOnHost = false;
  uint64_t bytes = 0;
};

/// A tensor of a graph. A number is `ggmlCapture::none` if there is no such
/// thing.
struct CapturedTensor {
  std::string name;
  std::string op; ///< ggml's name: "MUL_MAT", "SILU"; "NONE" for a source
  uint32_t type = 0, flags = 0;
  uint32_t backend = ggmlCapture::none, buffer = ggmlCapture::none;
  uint32_t view = ggmlCapture::none; ///< the tensor whose bytes these are
  uint64_t viewOffsetBytes = 0;
  /// Sizes and strides, the innermost dimension first, as in ggml.
  std::array<int64_t, ggmlCapture::dims> sizes{};
  std::array<uint64_t, ggmlCapture::dims> strideBytes{};
  SmallVector<uint32_t, 4> parameters; ///< words, without zeros at the end
  SmallVector<uint32_t, 4> sources;    ///< the numbers of its operands
  std::vector<float> numbers;          ///< factors of ROPE, if captured

  /// Says whether the op only shows its source in another shape or order.
  bool isView() const;
};

/// Which experts the tokens of one run chose.
struct CapturedChoice {
  struct Rows {
    uint32_t expert = 0, count = 0;
  };
  uint32_t tensor = 0;    ///< the tensor with the numbers of the experts
  std::vector<Rows> rows; ///< for each chosen expert, sorted by expert
};

/// A graph that was computed once or often.
struct CapturedGraph {
  uint32_t nodes = 0; ///< so many first tensors are nodes, in running order
  std::vector<CapturedTensor> tensors;
  std::vector<CapturedType> types;
  std::vector<CapturedBackend> backends;
  std::vector<CapturedBuffer> buffers;
  uint64_t runs = 0;
  /// The choices of each run that chose experts, in the order of time. It is
  /// empty if ops were not timed, and in captures of version 1.
  std::vector<std::vector<CapturedChoice>> choices;

  const CapturedType &typeOf(const CapturedTensor &tensor) const {
    return types[tensor.type];
  }
};

/// Returns the name of each tensor in traces and programs. In ggml, several
/// tensors may have the same name. All but the first of these get their number
/// appended, "Qcur-0#5". Names of weights stay as they are.
std::vector<std::string> findTensorNames(const CapturedGraph &graph);

/// Says whether a file that begins so is a capture.
bool isGgmlCapture(StringRef beginning);

/// Reads the graphs of a capture, in the order of their numbers, and how often
/// each ran.
::llvm::Expected<std::vector<CapturedGraph>> readCapturedGraphs(StringRef path);
/// Does the same for bytes in memory, with a name for errors.
::llvm::Expected<std::vector<CapturedGraph>>
readCapturedGraphs(::llvm::MemoryBufferRef bytes);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_GGMLCAPTURE_H
