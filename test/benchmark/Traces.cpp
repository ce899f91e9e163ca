//===- Traces.cpp - How long foreign traces take --------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llm-trace-benchmark TRACE [OUT]: seconds to read, to list the work and to
// write, and how much memory that took. For traces see make_kineto.py.
//
//===----------------------------------------------------------------------===//

#include "llm/Files/OutputFile.h"
#include "llm/Trace/TraceWriter.h"
#include "llm/TraceImport/ImportedTrace.h"
#include "llvm/Support/Format.h"

#include <chrono>

#include <sys/resource.h>

using namespace mlir;
using namespace mlir::llm;

static void tell(StringRef what, std::chrono::steady_clock::time_point since) {
  std::chrono::duration<double> spent =
      std::chrono::steady_clock::now() - since;
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  ::llvm::outs() << ::llvm::format("%-6s %7.2f s, peak %5ld MiB\n",
                                   what.str().c_str(), spent.count(),
                                   usage.ru_maxrss >> 10);
  ::llvm::outs().flush();
}

static int fail(::llvm::Error error) {
  ::llvm::errs() << "error: " << ::llvm::toString(std::move(error)) << "\n";
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    ::llvm::errs() << "usage: llm-trace-benchmark TRACE [OUT]\n";
    return 1;
  }
  auto start = std::chrono::steady_clock::now();
  ::llvm::Expected<ImportedTrace> trace = readTrace(StringRef(argv[1]));
  if (!trace)
    return fail(trace.takeError());
  tell("read", start);

  start = std::chrono::steady_clock::now();
  std::vector<TraceWork> work = listWholeWork(*trace);
  tell("work", start);

  size_t launched = 0, nested = 0;
  for (const TraceEvent &event : trace->events) {
    launched += event.launchedBy != TraceEvent::none;
    nested += event.parent != TraceEvent::none;
  }
  ::llvm::outs() << trace->format << ": " << trace->events.size()
                 << " events on " << trace->lanes.size() << " lanes, " << nested
                 << " in others, " << launched << " launched, " << work.size()
                 << " of work; " << trace->arrows.size() << " arrows, "
                 << trace->samples.size() << " samples, " << trace->texts.size()
                 << " texts\n";
  for (const std::string &note : trace->notes)
    ::llvm::outs() << "note: " << note << "\n";
  if (argc == 2)
    return 0;

  start = std::chrono::steady_clock::now();
  ::llvm::Error error = writeOutputFile(argv[2], [&](::llvm::raw_ostream &os) {
    TraceWriter writer(encodingOf(argv[2]), os);
    writeImportedTrace(*trace, writer.sink());
  });
  if (error)
    return fail(std::move(error));
  tell("write", start);
  return 0;
}
