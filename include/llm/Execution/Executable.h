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
    Cache,    ///< the initial content of a part of a cache, such as its keys
    Random,   ///< numbers in [0, 1) with which an op draws
    Received, ///< a value from the stage before, in a pipeline of stages
  };
  Kind kind;
  std::string name; ///< empty for an input; two of other kinds may share one
  Type type;        ///< a tensor, or index
  /// Says which piece of a weight or cache a chip has, by the dimensions d0,
  /// d1, .. of the tensor (`llm.piece`). It is null if the chip has all of it.
  DictionaryAttr piece = nullptr;
  /// For an input: its number among the arguments of the whole program, of
  /// which a stage of a pipeline has only some.
  unsigned input = 0;
  /// The sizes that a weight has in files. What is behind them is zero. It is
  /// null if there is nothing (`llm.unpadded`).
  DenseI64ArrayAttr unpadded = nullptr;
};

/// A result of a compiled function.
struct ProgramResult {
  std::string cache; ///< the part of a cache whose final content it is, if any
  RankedTensorType type;
  /// The argument over whose memory the result is written, if there is one.
  std::optional<unsigned> inPlaceOf;
};

/// The value that a caller passes for an argument.
using ArgumentValue = std::variant<HostTensor, int64_t>;

/// The kinds of loops that ops become.
enum class Kernels {
  Generated, ///< loops that keep several sums in registers
  Reference, ///< plain loops, which define the meaning
  OneDnn,    ///< like Generated, but products are calls of oneDNN
};

/// The vectors of which compiled code is made.
struct CpuVectors {
  int64_t bits; ///< the width of a vector register
  /// Whether products of bf16 are added up in f32 two at a time, by
  /// AVX512-BF16, which treats subnormal numbers as 0.
  bool addsPairsOfBf16;
};

struct CompileOptions {
  /// Whether code is optimized. If not, compiling is faster and the code is
  /// slower. Tests of many small programs use that.
  bool optimizes = true;
  /// Whether each run records when each op ran.
  bool records = false;
  Kernels kernels = Kernels::Generated;
  /// The number of threads, 1 or more, that share loops with enough work. More
  /// than one thread needs OpenMP's runtime library.
  unsigned threads = 1;
  /// The most bits of a vector. 0 stands for as many as this CPU has. 256 gives
  /// the code of a CPU without AVX-512, and 128 that of a CPU without AVX.
  unsigned vectorBits = 0;
};

/// The point at which the values of a program take the most memory. Arguments
/// do not count.
struct MemoryPeak {
  uint64_t bytes;           ///< of all values that live there
  RankedTensorType largest; ///< the type of the largest of these values
  Location loc;             ///< of the op that makes the largest one
};

/// A function of a program, compiled for this CPU.
class Executable {
public:
  ~Executable();

  /// Compiles `function`, and changes its module on the way. An op without a
  /// lowering is an error at the op. If runs are recorded, it is also an error
  /// if no `Program` can be made of the function.
  static FailureOr<std::unique_ptr<Executable>>
  compile(FunctionOpInterface function, CompileOptions options = {});

  ArrayRef<ProgramArgument> getArguments() const { return arguments; }
  ArrayRef<ProgramResult> getResults() const { return results; }
  CpuVectors getVectors() const { return vectors; }
  /// Returns the point at which a run takes the most memory. Values of open
  /// sizes are not counted.
  const std::optional<MemoryPeak> &getMemoryPeak() const { return memoryPeak; }
  /// Returns the time that compiling took, from the function to machine code.
  double getCompileSeconds() const { return compileSeconds; }
  /// Returns the CPU time of all threads of the process while it compiled, in
  /// seconds. It does not grow when other programs want the CPU.
  double getCompileCpuSeconds() const { return compileCpuSeconds; }

  /// Runs the function and returns all results, also those in place of an
  /// argument. Sizes of tensors must be those of the arguments' types. Open
  /// sizes are not checked. If an assertion of the program does not hold, the
  /// process ends with status 1 and says why.
  std::vector<HostTensor> run(ArrayRef<ArgumentValue> values) const;

  /// Makes recorded runs read these counters, too. The counters must outlive
  /// the runs. They count only threads that start after the counters were made.
  void count(const CpuCounters *counters) {
    if (recorder)
      recorder->count(counters);
  }

  /// Returns what ran in the last run. Its ops are indices into
  /// `Program::ops()` of the function as it was compiled. Returns nothing if
  /// runs are not recorded.
  std::vector<RecordedRun> takeRecordedRuns() const {
    return recorder ? recorder->takeRuns() : std::vector<RecordedRun>();
  }
  /// Returns when the recorded run began, in nanoseconds of the steady clock.
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
  std::unique_ptr<std::deque<Assertion>>
      assertions;                       ///< compiled code has their addresses
  std::unique_ptr<OneDnn> oneDnn;       ///< compiled code has its address
  std::unique_ptr<OpRecorder> recorder; ///< compiled code has its address
  std::unique_ptr<ExecutionEngine> engine;
  void (*entry)(void **) = nullptr; ///< the function that the engine compiled
  double compileSeconds = 0, compileCpuSeconds = 0;
};

/// Registers the dialects and interfaces that compiling needs.
void registerExecution(DialectRegistry &registry);

} // namespace mlir::llm

#endif // LLM_EXECUTION_EXECUTABLE_H
