//===- Executable.h - Programs that run on this CPU -------------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_EXECUTION_EXECUTABLE_H
#define LLM_EXECUTION_EXECUTABLE_H

#include "llm/Execution/HostTensor.h"
#include "llm/Trace/OpRecorder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <deque>
#include <optional>
#include <variant>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace mlir::llm {

class OneDnn;
struct Assertion;

/// An argument of a compiled function.
struct ProgramArgument {
  enum class Kind {
    Input, ///< an argument of the function
    Size,  ///< an open size, a whole number
    Weight,
    Cache,    ///< the first state of a part of one, such as its keys
    Random,   ///< numbers in [0, 1) with which an op draws
    Received, ///< what the stage before of a pipeline hands on
  };
  Kind kind;
  std::string name; ///< empty for an input; two of other kinds may share one
  Type type;        ///< a tensor, or index
  /// Which piece a chip has of a weight or cache, by the dimensions d0, d1, ..
  /// of the tensor (`llm.piece`). Null if it has all of it.
  DictionaryAttr piece = nullptr;
  /// The number of an input among the arguments of the whole program, of which
  /// a stage of a pipeline has some.
  unsigned input = 0;
};

/// A result of a compiled function.
struct ProgramResult {
  std::string cache; ///< the part of one whose last state it is, or nothing
  RankedTensorType type;
  /// The argument in whose place the result is written, if there is one.
  std::optional<unsigned> inPlaceOf;
};

/// The value that a caller passes for an argument.
using ArgumentValue = std::variant<HostTensor, int64_t>;

/// The kinds of loops that ops become.
enum class Kernels {
  Generated, ///< several sums at once, in registers
  Reference, ///< plain loops, which define the meaning
  OneDnn,    ///< as generated ones, but products are calls of oneDNN
};

/// The vectors of which compiled code is made.
struct CpuVectors {
  int64_t bits; ///< of a register
  /// Products of bf16 are added up in f32 two at a time, by AVX512-BF16, which
  /// takes subnormal numbers as 0.
  bool addsPairsOfBf16;
};

struct CompileOptions {
  /// Says whether code is optimized. If not, compiling is faster and the code
  /// is slower, for tests of many small programs.
  bool optimizes = true;
  /// Says whether each run records when which op ran.
  bool records = false;
  Kernels kernels = Kernels::Generated;
  /// The number of threads that share the loops that are worth it, 1 or more.
  /// More than one needs OpenMP's runtime library.
  unsigned threads = 1;
  /// The most bits of a vector; 0 stands for as many as this CPU has. With 256,
  /// code is that of a CPU without AVX-512, and with 128 that of a CPU without
  /// AVX.
  unsigned vectorBits = 0;
};

/// Where a program has the most memory of its own, beside its arguments.
struct MemoryPeak {
  uint64_t bytes;           ///< of all values there
  RankedTensorType largest; ///< of these values
  Location loc;             ///< what gives the largest one
};

/// A function of a program, compiled for this CPU.
class Executable {
public:
  ~Executable();

  /// Compiles `function`, and changes its module on the way. It is an error, at
  /// the op, if an op has no lowering. If runs are recorded, it is an error if
  /// no `Program` can be made of the function.
  static FailureOr<std::unique_ptr<Executable>>
  compile(FunctionOpInterface function, CompileOptions options = {});

  ArrayRef<ProgramArgument> getArguments() const { return arguments; }
  ArrayRef<ProgramResult> getResults() const { return results; }
  CpuVectors getVectors() const { return vectors; }
  /// Returns where a run has the most memory. Values of open sizes are not
  /// counted.
  const std::optional<MemoryPeak> &getMemoryPeak() const { return memoryPeak; }
  /// Returns the time that compiling took, from the function to machine code.
  double getCompileSeconds() const { return compileSeconds; }
  /// Returns the CPU time of all threads of the process while it compiled, in
  /// seconds. It does not grow when other programs want the CPU.
  double getCompileCpuSeconds() const { return compileCpuSeconds; }

  /// Runs the function and returns all results, also those in place of an
  /// argument. Sizes of tensors must be those of the arguments' types. Open
  /// sizes are not checked. Where the program asserts what does not hold, the
  /// process ends with 1 and says why.
  std::vector<HostTensor> run(ArrayRef<ArgumentValue> values) const;

  /// Recorded runs read these counters, too. The counters must outlive the
  /// runs. They count only threads that start later.
  void count(const CpuCounters *counters) {
    if (recorder)
      recorder->count(counters);
  }

  /// What ran in the last run, by the indices of `Program::ops()` of the
  /// function as it was compiled. Returns nothing if runs are not recorded.
  std::vector<RecordedRun> takeRecordedRuns() const {
    return recorder ? recorder->takeRuns() : std::vector<RecordedRun>();
  }
  /// When these began, in nanoseconds of the steady clock.
  int64_t getRecordingStart() const {
    return recorder ? recorder->getStartNanoseconds() : 0;
  }

private:
  Executable();

  LogicalResult lowerToLinalg(func::FuncOp function,
                              const CompileOptions &options);
  LogicalResult lowerToLlvm(func::FuncOp function,
                            const CompileOptions &options);
  LogicalResult makeCode(ModuleOp module, StringRef name, bool optimizes);

  CpuVectors vectors;
  std::vector<ProgramArgument> arguments;
  std::vector<ProgramResult> results;
  std::optional<MemoryPeak> memoryPeak;
  std::unique_ptr<std::deque<Assertion>> assertions; ///< their addresses, too
  std::unique_ptr<OneDnn> oneDnn;       ///< compiled code has its address
  std::unique_ptr<OpRecorder> recorder; ///< compiled code has its address
  std::unique_ptr<ExecutionEngine> engine;
  void (*entry)(void **) = nullptr; ///< what the engine compiled
  double compileSeconds = 0, compileCpuSeconds = 0;
};

/// Registers what compiling needs of the dialects.
void registerExecution(DialectRegistry &registry);

} // namespace mlir::llm

#endif // LLM_EXECUTION_EXECUTABLE_H
