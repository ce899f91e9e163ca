//===- Open.cpp - llm-prof open -------------------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Open.h"
#include "Subcommand.h"
#include "llm/Console/Browser.h"
#include "llm/Console/OneFileServer.h"
#include "llm/Files/InputFile.h"
#include "llm/Trace/TraceWriter.h"
#include "llm/TraceImport/ImportedTrace.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::llm;
namespace cl = llvm::cl;

static constexpr StringLiteral viewer = "https://ui.perfetto.dev";

static bool isPage(StringRef content) {
  StringRef start = content.ltrim();
  return start.starts_with_insensitive("<!doctype html") ||
         start.starts_with_insensitive("<html");
}

/// JSON, gzip, and Perfetto's own format, whose file is one long field 1. What
/// is no trace for Perfetto is none for `readTrace`, which says why.
static bool isForPerfetto(StringRef content) {
  StringRef start = content.ltrim();
  return (start.starts_with("{") && content.contains("\"traceEvents\"")) ||
         start.starts_with("[") || content.starts_with("\x1f\x8b") ||
         content.starts_with("\n");
}

/// Letters that stand for themselves in a URL.
static std::string makeUrlName(StringRef path) {
  std::string name = llvm::sys::path::filename(path).str();
  for (char &letter : name)
    if (!llvm::isAlnum(letter) && letter != '.' && letter != '-')
      letter = '_';
  return name;
}

static std::string makeFileUrl(StringRef path) {
  SmallString<128> absolute(path);
  (void)llvm::sys::fs::make_absolute(absolute);
  std::string url = "file://";
  for (char letter : absolute)
    if (llvm::isAlnum(letter) || StringRef("/._-~").contains(letter))
      url += letter;
    else
      url += "%" + llvm::toHex(StringRef(&letter, 1));
  return url;
}

static llvm::Error showPage(StringRef path) {
  std::string url = makeFileUrl(path);
  std::vector<std::string> browser = findBrowser();
  if (!browser.empty())
    return showInBrowser(browser, url);
  llvm::outs() << "There is no display here. Copy '" << path
               << "' to a machine that has one, and open it in a browser: it "
                  "needs no other file.\n";
  return llvm::Error::success();
}

static llvm::Error showTrace(StringRef name, StringRef path, StringRef content,
                             const OpenOptions &options) {
  std::vector<std::string> browser = findBrowser();
  if (browser.empty()) {
    llvm::outs() << "There is no display here. Open " << viewer
                 << " in a browser and drop '" << path
                 << "' into it; the trace stays on that machine.\n";
    return llvm::Error::success();
  }
  llvm::Expected<OneFileServer> server = OneFileServer::listen(options.port);
  if (!server)
    return server.takeError();
  std::string url =
      (viewer + "/#!/?url=http://127.0.0.1:" + Twine(server->getPort()) + "/" +
       name)
          .str();
  llvm::outs() << "Opening " << url << "\n";
  llvm::outs().flush();
  if (llvm::Error error = showInBrowser(browser, url))
    return error;
  return server->serve(name, content, viewer,
                       std::chrono::seconds(options.patienceSeconds));
}

/// A format that the viewer does not know.
static llvm::Expected<std::string> convert(StringRef path) {
  llvm::Expected<ImportedTrace> trace = readTrace(path);
  if (!trace)
    return trace.takeError();
  std::string converted;
  {
    llvm::raw_string_ostream os(converted);
    TraceWriter writer(TraceEncoding::JsonGzip, os);
    writeImportedTrace(*trace, writer.sink());
  } // what is compressed is complete from here on
  return converted;
}

static llvm::Error openFile(StringRef path, const OpenOptions &options) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> file =
      readInputFile(path);
  if (!file)
    return file.takeError();
  StringRef content = (*file)->getBuffer();
  if (isPage(content))
    return showPage(path);
  std::string name = makeUrlName(path);
  if (isForPerfetto(content))
    return showTrace(name, path, content, options);
  llvm::Expected<std::string> converted = convert(path);
  if (!converted)
    return converted.takeError();
  if (findBrowser().empty()) {
    llvm::outs() << "There is no display here. Convert the trace (llm-prof "
                    "import '"
                 << path << "' --perfetto=trace.json.gz), open " << viewer
                 << " in a browser, and drop that file into it.\n";
    return llvm::Error::success();
  }
  return showTrace(name + ".json.gz", path, *converted, options);
}

LogicalResult mlir::llm::openInBrowser(StringRef path, MLIRContext &context,
                                       const OpenOptions &options) {
  if (llvm::Error error = openFile(path, options))
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
      "port", cl::sub(command), cl::init(OpenOptions().port), cl::Hidden,
      cl::desc("Where the viewer fetches the trace; it knows 9001 alone")};
  cl::opt<unsigned> patienceSeconds{
      "patience", cl::sub(command), cl::init(OpenOptions().patienceSeconds),
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
