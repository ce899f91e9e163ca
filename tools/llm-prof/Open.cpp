//===- Open.cpp - llm-prof open -------------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Open.h"
#include "Subcommand.h"
#include "llm/Trace/TraceWriter.h"
#include "llm/TraceImport/ImportedTrace.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

/// Converts a trace whose format the viewer does not know.
static llvm::Expected<std::string> convert(StringRef path) {
  llvm::Expected<ImportedTrace> trace = readTrace(path);
  if (!trace)
    return trace.takeError();
  std::string converted;
  {
    llvm::raw_string_ostream os(converted);
    TraceWriter writer(TraceEncoding::JsonGzip, os);
    writeImportedTrace(*trace, writer.sink());
  } // this completes a compressed file
  return converted;
}

LogicalResult mlir::llm::openInBrowser(StringRef path, MLIRContext &context,
                                       const ShowOptions &options) {
  if (llvm::Error error = showFile(path, llvm::outs(), options, convert))
    return emitError(UnknownLoc::get(&context))
           << llvm::toString(std::move(error));
  return success();
}

namespace {
class Open : public Subcommand {
public:
  Open() : Subcommand("open", "Show a trace or a page in a browser") {}
  LogicalResult run(MLIRContext &context) override {
    return openInBrowser(file, context, {port, patienceSeconds});
  }

private:
  cl::opt<std::string> file{cl::Positional, cl::Required, cl::sub(command),
                            cl::desc("<trace or page>")};
  cl::opt<unsigned> port{
      "port", cl::sub(command), cl::init(ShowOptions().port), cl::Hidden,
      cl::desc("Where the viewer fetches the trace; it knows 9001 alone")};
  cl::opt<unsigned> patienceSeconds{
      "patience", cl::sub(command), cl::init(ShowOptions().patienceSeconds),
      cl::Hidden, cl::desc("Seconds to wait for a browser")};
};
} // namespace

std::unique_ptr<Subcommand> mlir::llm::makeOpen() {
  return std::make_unique<Open>();
}

//===----------------------------------------------------------------------===//
// --open
//===----------------------------------------------------------------------===//

LogicalResult OpenOption::check(StringRef html, StringRef perfetto,
                                MLIRContext &context) const {
  if (isGiven && html.empty() && perfetto.empty())
    return emitError(UnknownLoc::get(&context))
           << "--open shows what --html or --perfetto writes, and neither is "
              "given";
  return success();
}

LogicalResult OpenOption::run(StringRef html, StringRef perfetto,
                              MLIRContext &context) const {
  if (!isGiven)
    return success();
  return openInBrowser(html.empty() ? perfetto : html, context);
}
