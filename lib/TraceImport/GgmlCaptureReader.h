//===- GgmlCaptureReader.h - Records of a ggml capture ----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_GGMLCAPTUREREADER_H
#define LLM_TRACEIMPORT_GGMLCAPTUREREADER_H

#include "BinaryInput.h"
#include "llm/TraceImport/GgmlCapture.h"

namespace mlir::llm {

struct CapturedProcess {
  uint32_t id = 0;
  bool timesOps = false;
  std::string program, ggmlVersion;
};

struct CapturedOp {
  uint32_t node = 0;
  int64_t startNanoseconds = 0, endNanoseconds = 0;
};

/// A run of a graph, or the stretch of it that ran between two records.
struct CapturedRun {
  uint64_t offsetBytes = 0; ///< of the record
  uint32_t number = 0, graph = 0, thread = 0;
  ggmlCapture::RunState state = ggmlCapture::RunState::Done;
  int64_t startNanoseconds = 0, endNanoseconds = 0;
  std::vector<CapturedOp> ops;
};

struct CapturedWait {
  uint32_t thread = 0;
  int64_t startNanoseconds = 0, endNanoseconds = 0;
};

/// The numbers of a tensor of a graph.
struct CapturedNumbers {
  uint32_t graph = 0, tensor = 0;
  std::vector<float> numbers;
};

/// The experts that a run has chosen up to a record.
struct CapturedChoices {
  uint32_t run = 0, graph = 0;
  std::vector<CapturedChoice> choices;
};

/// Visits what is in a capture. Numbers of graphs, nodes and tables are those
/// of earlier calls, and no time ends before it starts.
class GgmlCaptureVisitor {
public:
  virtual ~GgmlCaptureVisitor() = default;
  virtual void visit(const CapturedProcess &process) {}
  virtual void visit(CapturedGraph &&graph) {}
  virtual void visit(const CapturedRun &run) {}
  virtual void visit(const CapturedWait &wait) {}
  virtual void visit(CapturedNumbers &&numbers) {}
  virtual void visit(CapturedChoices &&choices) {}
  /// Says that the program ended while it wrote the record that begins there.
  virtual void visitCut(uint64_t offsetBytes) {}
};

::llvm::Error readGgmlCapture(TraceInput &input, GgmlCaptureVisitor &visitor);

} // namespace mlir::llm

#endif // LLM_TRACEIMPORT_GGMLCAPTUREREADER_H
