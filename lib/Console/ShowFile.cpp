//===- ShowFile.cpp - A page or a trace in a browser ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/ShowFile.h"
#include "llm/Console/Browser.h"
#include "llm/Console/OneFileServer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::llm;

static constexpr StringLiteral viewer = "https://ui.perfetto.dev";

static bool isPage(StringRef content) {
  StringRef start = content.ltrim();
  return start.starts_with_insensitive("<!doctype html") ||
         start.starts_with_insensitive("<html");
}

/// Whether Perfetto may read the file: JSON, gzip, or its own format, in which
/// a file is one long field 1. For any other file `readTrace` says what is
/// wrong.
static bool isForPerfetto(StringRef content) {
  StringRef start = content.ltrim();
  return (start.starts_with("{") && content.contains("\"traceEvents\"")) ||
         start.starts_with("[") || content.starts_with("\x1f\x8b") ||
         content.starts_with("\n");
}

/// Makes a name of letters that stand for themselves in a URL.
static std::string makeUrlName(StringRef path) {
  std::string name = ::llvm::sys::path::filename(path).str();
  for (char &letter : name)
    if (!::llvm::isAlnum(letter) && letter != '.' && letter != '-')
      letter = '_';
  return name;
}

static std::string makeFileUrl(StringRef path) {
  SmallString<128> absolute(path);
  (void)::llvm::sys::fs::make_absolute(absolute);
  std::string url = "file://";
  for (char letter : absolute)
    if (::llvm::isAlnum(letter) || StringRef("/._-~").contains(letter))
      url += letter;
    else
      url += "%" + ::llvm::toHex(StringRef(&letter, 1));
  return url;
}

static ::llvm::Error showPage(StringRef path, raw_ostream &said) {
  std::string url = makeFileUrl(path);
  std::vector<std::string> browser = findBrowser();
  if (!browser.empty())
    return showInBrowser(browser, url);
  said << "There is no display here. Copy '" << path
       << "' to a machine that has one, and open it in a browser: it "
          "needs no other file.\n";
  return ::llvm::Error::success();
}

static ::llvm::Error showTrace(StringRef name, StringRef path,
                               StringRef content, raw_ostream &said,
                               const ShowOptions &options) {
  std::vector<std::string> browser = findBrowser();
  if (browser.empty()) {
    said << "There is no display here. Open " << viewer
         << " in a browser and drop '" << path
         << "' into it; the trace stays on that machine.\n";
    return ::llvm::Error::success();
  }
  ::llvm::Expected<OneFileServer> server = OneFileServer::listen(options.port);
  if (!server)
    return server.takeError();
  std::string url =
      (viewer + "/#!/?url=http://127.0.0.1:" + Twine(server->getPort()) + "/" +
       name)
          .str();
  said << "Opening " << url << "\n";
  said.flush();
  if (::llvm::Error error = showInBrowser(browser, url))
    return error;
  return server->serve(name, content, viewer,
                       std::chrono::seconds(options.patienceSeconds));
}

::llvm::Error mlir::llm::showFile(
    StringRef path, raw_ostream &said, const ShowOptions &options,
    function_ref<::llvm::Expected<std::string>(StringRef)> convert) {
  auto file = ::llvm::MemoryBuffer::getFile(path);
  if (!file)
    return ::llvm::createStringError(file.getError(),
                                     "cannot read '" + path +
                                         "': " + file.getError().message());
  StringRef content = (*file)->getBuffer();
  if (isPage(content))
    return showPage(path, said);
  std::string name = makeUrlName(path);
  if (isForPerfetto(content) || !convert)
    return showTrace(name, path, content, said, options);
  ::llvm::Expected<std::string> converted = convert(path);
  if (!converted)
    return converted.takeError();
  if (findBrowser().empty()) {
    said << "There is no display here. Convert the trace (llm-prof import '"
         << path << "' --perfetto=trace.json.gz), open " << viewer
         << " in a browser, and drop that file into it.\n";
    return ::llvm::Error::success();
  }
  return showTrace(name + ".json.gz", path, *converted, said, options);
}
