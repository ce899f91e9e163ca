//===- LocatedCsvTest.cpp - CSV whose cells know their place --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/LocatedCsv.h"
#include "Messages.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

class LocatedCsv : public ::testing::Test {
protected:
  /// Cells as "[a|b][c|d]", or the messages.
  std::string parsed(StringRef text) {
    FailureOr<std::vector<CsvRow>> rows = parseCsv(text, "t.csv", &context);
    if (failed(rows))
      return messages.take();
    std::string shown;
    for (const CsvRow &row : *rows) {
      shown += "[";
      for (const CsvCell &cell : row)
        shown += (&cell == &row.front() ? "" : "|") + cell.text;
      shown += "]";
    }
    return shown;
  }

  MLIRContext context;
  Messages messages{&context};
};

TEST_F(LocatedCsv, Cells) {
  EXPECT_EQ(parsed(""), "");
  EXPECT_EQ(parsed("a,b\nc,d\n"), "[a|b][c|d]");
  EXPECT_EQ(parsed("a,b\nc,d"), "[a|b][c|d]");
  EXPECT_EQ(parsed("\xEF\xBB\xBF"
                   "a,b\r\nc,d\r\n"),
            "[a|b][c|d]");
  EXPECT_EQ(parsed(" a b ,\t\n\n,d\n"), "[a b|][|d]");
  EXPECT_EQ(parsed(R"("a,b" , "say ""hi""")"), R"([a,b|say "hi"])");
  EXPECT_EQ(parsed("\"a\nb\",c\n\"\",e"), "[a\nb|c][|e]");
}

TEST_F(LocatedCsv, Errors) {
  EXPECT_EQ(parsed("a,b\nc, \"d\n"), "t.csv:2:4: this quote is never closed\n");
  EXPECT_EQ(parsed("a\n\"b\"c"),
            "t.csv:2:4: expected a comma or the end of the "
            "line after a quoted cell\n");
  EXPECT_EQ(parsed("a,b\n\nc\n"),
            "t.csv:3:1: this row has 1 cells, the first one 2\n");
  EXPECT_EQ(parsed("a,b\ncd\xE9,e\n"),
            "t.csv:2:3: this is not UTF-8: save the table as CSV in UTF-8\n");
  EXPECT_EQ(parsed(StringRef("\xFF\xFE"
                             "a\0,\0",
                             6)),
            "t.csv:1:1: this is not UTF-8: save the table as CSV in UTF-8\n");
}

// Lines and columns count from 1, also behind a cell that holds line ends.
TEST_F(LocatedCsv, Places) {
  auto rows = parseCsv("a,\"x\ny\",  b\nc,d,e\n", "t.csv", &context);
  ASSERT_TRUE(succeeded(rows));
  (*rows)[0][2].emitError() << "here";
  (*rows)[1][1].emitError() << "there";
  EXPECT_EQ(messages.take(), "t.csv:2:6: here\nt.csv:3:3: there\n");
}

} // namespace
