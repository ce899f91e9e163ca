//===- ChromeErrorsTest.cpp - What is no trace ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/GzipOutput.h"
#include "llm/TraceImport/ImportedTrace.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

static std::string errorOf(StringRef text) {
  auto trace = readTrace(::llvm::MemoryBufferRef(text, "t"));
  return trace ? "no error" : toString(trace.takeError());
}

static std::string compress(StringRef text) {
  std::string compressed;
  ::llvm::raw_string_ostream stream(compressed);
  GzipOutput(stream) << text;
  return compressed;
}

TEST(ChromeErrors, NameTheByte) {
  EXPECT_EQ(errorOf(R"({"traceEvents":[{"ph":"X",}]})"),
            "t: byte 26: invalid JSON: syntax error while parsing object key - "
            "unexpected '}'; expected string literal");
  EXPECT_EQ(errorOf(R"({"traceEvents":[{"ph":"X"}], "a" 1})"),
            "t: byte 33: invalid JSON: syntax error while parsing object "
            "separator - unexpected number literal; expected ':'");
  EXPECT_EQ(errorOf(R"({"traceEvents":[{"ph":"X")"),
            "t: byte 25: invalid JSON: syntax error while parsing object - "
            "unexpected end of input; expected '}' (the file ends here: was it "
            "cut, or its writer ended?)");
  EXPECT_EQ(errorOf("{\"traceEvents\":[]}\0{"),
            "no error"); // a literal ends at its NUL
  EXPECT_EQ(errorOf(StringRef("{\"traceEvents\":[]}\0{", 20)),
            "t: byte 18: invalid JSON: a NUL byte");
  EXPECT_EQ(StringRef(errorOf("{\"traceEvents\":[{\"ph\":\"\xff\"}]}"))
                .take_front(30),
            "t: byte 23: invalid JSON: synt");
}

TEST(ChromeErrors, SayWhatWasExpected) {
  EXPECT_EQ(errorOf(R"({"events":[]})"),
            "t: byte 0: no trace: the object has no member 'traceEvents', "
            "where JSON of Chrome and PyTorch has its events");
  EXPECT_EQ(errorOf(R"({"traceEvents":{"a":1}})"),
            "t: byte 15: an object, where the list of events was expected");
  EXPECT_EQ(errorOf(R"({"traceEvents":"text"})"),
            "t: byte 20: \"text\", where the list of events was expected");
  EXPECT_EQ(errorOf("[[]]"),
            "t: byte 1: a list, where an event, an object, was expected");
  EXPECT_EQ(errorOf("[7]"),
            "t: byte 2: 7, where an event, an object, was expected");
  // 14 bytes, the object of args, 63 lists in it, and one too many; 10 bytes
  // and 64 lists.
  std::string deep = "[{\"args\":{\"a\":" + std::string(100, '[');
  EXPECT_EQ(errorOf(deep), "t: byte 77: nested deeper than 64");
  deep = "[{\"other\":" + std::string(100, '[');
  EXPECT_EQ(errorOf(deep), "t: byte 74: nested deeper than 64");
}

TEST(ChromeErrors, OfUnknownFormats) {
  EXPECT_EQ(StringRef(errorOf("")).take_front(57),
            "t: byte 0: no trace of a known format: the file is empty;");
  std::string unknown = errorOf("\x7f"
                                "ELF\"");
  EXPECT_EQ(StringRef(unknown).take_front(82),
            "t: byte 0: no trace of a known format: the file begins with "
            "\"\\x7fELF\\x22\"; what is");
  EXPECT_NE(unknown.find("JSON of Chrome, Perfetto or Kineto"), unknown.npos);
  EXPECT_EQ(unknown.find("Perfetto's own format"), unknown.npos);
  EXPECT_EQ(StringRef(errorOf("\x0a\x14\x50\x01")).take_front(63),
            "t: byte 0: this is a trace of Perfetto in its own format (.pftr");
  EXPECT_EQ(StringRef(errorOf("\n{}")).take_front(19), "t: byte 0: no trace");
  auto missing = readTrace(StringRef("/nowhere/trace.json"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(toString(missing.takeError()),
            "cannot read '/nowhere/trace.json': No such file or directory");
}

TEST(ChromeErrors, OfCompressedFiles) {
  std::string whole = compress(R"([{"ph":"i","name":"a","ts":1}])");
  EXPECT_EQ(errorOf(whole), "no error");
  EXPECT_EQ(errorOf(compress("[7]")),
            "t: byte 2 of what is compressed: 7, where an event, an object, "
            "was expected");
  EXPECT_EQ(errorOf(StringRef(whole).drop_back(4)),
            "cannot inflate 't': byte " + std::to_string(whole.size() - 4) +
                ": the file ends within the compressed data");
}

/// What a parser keeps of one value is bounded.
TEST(ChromeErrors, BoundHugeTexts) {
  std::string text = "[{\"name\":\"" + std::string(40 << 20, 'a') + "\"}]";
  EXPECT_EQ(errorOf(compress(text)), // behind [{"name"
            "t: byte 8 of what is compressed: a value of more than 16 MiB "
            "begins here, which no trace has");
}

TEST(ChromeErrors, LargeArgsAreLeftOut) {
  std::string text =
      "[{\"ph\":\"i\",\"name\":\"a\",\"ts\":1,\"args\":{\"b\":\"" +
      std::string(2 << 20, 'a') + "\",\"c\":1}}]";
  auto trace = readTrace(::llvm::MemoryBufferRef(text, "t"));
  ASSERT_TRUE(bool(trace)) << toString(trace.takeError());
  ASSERT_EQ(trace->events.size(), 1u);
  EXPECT_EQ(trace->argsOf(trace->events[0]), "");
  EXPECT_EQ(trace->notes,
            std::vector<std::string>{"Args of more than 1 MiB are left out: 1, "
                                     "the first at byte 1."});
}
