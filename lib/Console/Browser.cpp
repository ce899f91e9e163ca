//===- Browser.cpp - Something in a browser -------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/Browser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Program.h"

#include <cstdlib>

using namespace mlir;

static bool isSet(const char *variable) {
  const char *value = std::getenv(variable);
  return value && *value;
}

/// Reads the first command of BROWSER, in which colons separate commands. A
/// command may have %s where the URL goes.
static std::vector<std::string> readVariable() {
  StringRef first = StringRef(std::getenv("BROWSER")).split(':').first;
  SmallVector<StringRef> words;
  llvm::SplitString(first, words);
  return {words.begin(), words.end()};
}

std::vector<std::string> mlir::llm::findBrowser() {
  if (isSet("BROWSER"))
    return readVariable();
#ifdef __APPLE__
  bool hasDisplay = !isSet("SSH_CONNECTION");
  StringRef opener = "open";
#else
  bool hasDisplay = !isSet("SSH_CONNECTION") &&
                    (isSet("DISPLAY") || isSet("WAYLAND_DISPLAY"));
  StringRef opener = "xdg-open";
#endif
  if (!hasDisplay || !::llvm::sys::findProgramByName(opener))
    return {};
  return {opener.str()};
}

::llvm::Error mlir::llm::showInBrowser(ArrayRef<std::string> browser,
                                       StringRef url) {
  std::vector<std::string> command(browser.begin(), browser.end());
  bool isPlaced = false;
  for (std::string &word : command)
    if (size_t at = word.find("%s"); at != std::string::npos) {
      word.replace(at, 2, url);
      isPlaced = true;
    }
  if (!isPlaced)
    command.push_back(url.str());
  std::string error;
  auto program = ::llvm::sys::findProgramByName(command.front());
  bool isStarted = false;
  if (program)
    isStarted =
        ::llvm::sys::ExecuteNoWait(
            *program, SmallVector<StringRef>(command.begin(), command.end()),
            /*Env=*/std::nullopt, /*Redirects=*/{},
            /*MemoryLimit=*/0, &error)
            .Pid != ::llvm::sys::ProcessInfo::InvalidPid;
  else
    error = program.getError().message();
  if (isStarted)
    return ::llvm::Error::success();
  return ::llvm::createStringError(::llvm::inconvertibleErrorCode(),
                                   "cannot start the browser '" +
                                       command.front() + "': " + error);
}
