//===- CapturedProgram.cpp - Programs of captured graphs ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CapturedProgram.h"
#include "Subcommand.h"
#include "llm/GraphImport/GgmlGraph.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

CapturedProgramOptions::CapturedProgramOptions(cl::SubCommand &command)
    : output(
          "program", cl::sub(command),
          cl::desc("Write a graph of a ggml capture as a program of llm-opt"),
          cl::value_desc("file.mlir")),
      number("graph", cl::sub(command),
             cl::desc("Number of the graph for --program (default: of those "
                      "with the most nodes the one that ran most often)"),
             cl::value_desc("number")),
      mask(
          "mask", cl::sub(command), cl::init(MaskKind::Full),
          cl::desc("What attention of --program sees; a capture has the size "
                   "of a mask and not what is in it"),
          cl::values(clEnumValN(MaskKind::Full, "full",
                                "every key, as ggml computes it (default)"),
                     clEnumValN(MaskKind::Causal, "causal",
                                "for each new token the keys up to its own"))) {
}

LogicalResult CapturedProgramOptions::run(StringRef capture,
                                          MLIRContext &context) const {
  Location location = FileLineColLoc::get(&context, capture, 1, 1);
  ::llvm::Expected<std::vector<CapturedGraph>> graphs =
      readCapturedGraphs(capture);
  if (!graphs)
    return emitError(UnknownLoc::get(&context))
           << ::llvm::toString(graphs.takeError());
  if (graphs->empty())
    return emitError(location) << "no graph is in the capture: the program "
                                  "ended before it computed one";
  size_t chosen =
      number.getNumOccurrences() ? size_t(number) : findMainGraph(*graphs);
  if (chosen >= graphs->size())
    return emitError(location)
           << "there is no graph " << chosen << "; those of the capture are 0 "
           << "to " << graphs->size() - 1;
  loadGraphDialects(&context);
  FailureOr<CapturedProgram> program = buildCapturedGraph(
      (*graphs)[chosen], "graph_" + std::to_string(chosen), mask, location);
  if (failed(program))
    return failure();
  for (const std::string &note : program->notes)
    emitWarning(location) << note;
  return writeOutput(output, context, [&](raw_ostream &os) {
    program->module->print(os);
    os << "\n";
  });
}
