//===- OutputFileTest.cpp - Files that appear whole or not at all ---------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Files/OutputFile.h"
#include "llm/Files/InputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

using namespace mlir::llm;
namespace fs = llvm::sys::fs;

namespace {

class OutputFile : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(fs::createUniqueDirectory("llm-output", folder));
  }
  void TearDown() override { fs::remove_directories(folder); }

  std::string at(llvm::StringRef name) {
    llvm::SmallString<128> path(folder);
    llvm::sys::path::append(path, name);
    return path.str().str();
  }
  /// Writes `text`; the error's message, or "".
  static std::string write(llvm::StringRef path, llvm::StringRef text) {
    return llvm::toString(writeOutputFile(
        path, [&](llvm::raw_ostream &stream) { stream << text; }));
  }
  static std::string read(llvm::StringRef path) {
    auto buffer = readInputFile(path);
    return buffer ? (*buffer)->getBuffer().str()
                  : llvm::toString(buffer.takeError());
  }
  /// The names in the folder: what a failure must leave as it was.
  unsigned countFiles() {
    unsigned count = 0;
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; file != end;
         file.increment(error))
      ++count;
    return count;
  }

  llvm::SmallString<128> folder;
};

TEST_F(OutputFile, WritesAndReplaces) {
  EXPECT_EQ(write(at("a"), "one"), "");
  EXPECT_EQ(read(at("a")), "one");
  EXPECT_EQ(write(at("a"), "two"), "");
  EXPECT_EQ(read(at("a")), "two");
  EXPECT_EQ(countFiles(), 1u);
}

// The permissions of a file survive its renewal, and a link stays a link.
TEST_F(OutputFile, KeepsPermissionsAndLinks) {
  ASSERT_EQ(write(at("a"), "one"), "");
  auto permissions = static_cast<fs::perms>(0640);
  ASSERT_FALSE(fs::setPermissions(at("a"), permissions));
  ASSERT_FALSE(fs::create_link(at("a"), at("link")));
  EXPECT_EQ(write(at("link"), "two"), "");
  EXPECT_EQ(read(at("a")), "two");
  bool isLink = false;
  ASSERT_FALSE(fs::is_symlink_file(at("link"), isLink));
  EXPECT_TRUE(isLink);
  EXPECT_EQ(*fs::getPermissions(at("a")), permissions);
}

TEST_F(OutputFile, LongName) {
  std::string name(255, 'n'); // the most that file systems take
  EXPECT_EQ(write(at(name), "text"), "");
  EXPECT_EQ(read(at(name)), "text");
}

TEST_F(OutputFile, Unwritable) {
  std::string directory = folder.str().str();
  EXPECT_EQ(write(directory, "x"),
            "cannot write '" + directory + "': Is a directory");
  EXPECT_EQ(write(at("none/a"), "x"),
            "cannot write '" + at("none/a") + "': No such file or directory");
  ASSERT_EQ(write(at("file"), "x"), "");
  EXPECT_EQ(write(at("file/a"), "x"),
            "cannot write '" + at("file/a") + "': Not a directory");
  EXPECT_EQ(write("", "x"), "cannot write '': No such file or directory");
  EXPECT_EQ(countFiles(), 1u);
}

TEST_F(OutputFile, ReadOnlyFile) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root may write everything";
  ASSERT_EQ(write(at("a"), "old"), "");
  ASSERT_FALSE(fs::setPermissions(at("a"), fs::owner_read));
  EXPECT_EQ(write(at("a"), "x"),
            "cannot write '" + at("a") + "': Permission denied");
  EXPECT_EQ(read(at("a")), "old");
}

// It is known before whether a file can be written, and nothing is left by it.
TEST_F(OutputFile, Check) {
  auto check = [](const std::string &path) {
    return llvm::toString(checkOutputFile(path));
  };
  EXPECT_EQ(check(at("a")), "");
  EXPECT_FALSE(fs::exists(at("a")));
  ASSERT_EQ(write(at("a"), "old"), "");
  EXPECT_EQ(check(at("a")), "");
  EXPECT_EQ(read(at("a")), "old");
  EXPECT_EQ(check("-"), "");
  EXPECT_EQ(check("/dev/null"), "");
  EXPECT_EQ(check(at("none/a")),
            "cannot write '" + at("none/a") + "': No such file or directory");
  EXPECT_EQ(check(at("a/b")),
            "cannot write '" + at("a/b") + "': Not a directory");
  EXPECT_EQ(check(at("")), "cannot write '" + at("") + "': Is a directory");
  EXPECT_EQ(countFiles(), 1U);
}

// Devices are written as they stand: no rename may put a file in their place.
TEST_F(OutputFile, Devices) {
  EXPECT_EQ(write("/dev/null", "x"), "");
  EXPECT_EQ(write("/dev/full", "x"),
            "cannot write '/dev/full': No space left on device");
  std::string large(1 << 20, 'x');
  EXPECT_EQ(write("/dev/full", large),
            "cannot write '/dev/full': No space left on device");
  for (const char *device : {"/dev/null", "/dev/full"}) {
    fs::file_status status;
    ASSERT_FALSE(fs::status(device, status));
    EXPECT_EQ(status.type(), fs::file_type::character_file) << device;
  }
}

TEST_F(OutputFile, StandardOutput) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(write("-", "text"), "");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "text");
}

// An error that stays on the stream would end the process when it exits.
TEST_F(OutputFile, FullStandardOutput) {
  int saved = dup(STDOUT_FILENO), full = open("/dev/full", O_WRONLY);
  dup2(full, STDOUT_FILENO);
  std::string said = write("-", "text");
  dup2(saved, STDOUT_FILENO);
  close(full);
  close(saved);
  EXPECT_EQ(said, "cannot write 'standard output': No space left on device");
}

// What a tool has reserved is not written, by whatever name, until it is given
// back; devices take more than one.
TEST_F(OutputFile, Reserved) {
  ASSERT_EQ(write(at("a"), "old"), "");
  ASSERT_FALSE(fs::create_link(at("a"), at("link")));
  reserveOutputFile(at("a"), "it is taken");
  for (const char *name : {"a", "./a", "link"}) {
    EXPECT_EQ(write(at(name), "x"),
              "cannot write '" + at(name) + "': it is taken");
    EXPECT_EQ(llvm::toString(checkOutputFile(at(name))),
              "cannot write '" + at(name) + "': it is taken");
  }
  EXPECT_EQ(read(at("a")), "old");
  EXPECT_EQ(write(at("b"), "x"), "");
  reserveOutputFile("/dev/null", "it is taken");
  EXPECT_EQ(write("/dev/null", "x"), "");
  reserveOutputFile("", "");
  EXPECT_EQ(write(at("a"), "new"), "");
}

TEST_F(OutputFile, ReservedStandardOutput) {
  int saved = dup(STDOUT_FILENO);
  int file = open(at("out").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(file, 0);
  dup2(file, STDOUT_FILENO);
  reserveOutputFile("-", "it is taken");
  std::vector<std::string> said;
  for (const std::string &name :
       {std::string("-"), std::string("/dev/stdout"),
        std::string("/proc/self/fd/1"), at("out"), at("other")})
    said.push_back(write(name, "x"));
  reserveOutputFile("", "");
  dup2(saved, STDOUT_FILENO);
  close(file);
  close(saved);
  EXPECT_EQ(said, (std::vector<std::string>{
                      "cannot write '-': it is taken",
                      "cannot write '/dev/stdout': it is taken",
                      "cannot write '/proc/self/fd/1': it is taken",
                      "cannot write '" + at("out") + "': it is taken", ""}));
  EXPECT_EQ(read(at("out")), "");
}

// Nothing mixes in /dev/null.
TEST_F(OutputFile, StandardOutputIsNothing) {
  int saved = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  bool isStream = isStandardOutput("/dev/null");
  dup2(saved, STDOUT_FILENO);
  close(null);
  close(saved);
  EXPECT_FALSE(isStream);
  EXPECT_TRUE(isStandardOutput("-"));
}

} // namespace
