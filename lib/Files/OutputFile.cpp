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

#include <csignal>
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

/// Runs `write` and returns the stream's error. An unreported error would end
/// the process in the stream's destructor.
static std::error_code writeAndFlush(llvm::raw_fd_ostream &stream,
                                     WriteFn write) {
  // A large buffer makes fewer calls of the system, since traces have hundreds
  // of megabytes.
  stream.SetBufferSize(1 << 16);
  write(stream);
  stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  return error;
}

namespace {
/// While it exists, a reader that has closed its pipe is an error of the stream
/// and does not end the process.
class ClosedPipes {
public:
  ClosedPipes() : before(std::signal(SIGPIPE, SIG_IGN)) {}
  ~ClosedPipes() { std::signal(SIGPIPE, before); }
  ClosedPipes(const ClosedPipes &) = delete;

private:
  void (*before)(int);
};
} // namespace

/// Writes to standard output. A reader that has read enough, such as `head`,
/// closes its pipe. This must not lose the other files of the tool.
static Error writeToStandardOutput(WriteFn write) {
  ClosedPipes guard;
  std::error_code error = writeAndFlush(llvm::outs(), write);
  return error && error != std::errc::broken_pipe
             ? failToWrite("standard output", error)
             : Error::success();
}

/// Writes to a device, a pipe or a socket as it is, because a rename would
/// replace it.
static Error writeInPlace(StringRef path, WriteFn write) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error)
    error = writeAndFlush(stream, write);
  return error ? failToWrite(path, error) : Error::success();
}

/// Creates the temporary file beside the file, so that the rename stays within
/// one file system. Its name is short, because a suffix to a long name might be
/// too long.
static llvm::Expected<fs::TempFile> createSibling(StringRef path,
                                                  unsigned mode) {
  llvm::SmallString<128> model(llvm::sys::path::parent_path(path));
  llvm::sys::path::append(model, ".llm-%%%%%%%%%%%%.tmp");
  return fs::TempFile::create(model, mode);
}

namespace {
/// The file that is written for a path.
struct Destination {
  enum class Kind { StandardOutput, InPlace, Renamed };
  Kind kind;
  std::string path{}; ///< of the file that is written or renewed
  unsigned mode = 0;  ///< of the new file
};
} // namespace

static Error writeAndRename(const Destination &destination, StringRef shownPath,
                            WriteFn write) {
  llvm::Expected<fs::TempFile> temporary =
      createSibling(destination.path, destination.mode);
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
  if (Error failed = temporary->keep(destination.path))
    return failToWrite(shownPath, std::move(failed));
  return Error::success();
}

/// Finds out how to make a new file. `reason` is why nothing was found at
/// `path`.
static llvm::Expected<Destination> findNewFile(StringRef path,
                                               std::error_code reason) {
  if (reason != std::errc::no_such_file_or_directory)
    return failToWrite(path, reason);
  // The rename would put the file in the place of a link that leads nowhere.
  fs::file_status link;
  if (!fs::status(path, link, /*follow=*/false))
    return llvm::createStringError(reason,
                                   llvm::Twine("cannot write '") + path +
                                       "': it is a link to a missing file");
  return Destination{Destination::Kind::Renamed, path.str(),
                     fs::all_read | fs::all_write};
}

/// Returns nothing if there is no file.
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

/// `main` sets these before there are threads.
static std::string reservedPath, reservedFor;

void reserveOutputFile(StringRef path, StringRef what) {
  reservedPath = path;
  reservedFor = what;
}

bool isStandardOutputFree() {
  return !reservedPath.empty() && !isStandardOutput(reservedPath);
}

static std::string folderOf(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder.str();
}

/// Whether both name one regular file, which need not exist yet. Two writers to
/// a device lose nothing.
static bool isSameFile(StringRef one, StringRef other) {
  if (fs::exists(one) || fs::exists(other))
    return fs::is_regular_file(other) && fs::equivalent(one, other);
  return llvm::sys::path::filename(one) == llvm::sys::path::filename(other) &&
         fs::equivalent(folderOf(one), folderOf(other));
}

static Error checkReserved(StringRef path) {
  if (reservedPath.empty())
    return Error::success();
  bool isReserved = isStandardOutput(reservedPath)
                        ? isStandardOutput(path)
                        : isSameFile(path, reservedPath);
  return isReserved ? llvm::createStringError(llvm::Twine("cannot write '") +
                                              path + "': " + reservedFor)
                    : Error::success();
}

static llvm::Expected<Destination> findDestination(StringRef path) {
  if (Error reserved = checkReserved(path))
    return reserved;
  if (path == "-")
    return Destination{Destination::Kind::StandardOutput};
  if (path.empty())
    return failToWrite(
        path, std::make_error_code(std::errc::no_such_file_or_directory));
  fs::file_status status;
  if (std::error_code reason = fs::status(path, status))
    return findNewFile(path, reason);
  if (status.type() == fs::file_type::directory_file)
    return failToWrite(path, std::make_error_code(std::errc::is_a_directory));
  if (status.type() != fs::file_type::regular_file)
    return Destination{Destination::Kind::InPlace, path.str()};
  // A rename needs no right to write the old file. If its owner took that right
  // away, it is not replaced.
  if (std::error_code denied = fs::access(path, fs::AccessMode::Write))
    return failToWrite(path, denied);
  // If the path is a link, it stays one, and the file behind it is renewed.
  llvm::SmallString<128> real;
  if (std::error_code lost = fs::real_path(path, real))
    return failToWrite(path, lost);
  return Destination{Destination::Kind::Renamed, real.str().str(),
                     static_cast<unsigned>(status.permissions())};
}

Error checkOutputFile(StringRef path) {
  llvm::Expected<Destination> destination = findDestination(path);
  if (!destination)
    return destination.takeError();
  if (destination->kind != Destination::Kind::Renamed)
    return Error::success();
  llvm::Expected<fs::TempFile> temporary =
      createSibling(destination->path, destination->mode);
  if (!temporary)
    return failToWrite(path, temporary.takeError());
  llvm::consumeError(temporary->discard());
  return Error::success();
}

Error writeOutputFile(StringRef path, WriteFn write) {
  llvm::Expected<Destination> destination = findDestination(path);
  if (!destination)
    return destination.takeError();
  switch (destination->kind) {
  case Destination::Kind::StandardOutput:
    return writeToStandardOutput(write);
  case Destination::Kind::InPlace:
    return writeInPlace(path, write);
  case Destination::Kind::Renamed:
    return writeAndRename(*destination, path, write);
  }
  llvm_unreachable("unknown kind of destination");
}

} // namespace mlir::llm
