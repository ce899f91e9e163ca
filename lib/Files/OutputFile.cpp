//===- OutputFile.cpp - Files that appear whole or not at all -------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/OutputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <optional>
#include <unistd.h>

namespace fs = llvm::sys::fs;
using llvm::Error;
using llvm::StringRef;

namespace mlir::llm {

using WriteFn = llvm::function_ref<void(llvm::raw_ostream &)>;

static Error failToWrite(StringRef path, std::error_code reason) {
  return llvm::createStringError(reason, llvm::Twine("cannot write '") + path +
                                             "': " + reason.message());
}

static Error failToWrite(StringRef path, Error error) {
  return failToWrite(path, llvm::errorToErrorCode(std::move(error)));
}

/// Runs `write` and reports what the stream met: an unreported error would end
/// the process in the stream's destructor.
static std::error_code writeAndFlush(llvm::raw_fd_ostream &stream,
                                     WriteFn write) {
  // Traces have hundreds of megabytes: fewer calls of the system.
  stream.SetBufferSize(1 << 16);
  write(stream);
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

/// A device, a pipe or a socket is written as it stands: a rename would replace
/// it.
static Error writeInPlace(StringRef path, WriteFn write) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error)
    error = writeAndFlush(stream, write);
  return error ? failToWrite(path, error) : Error::success();
}

/// The temporary file is a sibling, so that the rename stays within one file
/// system, and its short name fits where a suffix to a long one would not.
static llvm::Expected<fs::TempFile> createSibling(StringRef path,
                                                  unsigned mode) {
  llvm::SmallString<128> model(llvm::sys::path::parent_path(path));
  llvm::sys::path::append(model, ".llm-%%%%%%%%%%%%.tmp");
  return fs::TempFile::create(model, mode);
}

static Error writeAndRename(StringRef path, StringRef shownPath, unsigned mode,
                            WriteFn write) {
  llvm::Expected<fs::TempFile> temporary = createSibling(path, mode);
  if (!temporary)
    return failToWrite(shownPath, temporary.takeError());
  std::error_code error;
  {
    llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
    error = writeAndFlush(stream, write);
  }
  if (error) {
    llvm::consumeError(temporary->discard());
    return failToWrite(shownPath, error);
  }
  if (Error failed = temporary->keep(path))
    return failToWrite(shownPath, std::move(failed));
  return Error::success();
}

/// `reason` is why nothing was found at `path`.
static Error writeNewFile(StringRef path, std::error_code reason,
                          WriteFn write) {
  if (reason != std::errc::no_such_file_or_directory)
    return failToWrite(path, reason);
  // The rename would put the file in the place of a link that leads nowhere.
  fs::file_status link;
  if (!fs::status(path, link, /*follow=*/false))
    return llvm::createStringError(reason,
                                   llvm::Twine("cannot write '") + path +
                                       "': it is a link to a missing file");
  return writeAndRename(path, path, fs::all_read | fs::all_write, write);
}

/// Empty where there is none.
static std::optional<fs::UniqueID> identify(StringRef path) {
  fs::UniqueID id;
  if (fs::getUniqueID(path, id))
    return std::nullopt;
  return id;
}

bool isStandardOutput(StringRef path) {
  if (path == "-")
    return true;
  fs::file_status stream;
  std::optional<fs::UniqueID> id = identify(path);
  return id && !fs::status(STDOUT_FILENO, stream) &&
         stream.getUniqueID() == *id && id != identify("/dev/null");
}

/// Set by `main`, before there are threads.
static std::string reservedPath, reservedFor;

void reserveOutputFile(StringRef path, StringRef what) {
  reservedPath = path;
  reservedFor = what;
}

Error checkOutputFile(StringRef path) {
  if (reservedPath.empty())
    return Error::success();
  bool isReserved = isStandardOutput(reservedPath)
                        ? isStandardOutput(path)
                        : fs::is_regular_file(reservedPath) &&
                              fs::equivalent(path, reservedPath);
  return isReserved ? llvm::createStringError(llvm::Twine("cannot write '") +
                                              path + "': " + reservedFor)
                    : Error::success();
}

Error writeOutputFile(StringRef path, WriteFn write) {
  if (Error reserved = checkOutputFile(path))
    return reserved;
  if (path == "-") {
    std::error_code error = writeAndFlush(llvm::outs(), write);
    return error ? failToWrite("standard output", error) : Error::success();
  }
  if (path.empty())
    return failToWrite(
        path, std::make_error_code(std::errc::no_such_file_or_directory));
  fs::file_status status;
  if (std::error_code reason = fs::status(path, status))
    return writeNewFile(path, reason, write);
  if (status.type() == fs::file_type::directory_file)
    return failToWrite(path, std::make_error_code(std::errc::is_a_directory));
  if (status.type() != fs::file_type::regular_file)
    return writeInPlace(path, write);
  // A rename needs no right on the old file, but its owner took that right
  // away.
  if (std::error_code denied = fs::access(path, fs::AccessMode::Write))
    return failToWrite(path, denied);
  // A link stays a link to the file that is renewed.
  llvm::SmallString<128> real;
  if (std::error_code lost = fs::real_path(path, real))
    return failToWrite(path, lost);
  return writeAndRename(real, path, status.permissions(), write);
}

} // namespace mlir::llm
