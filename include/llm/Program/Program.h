//===- Program.h - A function as ops that take time -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_PROGRAM_PROGRAM_H
#define LLM_PROGRAM_PROGRAM_H

#include "llm/Workload/Workload.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <string>
#include <vector>

namespace mlir::llm {

/// One op that takes time. Indices are positions in `Program::ops()`.
struct ProgramOp {
  WorkloadOpInterface op;
  /// The op's name in the model's words. `{}` stands for the enclosing loop's
  /// index. The fourth unnamed op of a kind is `linalg.matmul#3`.
  std::string name;
  /// The number of its runs: the product of the trip counts around it.
  int64_t count = 1;
  /// Ops that must end before it starts: of the same iteration, or outside its
  /// loop.
  SmallVector<unsigned, 4> dependences;
  /// Ops of the previous iteration of its loop (through a loop-carried value).
  SmallVector<unsigned, 2> carriedDependences;
  /// Ops before the loop, for its first iteration only.
  SmallVector<unsigned, 2> initialDependences;
};

/// A stretch of ops without a loop boundary, or a loop with the stretches of
/// its body. A loop boundary is a barrier.
struct ProgramItem {
  std::vector<unsigned> ops; ///< in program order; empty for a loop
  LoopLikeOpInterface loop;  ///< null for a stretch of ops
  int64_t trips = 1;
  std::vector<ProgramItem> body;
  bool isLoop() const { return loop != nullptr; }
};

/// The ops of one function that take time, their order and their dependences.
/// Dependences go through transparent ops (views) and sources (weights,
/// caches).
class Program {
public:
  /// Fails with a diagnostic on an op that neither takes time nor is
  /// transparent, on a loop whose trip count is not a constant above 0, and on
  /// two ops with the same name.
  static FailureOr<Program> analyze(FunctionOpInterface function);

  FunctionOpInterface function() const { return func; }
  ArrayRef<ProgramOp> ops() const { return programOps; }
  ArrayRef<ProgramItem> items() const { return programItems; }
  /// Returns the sources of the function, and how many times the program runs
  /// each.
  ArrayRef<std::pair<SourceOpInterface, int64_t>> sources() const {
    return programSources;
  }

private:
  friend class ProgramBuilder;
  FunctionOpInterface func;
  std::vector<ProgramOp> programOps;
  std::vector<ProgramItem> programItems;
  std::vector<std::pair<SourceOpInterface, int64_t>> programSources;
};

/// The sources (weights, caches) of whose elements a value is made, through
/// views.
struct ShownSources {
  SmallVector<SourceOpInterface> sources;
  bool isAll = true; ///< false if the value also has elements of other values
};
ShownSources findSources(Value value);

/// The ops that must have ended before a memory engine may fetch a buffer.
struct FetchWaits {
  SmallVector<Operation *, 2> writers; ///< write to sources of the buffer
  /// The ops that compute which elements of the buffer are read.
  SmallVector<Operation *, 2> selectors;
};
/// Returns the waits for a buffer that `op` reads and all of whose elements are
/// of sources. Returns nothing for any other buffer. Also returns nothing if
/// `op` itself computes what a fetch would wait for, because such a buffer
/// cannot be fetched ahead.
std::optional<FetchWaits> findFetchWaits(Operation *op, const Buffer &buffer);

/// Emits an error that names the function. (An error on the op would print its
/// whole body.)
InFlightDiagnostic emitFunctionError(FunctionOpInterface function);
/// Does the same through the reasons of the caller.
Refusal refuseFunction(FunctionOpInterface function, Reasons reasons);

/// Calls `visit` on the program of each function with a body, in order. It goes
/// on after a function that failed. `root` is a module or a function. Fails
/// with a diagnostic on an op that takes time outside of functions.
LogicalResult
forEachProgram(Operation *root,
               function_ref<LogicalResult(const Program &)> visit);

/// Returns the functions of a module that are programs, in order: each
/// `func.func` with a body, and each other function that has an op that takes
/// time. If `root` is a function, returns only that one, if it is a program.
SmallVector<FunctionOpInterface> functionsWithBody(Operation *root);

/// Returns the symbol name of a function.
StringRef symbolOf(FunctionOpInterface function);

} // namespace mlir::llm

#endif // LLM_PROGRAM_PROGRAM_H
