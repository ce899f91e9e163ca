//===- ByteSource.cpp - A file, one piece after the other -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/ByteSource.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"

#include <climits>
#include <vector>

#include <zlib.h>

using llvm::Expected;
using llvm::StringRef;

namespace mlir::llm {

static constexpr size_t pieceBytes = size_t(1) << 18;

Expected<StringRef> ByteSource::next() {
  if (!peeked)
    return read();
  StringRef piece = *peeked;
  peeked.reset();
  return piece;
}

Expected<StringRef> ByteSource::peek() {
  if (!peeked) {
    Expected<StringRef> piece = read();
    if (!piece)
      return piece;
    peeked = *piece;
  }
  return *peeked;
}

//===----------------------------------------------------------------------===//
// Files and memory
//===----------------------------------------------------------------------===//

namespace {
namespace fs = ::llvm::sys::fs;

class FileSource : public ByteSource {
public:
  FileSource(fs::file_t file, StringRef path)
      : file(file), path(path), room(pieceBytes) {}
  ~FileSource() override { fs::closeFile(file); }

private:
  /// Reads a piece. A pipe gives fewer bytes than there is room for.
  Expected<StringRef> read() override {
    size_t filled = 0;
    while (filled < room.size()) {
      Expected<size_t> count = fs::readNativeFile(
          file, llvm::MutableArrayRef(room).drop_front(filled));
      if (!count)
        return llvm::createStringError(
            std::make_error_code(std::errc::io_error),
            "cannot read '" + path + "': " + toString(count.takeError()));
      if (*count == 0)
        break;
      filled += *count;
    }
    return StringRef(room.data(), filled);
  }

  fs::file_t file;
  std::string path;
  std::vector<char> room;
};

class MemorySource : public ByteSource {
public:
  explicit MemorySource(StringRef bytes) : bytes(bytes) {}

private:
  Expected<StringRef> read() override {
    StringRef all = bytes;
    bytes = {};
    return all;
  }
  StringRef bytes;
};
} // namespace

Expected<std::unique_ptr<ByteSource>> openByteSource(StringRef path) {
  Expected<fs::file_t> file = fs::openNativeFileForRead(path);
  fs::file_status status;
  std::error_code reason =
      file ? fs::status(*file, status) : errorToErrorCode(file.takeError());
  // Opening a folder succeeds, but reading it does not.
  if (!reason && is_directory(status)) {
    fs::closeFile(*file);
    reason = std::make_error_code(std::errc::is_a_directory);
  }
  if (reason)
    return llvm::createStringError(reason, llvm::Twine("cannot read '") + path +
                                               "': " + reason.message());
  return std::make_unique<FileSource>(*file, path);
}

std::unique_ptr<ByteSource> makeByteSource(llvm::MemoryBufferRef bytes) {
  return std::make_unique<MemorySource>(bytes.getBuffer());
}

//===----------------------------------------------------------------------===//
// gzip
//===----------------------------------------------------------------------===//

bool isGzip(StringRef beginning) { return beginning.starts_with("\x1f\x8b"); }

namespace {
class Inflater : public ByteSource {
public:
  Inflater(std::unique_ptr<ByteSource> compressed, StringRef fileName)
      : compressed(std::move(compressed)), fileName(fileName),
        room(pieceBytes) {
    constexpr int windowBits = 15, fromGzip = 16;
    // This fails only if there is no memory.
    if (inflateInit2(&stream, windowBits + fromGzip) != Z_OK)
      ::llvm::report_bad_alloc_error("no memory to inflate a file");
  }
  ~Inflater() override { inflateEnd(&stream); }

private:
  Expected<StringRef> read() override;
  /// Gives the next compressed bytes to zlib, unless it has some. Returns
  /// whether there are any.
  Expected<bool> feed();
  llvm::Error fail(const llvm::Twine &what) {
    return llvm::createStringError(
        std::make_error_code(std::errc::illegal_byte_sequence),
        llvm::Twine("cannot inflate '") + fileName + "': byte " +
            llvm::Twine(fedBytes - stream.avail_in) + ": " + what);
  }

  std::unique_ptr<ByteSource> compressed;
  std::string fileName;
  std::vector<char> room;
  z_stream stream = {};
  StringRef waiting; ///< rest of a piece that is too long for zlib
  uint64_t fedBytes = 0;
  bool isInside = true; ///< in a part that has not ended
};
} // namespace

Expected<bool> Inflater::feed() {
  if (stream.avail_in > 0)
    return true;
  if (waiting.empty()) {
    Expected<StringRef> piece = compressed->next();
    if (!piece)
      return piece.takeError();
    waiting = *piece;
  }
  StringRef fed = waiting.take_front(INT_MAX);
  waiting = waiting.drop_front(fed.size());
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(fed.data()));
  stream.avail_in = fed.size();
  fedBytes += fed.size();
  return !fed.empty();
}

Expected<StringRef> Inflater::read() {
  stream.next_out = reinterpret_cast<Bytef *>(room.data());
  stream.avail_out = room.size();
  while (stream.avail_out > 0) {
    Expected<bool> fed = feed();
    if (!fed)
      return fed.takeError();
    if (!*fed && isInside)
      return fail("the file ends within the compressed data");
    if (!*fed)
      break;
    if (!isInside)
      inflateReset(&stream); // another part follows
    int result = inflate(&stream, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END)
      return fail(stream.msg ? stream.msg : "the compressed data are damaged");
    isInside = result != Z_STREAM_END;
  }
  return StringRef(room.data(), room.size() - stream.avail_out);
}

std::unique_ptr<ByteSource> makeInflater(std::unique_ptr<ByteSource> compressed,
                                         StringRef fileName) {
  return std::make_unique<Inflater>(std::move(compressed), fileName);
}

} // namespace mlir::llm
