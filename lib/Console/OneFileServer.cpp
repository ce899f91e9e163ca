//===- OneFileServer.cpp - A file for one page on the web -----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/OneFileServer.h"
#include "llvm/ADT/StringExtras.h"

#include <arpa/inet.h>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

using namespace mlir;
using namespace mlir::llm;

using Clock = std::chrono::steady_clock;

// Browsers send less, and at once. They may take a while to read a long trace.
static constexpr size_t mostHeadBytes = 16 << 10;
static constexpr std::chrono::seconds mostHeadTime{5};
static constexpr timeval mostReceiveTime = {2, 0}, mostSendTime = {60, 0};

static ::llvm::Error makeError(const Twine &what) {
  return ::llvm::createStringError(::llvm::inconvertibleErrorCode(),
                                   what + ": " +
                                       std::generic_category().message(errno));
}

::llvm::Expected<OneFileServer> OneFileServer::listen(uint16_t port) {
  int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0)
    return makeError("cannot make a socket");
  OneFileServer server(listener, port);
  int yes = 1;
  (void)setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto *plain = reinterpret_cast<sockaddr *>(&address);
  socklen_t length = sizeof(address);
  if (bind(listener, plain, length) || ::listen(listener, SOMAXCONN) ||
      getsockname(listener, plain, &length))
    return makeError("cannot listen at port " + Twine(port) +
                     ", which another program may use");
  server.port = ntohs(address.sin_port);
  return server;
}

OneFileServer::~OneFileServer() {
  if (listener >= 0)
    close(listener);
}

/// Reads a head, up to the empty line behind it. Returns nothing if there is
/// none.
static std::optional<std::string> readHead(int connection) {
  std::string head;
  char buffer[4096];
  Clock::time_point end = Clock::now() + mostHeadTime;
  while (head.size() < mostHeadBytes && Clock::now() < end) {
    ssize_t count = recv(connection, buffer, sizeof(buffer), 0);
    if (count <= 0)
      return std::nullopt;
    head.append(buffer, count);
    if (head.find("\r\n\r\n") != std::string::npos)
      return head;
  }
  return std::nullopt;
}

static bool sendAll(int connection, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t count = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    bytes = bytes.drop_front(count);
  }
  return true;
}

static StringRef findOrigin(StringRef head) {
  SmallVector<StringRef> lines;
  head.split(lines, "\r\n");
  for (StringRef line : lines)
    if (auto [key, value] = line.split(':'); key.equals_insensitive("origin"))
      return value.trim();
  return "";
}

/// Answers a request. Returns whether the file was sent.
static bool answer(int connection, StringRef path, StringRef content,
                   StringRef origin) {
  auto refuse = [&](StringRef status) {
    sendAll(connection, ("HTTP/1.1 " + status +
                         "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                            .str());
    return false;
  };
  std::optional<std::string> head = readHead(connection);
  if (!head)
    return refuse("400 Bad Request");
  auto [method, rest] = StringRef(*head).split(' ');
  auto [asked, version] = rest.split(' ');
  if (!version.starts_with("HTTP/1."))
    return refuse("400 Bad Request");
  if (findOrigin(*head) != origin)
    return refuse("403 Forbidden");
  if (asked != path)
    return refuse("404 Not Found");
  if (method != "GET")
    return refuse("405 Method Not Allowed");
  std::string answerHead =
      ("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
       "Content-Length: " +
       Twine(content.size()) + "\r\nAccess-Control-Allow-Origin: " + origin +
       "\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n")
          .str();
  return sendAll(connection, answerHead) && sendAll(connection, content);
}

::llvm::Error OneFileServer::serve(StringRef name, StringRef content,
                                   StringRef origin,
                                   std::chrono::seconds patience) {
  std::string path = ("/" + name).str();
  for (Clock::time_point end = Clock::now() + patience;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    pollfd waiting = {listener, POLLIN, 0};
    int ready = left.count() <= 0 ? 0 : poll(&waiting, 1, int(left.count()));
    if (ready < 0 && errno == EINTR)
      continue;
    if (ready == 0)
      return ::llvm::createStringError(
          ::llvm::inconvertibleErrorCode(),
          "no browser has asked for the file within " +
              Twine(patience.count()) + " s");
    int connection = accept(listener, nullptr, nullptr);
    if (connection < 0)
      continue;
    (void)setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &mostReceiveTime,
                     sizeof(mostReceiveTime));
    (void)setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &mostSendTime,
                     sizeof(mostSendTime));
    bool isSent = answer(connection, path, content, origin);
    // Unread bytes would make the system drop the answer when the connection
    // closes.
    shutdown(connection, SHUT_WR);
    char rest[mostHeadBytes];
    (void)recv(connection, rest, sizeof(rest), 0);
    close(connection);
    if (isSent)
      return ::llvm::Error::success();
  }
}
