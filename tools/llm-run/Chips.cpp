//===- Chips.cpp - The processes that run a cut program -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "llm/Dialect/Llm/IR/LlmDialect.h"
#include "llm/MpiRuntime/MpiRuntime.h"
#include "llm/Target/Host.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <dlfcn.h>
#include <type_traits>

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// MPI
//===----------------------------------------------------------------------===//

/// The library over MPI. It is loaded only where it is needed, because loading
/// MPI takes longer than running a small program.
struct Chips::Runtime {
  decltype(&llm_mpi_start) start;
  decltype(&llm_mpi_end) end;
  decltype(&llm_mpi_clock_origin) clockOrigin;
  decltype(&llm_mpi_send) send;
  decltype(&llm_mpi_receive) receive;
  decltype(&_mlir_ciface_llm_all_gather) allGather;

  /// Returns null, and says why, if the library cannot be loaded.
  static std::unique_ptr<Runtime> load(std::string &whyNot);
};

/// Opens a library beside this program, built or installed. Compiled programs
/// find its functions, too.
static void *openBesideProgram(StringRef name) {
  void *here = reinterpret_cast<void *>(&openBesideProgram);
  std::string program = llvm::sys::fs::getMainExecutable(nullptr, here);
  StringRef tools = llvm::sys::path::parent_path(program);
  for (StringRef folder : {"../lib", "../" LLM_LIBRARY_FOLDER}) {
    SmallString<128> path = tools;
    llvm::sys::path::append(path, folder, name);
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL))
      return library;
  }
  return nullptr;
}

std::unique_ptr<Chips::Runtime> Chips::Runtime::load(std::string &whyNot) {
  void *library = openBesideProgram("libllm_mpi_runtime.so");
  if (!library) {
    const char *reason = dlerror();
    whyNot =
        (LLM_HAS_MPI ? "the library over MPI cannot be loaded: "
                     : "this build has no MPI (Debian: libopenmpi-dev): ") +
        std::string(reason ? reason : "no reason is known");
    return nullptr;
  }
  auto runtime = std::make_unique<Runtime>();
  auto find = [&](auto &function, const char *name) {
    using Function = std::remove_reference_t<decltype(function)>;
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  };
  if (find(runtime->start, "llm_mpi_start") &&
      find(runtime->end, "llm_mpi_end") &&
      find(runtime->clockOrigin, "llm_mpi_clock_origin") &&
      find(runtime->send, "llm_mpi_send") &&
      find(runtime->receive, "llm_mpi_receive") &&
      find(runtime->allGather, "_mlir_ciface_llm_all_gather"))
    return runtime;
  whyNot = "the library over MPI is of another version of llm-run";
  return nullptr;
}

/// Reads what Open MPI, MPICH or Slurm tell each process that they start.
static std::optional<int64_t>
readVariable(std::initializer_list<const char *> names) {
  for (const char *name : names) {
    const char *text = std::getenv(name);
    int64_t number;
    if (text && !StringRef(text).getAsInteger(10, number))
      return number;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Diagnostics of the other chips
//===----------------------------------------------------------------------===//

/// Holds diagnostics back until it is known whose they are.
class Chips::Held {
public:
  explicit Held(MLIRContext *context)
      : engine(context->getDiagEngine()),
        id(engine.registerHandler([this](Diagnostic &diagnostic) {
          return success(take(diagnostic));
        })) {}
  ~Held() { engine.eraseHandler(id); }

  void print() {
    isOver = true;
    for (Diagnostic &diagnostic : all)
      engine.emit(std::move(diagnostic));
    drop();
  }
  /// Drops what all chips have said. What goes wrong from now on does so here.
  void drop() {
    all.clear();
    isOver = true;
  }

private:
  bool take(Diagnostic &diagnostic) {
    if (isOver)
      return diagnostic.getSeverity() == DiagnosticSeverity::Warning;
    all.push_back(std::move(diagnostic));
    return true;
  }

  DiagnosticEngine &engine;
  DiagnosticEngine::HandlerID id;
  std::vector<Diagnostic> all;
  bool isOver = false;
};

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

Chips::Chips(MLIRContext *context) {
  std::optional<int64_t> numProcesses =
      readVariable({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE"});
  wereStarted = numProcesses.has_value();
  if (numProcesses.value_or(1) <= 1)
    return;
  // mpirun gives a process a terminal, wherever its own output goes.
  llvm::outs().enable_colors(false);
  llvm::errs().enable_colors(false);
  numChips = *numProcesses;
  number = readVariable({"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
               .value_or(0);
  runtime = Runtime::load(whyNot);
  if (runtime)
    numChips = runtime->start(&number);
  if (!isFirst())
    held = std::make_unique<Held>(context);
}

Chips::~Chips() {
  if (runtime)
    runtime->end();
}

LogicalResult Chips::check(ModuleOp module) const {
  GridAttr grid = GridAttr::ofModule(module);
  int64_t needed = grid ? grid.countChips() : 1;
  if (needed != numChips) {
    InFlightDiagnostic error = module.emitError();
    if (needed == 1)
      return error << "the program is for one chip, and " << numChips
                   << " processes were started; cut it (--llm-shard, "
                      "--llm-partition), or run it without mpirun";
    error << "the program is that of each of " << needed << " chips, and ";
    if (wereStarted)
      error << numChips << (numChips == 1 ? " process was" : " processes were")
            << " started";
    else
      error << "this is one process";
    return error << "; run it with 'mpirun -n " << needed << " llm-run ..'";
  }
  if (numChips > 1 && !runtime)
    return module.emitError() << "chips cannot exchange anything: " << whyNot;
  return success();
}

void Chips::warnOfFewCpus(unsigned threads, Location loc) const {
  if (!runtime)
    return;
  constexpr size_t most = 4096;
  SmallVector<char> own(most);
  for (unsigned cpu : hostSources().cpus)
    if (cpu < most)
      own[cpu] = 1;
  SmallVector<char> all = gather(own);
  int64_t cpus = 0;
  for (size_t cpu = 0; cpu < most; ++cpu)
    cpus += llvm::any_of(llvm::seq(numChips), [&](int64_t chip) {
      return all[chip * most + cpu] != 0;
    });
  if (numChips * threads > cpus)
    emitWarning(loc) << numChips << " chips with " << threads
                     << (threads == 1 ? " thread" : " threads")
                     << " each share " << cpus
                     << " CPUs, and wait for them: their times mean little";
}

/// Describes bytes to the library, which only reads what it sends.
static LlmBytes bytesOf(const void *bytes, int64_t size) {
  char *data = static_cast<char *>(const_cast<void *>(bytes));
  return {data, data, 0, size, 1};
}

static LlmBytes bytesOf(ArrayRef<char> bytes) {
  return bytesOf(bytes.data(), static_cast<int64_t>(bytes.size()));
}

void Chips::send(const HostTensor &tensor, int64_t chip) const {
  auto rank = static_cast<int64_t>(tensor.getShape().size());
  LlmBytes ofRank = bytesOf(&rank, sizeof rank),
           shape = bytesOf(tensor.getShape().data(),
                           rank * static_cast<int64_t>(sizeof(int64_t))),
           elements = bytesOf(tensor.getData(), tensor.getSizeBytes());
  for (const LlmBytes *bytes : {&ofRank, &shape, &elements})
    runtime->send(bytes, chip);
}

HostTensor Chips::receive(Type element, int64_t chip) const {
  int64_t rank = 0;
  LlmBytes ofRank = bytesOf(&rank, sizeof rank);
  runtime->receive(&ofRank, chip);
  SmallVector<int64_t> sizes(rank);
  LlmBytes shape =
      bytesOf(sizes.data(), rank * static_cast<int64_t>(sizeof(int64_t)));
  runtime->receive(&shape, chip);
  HostTensor tensor(element, sizes);
  LlmBytes elements = bytesOf(tensor.getData(), tensor.getSizeBytes());
  runtime->receive(&elements, chip);
  return tensor;
}

SmallVector<char> Chips::gather(ArrayRef<char> own) const {
  SmallVector<char> all(own.size() * numChips);
  LlmBytes from = bytesOf(own), to = bytesOf(all);
  int64_t wholeGrid[] = {numChips, 1};
  LlmPairs axes{wholeGrid, wholeGrid, 0, {1, 2}, {2, 1}};
  runtime->allGather(&from, &to, &axes);
  return all;
}

bool Chips::haveAllSucceeded(bool succeeded) {
  if (!runtime)
    return succeeded;
  SmallVector<char> all = gather(static_cast<char>(succeeded));
  const char *failed = llvm::find(all, 0);
  if (held && failed == all.begin() + number) {
    llvm::errs() << "llm-run: on chip " << number << ":\n";
    held->print();
  } else if (held) {
    held->drop();
  }
  return failed == all.end();
}

bool Chips::doesAnySay(bool yes) const {
  return runtime ? llvm::is_contained(gather(static_cast<char>(yes)), 1) : yes;
}

/// Gathers as many plain values of each chip.
template <typename T>
void Chips::gatherInto(ArrayRef<T> own, T *all) const {
  static_assert(std::is_trivially_copyable_v<T>);
  SmallVector<char> bytes = gather(ArrayRef(
      reinterpret_cast<const char *>(own.data()), own.size() * sizeof(T)));
  std::memcpy(static_cast<void *>(all), bytes.data(), bytes.size());
}

std::vector<std::vector<RecordedRun>>
Chips::gatherRuns(ArrayRef<RecordedRun> own, int64_t startNanoseconds) const {
  std::vector<std::vector<RecordedRun>> all(numChips);
  if (!runtime) {
    all.front() = own;
    return all;
  }
  int64_t start = startNanoseconds - runtime->clockOrigin();
  std::vector<RecordedRun> shifted(own);
  for (RecordedRun &run : shifted) {
    run.startNanoseconds += start;
    run.endNanoseconds += start;
  }
  // Chips of other stages record another number of runs.
  auto ownCount = static_cast<int64_t>(own.size());
  SmallVector<int64_t> counts(numChips);
  gatherInto(ArrayRef(&ownCount, 1), counts.data());
  shifted.resize(*llvm::max_element(counts));
  std::vector<RecordedRun> gathered(shifted.size() * numChips);
  gatherInto(ArrayRef<RecordedRun>(shifted), gathered.data());
  for (auto [chip, runs] : llvm::enumerate(all)) {
    auto first = gathered.begin() + static_cast<int64_t>(chip * shifted.size());
    runs.assign(first, first + counts[chip]);
  }
  return all;
}
