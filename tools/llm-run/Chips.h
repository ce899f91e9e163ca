//===- Chips.h - The processes that run a cut program -----------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TOOLS_LLM_RUN_CHIPS_H
#define LLM_TOOLS_LLM_RUN_CHIPS_H

#include "llm/Execution/HostTensor.h"
#include "llm/Trace/OpRecorder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <memory>

namespace mlir::llm {

/// The processes that run a cut program together, one for each chip of its
/// grid, as `mpirun` starts them. A program that is not cut has one.
class Chips {
public:
  /// Joins the other processes, if this one was started beside them. From then
  /// on, what is wrong on another chip than the first is held back: most
  /// mistakes are those of all.
  explicit Chips(MLIRContext *context);
  ~Chips();

  /// Fails if the processes could not be joined, or if the program is for
  /// another number of chips.
  LogicalResult check(ModuleOp module) const;
  /// Warns where times are those of processes that wait for a CPU. All of them
  /// must come here.
  void warnOfFewCpus(unsigned threads, Location loc) const;

  int64_t getNumber() const { return number; }
  int64_t count() const { return numChips; }
  /// The first chip alone prints and writes files.
  bool isFirst() const { return number == 0; }

  /// Whether all chips have succeeded so far. If not, the first that has not
  /// says why. All of them must come here.
  bool haveAllSucceeded(bool succeeded);
  /// Whether one of the chips says yes.
  bool doesAnySay(bool yes) const;
  /// Sends a tensor to another chip, which receives one of this type of
  /// elements.
  void send(const HostTensor &tensor, int64_t chip) const;
  HostTensor receive(Type element, int64_t chip) const;
  /// Returns what each chip recorded, on one clock. `startNanoseconds` is when
  /// the recording began, by the steady clock of this chip.
  std::vector<std::vector<RecordedRun>>
  gatherRuns(ArrayRef<RecordedRun> own, int64_t startNanoseconds) const;

private:
  class Held;
  struct Runtime;

  SmallVector<char> gather(ArrayRef<char> own) const;
  template <typename T>
  void gatherInto(ArrayRef<T> own, T *all) const;

  int64_t number = 0, numChips = 1;
  bool wereStarted = false; ///< by mpirun
  std::string whyNot;
  std::unique_ptr<Runtime> runtime; ///< null without other processes
  std::unique_ptr<Held> held;
};

} // namespace mlir::llm

#endif // LLM_TOOLS_LLM_RUN_CHIPS_H
