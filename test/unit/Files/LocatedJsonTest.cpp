//===- LocatedJsonTest.cpp - JSON whose values know their place -----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/LocatedJson.h"
#include "Messages.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

class LocatedJsonTest : public ::testing::Test {
protected:
  FailureOr<LocatedJson> parse(StringRef text) {
    return LocatedJson::parse(text, "t.json", &context);
  }
  /// What is said of a text that does not parse.
  std::string errorOf(StringRef text) {
    EXPECT_TRUE(failed(parse(text))) << text.take_front(100).str();
    return messages.take();
  }
  /// "line:column path = text" of a value and all below it, one a line.
  static void print(const LocatedJson &json, std::string &out) {
    auto place = cast<FileLineColLoc>(json.loc());
    out += std::to_string(place.getLine()) + ":" +
           std::to_string(place.getColumn()) + " " + json.path() + " = " +
           json.describe() + "\n";
    for (const auto &[name, member] : json.members())
      print(member, out);
    for (const LocatedJson &element : json.elements())
      print(element, out);
  }

  MLIRContext context;
  Messages messages{&context};
};

// Each value knows its path and the place where it starts; numbers keep their
// spelling.
TEST_F(LocatedJsonTest, PathsAndPlaces) {
  auto json = parse("\xEF\xBB\xBF{\"a\" : [1,-2,{\"b\":2.50e1}],\r\n"
                    "  \"c\":\"x\\n\",\"d\":{},\n\n \"e\":[[ ],[true]] ,"
                    "\"\":null,\"f\":[3]\n,\"g\":false}\n");
  ASSERT_TRUE(succeeded(json)) << messages.take();
  std::string out;
  print(*json, out);
  EXPECT_EQ(out, "1:1  = an object\n"
                 "1:8 a = an array\n"
                 "1:9 a[0] = 1\n"
                 "1:11 a[1] = -2\n"
                 "1:14 a[2] = an object\n"
                 "1:19 a[2].b = 2.50e1\n"
                 "2:7 c = \"x \"\n"
                 "2:17 d = an object\n"
                 "4:6 e = an array\n"
                 "4:7 e[0] = an array\n"
                 "4:11 e[1] = an array\n"
                 "4:12 e[1][0] = true\n"
                 "4:23  = null\n"
                 "4:32 f = an array\n"
                 "4:33 f[0] = 3\n"
                 "5:6 g = false\n");
}

TEST_F(LocatedJsonTest, Scalars) {
  EXPECT_EQ(*parse("7")->asPositive(), 7);
  EXPECT_EQ(*parse(" 9223372036854775807 ")->asPositive(), INT64_MAX);
  EXPECT_EQ(*parse("2.5e9")->asPositive(), 2500000000);
  EXPECT_EQ(*parse("0")->asNonNegative(), 0);
  EXPECT_EQ(*parse("-0")->asNonNegative(), 0);
  EXPECT_EQ(*parse("1e-6")->asNumber(), 1e-6);
  EXPECT_EQ(*parse("3")->asNumber(), 3.0);
  EXPECT_EQ(*parse("true")->asBoolean(), true);
  EXPECT_EQ(*parse("\"\\u00e9\"")->asString(), "\xC3\xA9");
  EXPECT_TRUE(parse("null")->isNull());
}

TEST_F(LocatedJsonTest, SyntaxErrors) {
  EXPECT_EQ(errorOf(" \n"), "t.json:1:1: invalid JSON: the file is empty\n");
  EXPECT_EQ(errorOf("module {\r\n}"),
            "t.json:1:1: invalid JSON: expected '{', got 'module {'; this is a "
            "program\n");
  EXPECT_EQ(
      errorOf("{\"a\":\n NaN}"),
      "t.json:2:2: invalid JSON: syntax error while parsing value - invalid "
      "literal; last read: '\"a\":<U+000A> N'\n");
  for (const char *text :
       {"Infinity", "-Infinity",   "[1,]",    "{\"a\":1,}", "{1:2}",  "[1 2]",
        "{} {}",    "[1",          "{\"a\"",  "01",         "+1",     ".5",
        "1.",       "'a'",         "// c\n1", "\"a",        "\"\t\"", "\"\\x\"",
        "tru",      "\"\\ud800\"", "]",       "\x01"})
    EXPECT_NE(errorOf(text).find("t.json:1:"), std::string::npos) << text;
}

// What Python writes for numbers that are not finite is read where it is asked
// for; places behind it stay right, and nobody takes it for a number.
TEST_F(LocatedJsonTest, NonFiniteNumbers) {
  auto parsePython = [&](StringRef text) {
    return LocatedJson::parse(text, "t.json", &context, JsonNumbers::AsPython);
  };
  auto json = parsePython("{\"a\":[0.0,Infinity],\"NaN\": -Infinity, \"s\":\n"
                          " \"-Infinity,\\\"NaN\",\"n\" :NaN,\"e\":1}");
  ASSERT_TRUE(succeeded(json)) << messages.take();
  std::string out;
  print(*json, out);
  EXPECT_EQ(out, "1:1  = an object\n"
                 "1:6 a = an array\n"
                 "1:7 a[0] = 0.0\n"
                 "1:11 a[1] = Infinity\n"
                 "1:28 NaN = -Infinity\n"
                 "2:2 s = \"-Infinity,\"NaN\"\n"
                 "2:25 n = NaN\n"
                 "2:33 e = 1\n");
  const LocatedJson &infinity = json->find("a")->elements()[1];
  EXPECT_EQ(infinity.kind(), LocatedJson::Kind::Real);
  EXPECT_TRUE(failed(infinity.asNumber()));
  EXPECT_EQ(messages.take(),
            "t.json:1:11: 'a[1]' must be a finite number, got Infinity\n");
  EXPECT_TRUE(failed(json->find("n")->asPositive()));
  EXPECT_EQ(messages.take(),
            "t.json:2:25: 'n' must be a positive whole number, got NaN\n");
  EXPECT_TRUE(succeeded(parsePython("NaN")));
  for (const char *text :
       {"-NaN", "1NaN", "NaN1", "+Infinity", "[Infinityy]", "{NaN:1}", "nan"}) {
    EXPECT_TRUE(failed(parsePython(text))) << text;
    EXPECT_NE(messages.take().find("t.json:1:"), std::string::npos) << text;
  }
}

// A NUL ends the lexer's input; what comes behind it must not be lost in
// silence.
TEST_F(LocatedJsonTest, NulBytes) {
  EXPECT_EQ(errorOf(StringRef("{}\0{}", 5)),
            "t.json:1:3: invalid JSON: a NUL byte\n");
  EXPECT_NE(errorOf(StringRef("[\0]", 3)).find("invalid JSON"),
            std::string::npos);
}

TEST_F(LocatedJsonTest, InvalidUtf8) {
  std::string said = errorOf("[1,\n \"ab\xFF\"]");
  EXPECT_NE(
      said.find("t.json:2:5: invalid JSON: syntax error while parsing value "
                "- invalid string: ill-formed UTF-8 byte"),
      std::string::npos)
      << said;
  EXPECT_EQ(said.find('\xFF'), std::string::npos);
}

TEST_F(LocatedJsonTest, Numbers) {
  EXPECT_EQ(
      errorOf("[1, 9223372036854775808]"),
      "t.json:1:5: the whole number 9223372036854775808 does not fit in 64 "
      "bits\n");
  EXPECT_EQ(
      errorOf("\n-99999999999999999999"),
      "t.json:2:1: the whole number -99999999999999999999 does not fit in "
      "64 bits\n");
  EXPECT_NE(errorOf("[1e400]").find("number overflow parsing '1e400'"),
            std::string::npos);
  EXPECT_TRUE(succeeded(parse("-9223372036854775808")));
}

TEST_F(LocatedJsonTest, DuplicateKeys) {
  EXPECT_EQ(errorOf("{\"a\":{\"a\":1},\n \"b\":2, \"a\":3}"),
            "t.json:2:9: the key \"a\" is there twice\n");
}

// Depth costs an error, not the call stack.
TEST_F(LocatedJsonTest, Depth) {
  EXPECT_EQ(errorOf(std::string(100000, '[')),
            "t.json:1:65: invalid JSON: nested deeper than 64\n");
  EXPECT_TRUE(succeeded(parse(std::string(64, '[') + std::string(64, ']'))));
  std::string objects;
  for (int i = 0; i < 65; ++i)
    objects += "{\"a\":";
  EXPECT_NE(errorOf(objects).find("nested deeper than 64"), std::string::npos);
}

TEST_F(LocatedJsonTest, WrongTypes) {
  auto json = parse("{\"n\":\"32\",\"z\":0,\"r\":2.5,\"m\":-1,\"o\":{},\n"
                    "\"big\":1e30,\"t\":true,\"a\":[null]}");
  ASSERT_TRUE(succeeded(json));
  auto said = [&](const LocatedJson &value, auto ask) {
    EXPECT_TRUE(failed(ask(value)));
    return messages.take();
  };
  auto positive = [](const LocatedJson &value) { return value.asPositive(); };
  EXPECT_EQ(said(*json->find("n"), positive),
            "t.json:1:6: 'n' must be a positive whole number, got \"32\"\n");
  EXPECT_EQ(said(*json->find("z"), positive),
            "t.json:1:15: 'z' must be a positive whole number, got 0\n");
  EXPECT_EQ(
      said(*json->find("r"), positive),
      "t.json:1:21: 'r' must be a positive whole number, got 2.5: it has a "
      "fraction\n");
  EXPECT_EQ(
      said(*json->find("big"), positive),
      "t.json:2:7: 'big' must be a positive whole number, got 1e30: it does "
      "not fit in 64 bits\n");
  EXPECT_EQ(said(*json->find("m"), [](auto &v) { return v.asNonNegative(); }),
            "t.json:1:29: 'm' must be a whole number of at least 0, got -1\n");
  EXPECT_EQ(said(*json->find("o"), [](auto &v) { return v.asNumber(); }),
            "t.json:1:36: 'o' must be a number, got an object\n");
  EXPECT_EQ(said(*json->find("n"), [](auto &v) { return v.asBoolean(); }),
            "t.json:1:6: 'n' must be true or false, got \"32\"\n");
  EXPECT_EQ(said(*json->find("t"), [](auto &v) { return v.asString(); }),
            "t.json:2:16: 't' must be a string, got true\n");
  EXPECT_EQ(said(json->find("a")->elements()[0],
                 [](auto &v) { return v.expectObject(); }),
            "t.json:2:26: 'a[0]' must be an object, got null\n");
  EXPECT_EQ(said(*json, [](auto &v) { return v.expectArray(); }),
            "t.json:1:1: the top level must be an array, got an object\n");
}

TEST_F(LocatedJsonTest, Require) {
  auto json = parse("{\"a\":{\"b\":1}}");
  ASSERT_TRUE(succeeded(json));
  const LocatedJson &a = **json->require("a");
  EXPECT_EQ(*(*a.require("b"))->asPositive(), 1);
  EXPECT_TRUE(failed(a.require("c")));
  EXPECT_TRUE(failed(json->require("d")));
  EXPECT_TRUE(failed(a.find("b")->require("e")));
  EXPECT_EQ(messages.take(), "t.json:1:6: 'a.c' is missing\n"
                             "t.json:1:1: 'd' is missing\n"
                             "t.json:1:11: 'a.b' must be an object, got 1\n");
  EXPECT_EQ(a.find("c"), nullptr);
  EXPECT_EQ(a.find("b")->find("x"), nullptr);
}

// Each value holds its path: one long key must not be held a million times.
TEST_F(LocatedJsonTest, LongPaths) {
  auto json = parse("{\"" + std::string(300, 'k') + "\":[{\"a\":1}]}");
  ASSERT_TRUE(succeeded(json));
  const LocatedJson &element = json->members()[0].second.elements()[0];
  EXPECT_EQ(element.path(), std::string(256, 'k') + "...");
  EXPECT_EQ(element.find("a")->path(), std::string(256, 'k') + "...");
  std::string zeros = "0";
  for (int i = 1; i < 100000; ++i)
    zeros += ",0";
  EXPECT_TRUE(succeeded(
      parse("{\"" + std::string(1 << 20, 'k') + "\":[" + zeros + "]}")));
}

TEST_F(LocatedJsonTest, TooManyValues) {
  std::string zeros = "[0";
  for (int i = 1; i < (1 << 21); ++i)
    zeros += ",0";
  EXPECT_EQ(errorOf(zeros + "]"), "t.json:1:4194304: invalid JSON: more than "
                                  "2097152 values\n");
}

// Of a text that is read in parts, values that are not read cost nothing, also
// if there are millions, and elements are handed out with their paths and
// places.
TEST_F(LocatedJsonTest, Parts) {
  std::string many = "0";
  for (unsigned i = 0; i < (1u << 21) + 10; ++i)
    many += ",0";
  std::string text = "{\"skipped\": {\"a\": [" + many +
                     "]}, \"number\": 7, \"list\": [{\"x\": 1, \"skipped\": "
                     "[{}]},\n {\"x\": [2, 3]}, 4], \"kept\": [5]}";
  std::string taken, left;
  auto take = [&](StringRef path, const LocatedJson &element) {
    taken += path.str() + " ";
    print(element, taken);
    return success();
  };
  auto isRead = [](StringRef, StringRef key) { return key != "skipped"; };
  auto isTaken = [](StringRef path) { return path == "list"; };
  auto json = LocatedJson::parseParts(text, "t.json", &context,
                                      {isRead, isTaken, take});
  ASSERT_TRUE(succeeded(json)) << messages.take();
  size_t column = text.find("{\"x\": 1") + 1;
  std::string first = "1:" + std::to_string(column) +
                      " list[0] = an object\n1:" + std::to_string(column + 6) +
                      " list[0].x = 1\n";
  EXPECT_EQ(taken, "list " + first +
                       "list 2:2 list[1] = an object\n"
                       "2:8 list[1].x = an array\n"
                       "2:9 list[1].x[0] = 2\n"
                       "2:12 list[1].x[1] = 3\n"
                       "list 2:17 list[2] = 4\n");
  EXPECT_EQ(json->members().size(), 3u);
  EXPECT_EQ(json->find("number")->describe(), "7");
  EXPECT_TRUE(json->find("list")->elements().empty());
  EXPECT_EQ(json->find("kept")->elements().size(), 1u);
}

// What is not read must be JSON, too, and who takes may refuse.
TEST_F(LocatedJsonTest, PartsWithErrors) {
  auto none = [](StringRef, StringRef) { return false; };
  auto all = [](StringRef) { return true; };
  auto refuse = [](StringRef, const LocatedJson &element) {
    element.emitError() << "refused";
    return failure();
  };
  auto parse = [&](StringRef text) {
    EXPECT_TRUE(failed(LocatedJson::parseParts(text, "t.json", &context,
                                               {none, all, refuse})));
    return messages.take();
  };
  EXPECT_EQ(parse("{\"a\": [1,\n }]}"),
            "t.json:2:2: invalid JSON: syntax error while parsing value - "
            "unexpected '}'; expected '[', '{', or a literal\n");
  EXPECT_EQ(parse("{\"a\": 99999999999999999999}"),
            "t.json:1:7: the whole number 99999999999999999999 does not fit in "
            "64 bits\n");
  EXPECT_EQ(parse("[1]"), "t.json:1:2: refused\n");
}

// Many members are looked up among themselves for duplicates, each once.
TEST_F(LocatedJsonTest, ManyMembers) {
  std::string text = "{\"k\":0";
  for (int i = 0; i < 100000; ++i)
    text += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_EQ(parse(text + "}")->members().size(), 100001u);
  EXPECT_NE(errorOf(text + ",\"k7\":0}").find("the key \"k7\" is there twice"),
            std::string::npos);
}

// A long text is shortened in messages, and does not break them in two.
TEST_F(LocatedJsonTest, LongText) {
  std::string shown =
      parse("\"a\\nb" + std::string(1000, 'x') + "\"")->describe();
  EXPECT_EQ(shown, "\"a b" + std::string(77, 'x') + "...\"");
  EXPECT_LT(errorOf("\"" + std::string(100000, 'x')).size(), 300u);
}

TEST_F(LocatedJsonTest, Files) {
  EXPECT_TRUE(failed(LocatedJson::parseFile("/nowhere/a.json", &context)));
  EXPECT_EQ(messages.take(),
            "cannot read '/nowhere/a.json': No such file or directory\n");
  EXPECT_TRUE(failed(LocatedJson::parseFile("/", &context)));
  EXPECT_EQ(messages.take(), "cannot read '/': Is a directory\n");
}

} // namespace
