//===- CaptureFile.cpp - The file of a captured program -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CaptureFile.h"
#include "Ggml.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace llmGgml {

static int64_t readClock(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return int64_t(time.tv_sec) * 1000000000 + time.tv_nsec;
}

int64_t nowNanoseconds() { return readClock(CLOCK_MONOTONIC); }

bool timesOps() {
  static const bool times = [] {
    const char *value = getenv("LLM_GGML_TRACE_OPS");
    return !value || strcmp(value, "0") != 0;
  }();
  return times;
}

/// LLM_GGML_TRACE with the process id for each %p.
static std::string choosePath() {
  const char *chosen = getenv("LLM_GGML_TRACE");
  std::string path = chosen && *chosen ? chosen : "ggml-%p.capture";
  std::string id = std::to_string(getpid());
  for (size_t at = 0; (at = path.find("%p", at)) != std::string::npos;
       at += id.size())
    path.replace(at, 2, id);
  return path;
}

static std::string readProgramPath() {
  char path[4096];
  ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size > 0 ? std::string(path, size_t(size)) : std::string();
}

void CaptureFile::fail(const std::string &path, const char *what) {
  fprintf(stderr, "llm-ggml-trace: %s '%s': %s; the capture ends\n", what,
          path.c_str(), strerror(errno));
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
  state = State::Closed;
}

bool CaptureFile::openPath(const std::string &tried) {
  descriptor =
      ::open(tried.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0)
    return false;
  struct stat status;
  // Several processes may write to a pipe or a terminal, and it cannot be cut.
  if (fstat(descriptor, &status) == 0 && !S_ISREG(status.st_mode))
    return true;
  if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 &&
      ftruncate(descriptor, 0) == 0)
    return true;
  int reason = errno;
  ::close(descriptor);
  descriptor = -1;
  errno = reason;
  return false;
}

bool CaptureFile::open() {
  path = choosePath();
  if (!openPath(path) && errno == EWOULDBLOCK) {
    path += "." + std::to_string(getpid());
    openPath(path);
  }
  if (descriptor < 0) {
    fail(path, "cannot write");
    return false;
  }
  state = State::Open;
  return writeHead();
}

bool CaptureFile::writeHead() {
  Body process;
  process.add(uint32_t(getpid()));
  process.add(readClock(CLOCK_REALTIME) - nowNanoseconds());
  process.add(uint8_t(timesOps()));
  process.addText(readProgramPath().c_str());
  process.addText(ggml().ggml_version ? ggml().ggml_version() : "");
  Body head;
  head.bytes.append(format::magic, format::magicBytes);
  head.add(format::version);
  head.add(format::Record::Process);
  head.add(uint32_t(process.bytes.size()));
  head.bytes += process.bytes;
  return write(head.bytes.data(), head.bytes.size());
}

bool CaptureFile::write(const void *bytes, size_t size) {
  off_t before = lseek(descriptor, 0, SEEK_END);
  const char *rest = static_cast<const char *>(bytes);
  for (size_t left = size; left;) {
    ssize_t written = ::write(descriptor, rest, left);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      int reason = errno;
      if (before >= 0 && ftruncate(descriptor, before) != 0)
        reason = errno;
      errno = reason;
      fail(path, "cannot write");
      return false;
    }
    rest += written;
    left -= size_t(written);
  }
  return true;
}

void CaptureFile::append(format::Record kind, const Body &body) {
  if (state == State::Closed || (state == State::Unopened && !open()))
    return;
  std::string record;
  record.reserve(format::recordHeadBytes + body.bytes.size());
  uint32_t head[] = {uint32_t(kind), uint32_t(body.bytes.size())};
  record.append(reinterpret_cast<const char *>(head), sizeof(head));
  record += body.bytes;
  write(record.data(), record.size());
}

void CaptureFile::leaveToParent() {
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
  state = State::Unopened;
}

} // namespace llmGgml
