//===- GzipOutputTest.cpp - A stream that compresses ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/GzipOutput.h"

#include <gtest/gtest.h>

#include <random>

#include <zlib.h>

using namespace mlir::llm;

static std::string compress(const std::vector<std::string> &pieces) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  {
    GzipOutput gzip(os);
    for (const std::string &piece : pieces)
      gzip << piece;
  }
  return bytes;
}

/// zlib's own reader of gzip files, which wants the whole of one.
static std::string decompress(std::string bytes) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef *>(bytes.data());
  stream.avail_in = bytes.size();
  std::string text;
  int state = Z_OK;
  while (state == Z_OK) {
    char room[1000];
    stream.next_out = reinterpret_cast<Bytef *>(room);
    stream.avail_out = sizeof(room);
    state = inflate(&stream, Z_NO_FLUSH);
    text.append(room, sizeof(room) - stream.avail_out);
  }
  EXPECT_EQ(state, Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);
  inflateEnd(&stream);
  return text;
}

TEST(GzipOutput, givesBackWhatWasWritten) {
  EXPECT_EQ(decompress(compress({})), "");
  EXPECT_EQ(decompress(compress({"a", "", "bc"})), "abc");
}

// More than any buffer holds, of bytes that do not compress and of some that do
// well, in pieces of many sizes.
TEST(GzipOutput, takesMoreThanItsBuffers) {
  std::mt19937 dice(1);
  std::vector<std::string> pieces;
  std::string all;
  for (size_t size : {1u, 65535u, 65536u, 65537u, 300000u, 7u}) {
    std::string piece;
    for (size_t i = 0; i < size; ++i)
      piece += size % 2 ? char(dice()) : 'x';
    pieces.push_back(piece);
    all += piece;
  }
  EXPECT_EQ(decompress(compress(pieces)), all);
}

// Its head has no time: bytes 4 to 7 are 0.
TEST(GzipOutput, saysNothingOfTheTime) {
  std::string bytes = compress({"a"});
  EXPECT_EQ(bytes.substr(0, 3), "\x1f\x8b\b");
  EXPECT_EQ(bytes.substr(4, 4), std::string(4, '\0'));
  EXPECT_EQ(compress({"a"}), bytes);
}
