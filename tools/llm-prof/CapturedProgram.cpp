//===- CapturedProgram.cpp - Programs of captured graphs ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CapturedProgram.h"
#include "Subcommand.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"

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
                      "with\nthe most nodes, the one that ran most often)"),
             cl::value_desc("number")),
      chosenRun("run", cl::sub(command),
                cl::desc("Run of the graph whose chosen experts --program has "
                         "(default: the\nmedian by the number of experts)"),
                cl::value_desc("number")),
      mask("mask", cl::sub(command), cl::init(MaskKind::Full),
           cl::desc("What attention of --program sees; a capture only has the "
                    "size of a mask"),
           cl::values(clEnumValN(MaskKind::Full, "full",
                                 "every key, as ggml computes it (default)"),
                      clEnumValN(MaskKind::Causal, "causal",
                                 "for each new token the keys up to its own"))),
      floatType("dtype", cl::sub(command), cl::value_desc("type"),
                cl::desc("f32 (default), f16 or bf16: type of --program for "
                         "what ggml\ncomputes in f32; weights and caches keep "
                         "theirs")) {}

/// Fails if options of `--program` are given without it.
LogicalResult CapturedProgramOptions::check(MLIRContext &context) const {
  for (const cl::Option *option : {static_cast<const cl::Option *>(&number),
                                   static_cast<const cl::Option *>(&chosenRun),
                                   static_cast<const cl::Option *>(&mask),
                                   static_cast<const cl::Option *>(&floatType)})
    if (option->getNumOccurrences() > 0 && !areGiven())
      return emitError(UnknownLoc::get(&context))
             << "--" << option->ArgStr
             << " is of --program, which is not asked for";
  return success();
}

FailureOr<CapturedProgramForm>
CapturedProgramOptions::readForm(MLIRContext &context) const {
  CapturedProgramForm form;
  form.mask = mask;
  if (chosenRun.getNumOccurrences())
    form.run = size_t(chosenRun);
  if (floatType.empty())
    return form;
  Builder b(&context);
  form.floatType = ::llvm::StringSwitch<FloatType>(floatType)
                       .Case("f32", b.getF32Type())
                       .Case("f16", b.getF16Type())
                       .Case("bf16", b.getBF16Type())
                       .Default({});
  if (!form.floatType)
    return emitError(UnknownLoc::get(&context))
           << "--dtype must be one of f32, f16, bf16; got '" << floatType
           << "'";
  return form;
}

LogicalResult CapturedProgramOptions::run(StringRef capture,
                                          MLIRContext &context) const {
  Location location = FileLineColLoc::get(&context, capture, 1, 1);
  FailureOr<CapturedProgramForm> form = readForm(context);
  if (failed(form))
    return failure();
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
      (*graphs)[chosen], "graph_" + std::to_string(chosen), *form, location);
  if (failed(program))
    return failure();
  for (const std::string &loss : program->losses)
    emitWarning(location) << loss;
  for (const std::string &assumption : program->assumptions)
    emitRemark(location) << assumption;
  return writeOutput(output, context, [&](raw_ostream &os) {
    program->module->print(os);
    os << "\n";
  });
}
