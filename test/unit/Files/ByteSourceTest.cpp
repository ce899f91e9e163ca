//===- ByteSourceTest.cpp - Tests of files read in pieces -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/ByteSource.h"
#include "llm/Files/GzipOutput.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir::llm;
using llvm::StringRef;

/// All of it, or the error.
static std::string readAll(ByteSource &source) {
  std::string all;
  while (true) {
    llvm::Expected<StringRef> piece = source.next();
    if (!piece)
      return "error: " + toString(piece.takeError());
    if (piece->empty())
      return all;
    all += *piece;
  }
}

static std::string compress(StringRef text) {
  std::string compressed;
  llvm::raw_string_ostream stream(compressed);
  GzipOutput(stream) << text;
  return compressed;
}

static std::string inflate(StringRef compressed) {
  auto source =
      makeInflater(makeByteSource(llvm::MemoryBufferRef(compressed, "")), "f");
  return readAll(*source);
}

/// Longer than several pieces, and hard to compress.
static std::string longText() {
  std::string text;
  for (uint32_t number = 1; text.size() < 1000000; number = number * 48271 + 7)
    text += char(number >> 13);
  return text;
}

TEST(ByteSource, ReadsFilesInPieces) {
  std::string text = longText();
  llvm::SmallString<128> path;
  int descriptor;
  ASSERT_FALSE(
      llvm::sys::fs::createTemporaryFile("pieces", "", descriptor, path));
  llvm::raw_fd_ostream(descriptor, /*shouldClose=*/true) << text;
  auto source = openByteSource(path);
  ASSERT_TRUE(bool(source)) << toString(source.takeError());
  llvm::Expected<StringRef> peeked = (*source)->peek();
  ASSERT_TRUE(bool(peeked));
  EXPECT_EQ(peeked->size(), size_t(1) << 18);
  EXPECT_TRUE(readAll(**source) == text);
  llvm::sys::fs::remove(path);
}

TEST(ByteSource, SaysWhyAFileCannotBeRead) {
  auto missing = openByteSource("/nowhere/x");
  ASSERT_FALSE(missing);
  EXPECT_EQ(toString(missing.takeError()),
            "cannot read '/nowhere/x': No such file or directory");
  auto folder = openByteSource("/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(toString(folder.takeError()), "cannot read '/': Is a directory");
}

TEST(ByteSource, InflatesSeveralParts) {
  std::string text = longText();
  EXPECT_TRUE(isGzip(compress(text)));
  EXPECT_FALSE(isGzip(text));
  EXPECT_TRUE(inflate(compress(text)) == text);
  EXPECT_TRUE(inflate(compress(text) + compress("") + compress("end")) ==
              text + "end");
}

TEST(ByteSource, SaysWhereCompressedDataAreDamaged) {
  std::string compressed = compress(longText());
  EXPECT_EQ(inflate(StringRef(compressed).drop_back(100)),
            "error: cannot inflate 'f': byte " +
                std::to_string(compressed.size() - 100) +
                ": the file ends within the compressed data");
  // The sum of the contents and the size are the last 8 bytes.
  std::string damaged = compressed;
  damaged[damaged.size() - 5] ^= 1;
  EXPECT_EQ(inflate(damaged), "error: cannot inflate 'f': byte " +
                                  std::to_string(compressed.size() - 4) +
                                  ": incorrect data check");
  EXPECT_EQ(inflate(compress("a") + "more"),
            "error: cannot inflate 'f': byte " +
                std::to_string(compress("a").size() + 2) +
                ": incorrect header check");
}
