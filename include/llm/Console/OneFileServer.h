//===- OneFileServer.h - A file for one page on the web ---------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_CONSOLE_ONEFILESERVER_H
#define LLM_CONSOLE_ONEFILESERVER_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

#include <chrono>

namespace mlir::llm {

/// Serves one file once to the browser of this machine, for a page of one
/// origin ("https://ui.perfetto.dev"). It refuses all other requests. It
/// listens only at 127.0.0.1.
class OneFileServer {
public:
  /// Opens the port. Port 0 stands for any port that is free.
  static ::llvm::Expected<OneFileServer> listen(uint16_t port);
  OneFileServer(OneFileServer &&other) noexcept
      : listener(std::exchange(other.listener, -1)), port(other.port) {}
  OneFileServer &operator=(OneFileServer &&) = delete;
  ~OneFileServer();

  uint16_t getPort() const { return port; }

  /// Returns when the whole file was fetched. Fails if that takes too long.
  ::llvm::Error serve(StringRef name, StringRef content, StringRef origin,
                      std::chrono::seconds patience);

private:
  OneFileServer(int listener, uint16_t port) : listener(listener), port(port) {}

  int listener;
  uint16_t port;
};

} // namespace mlir::llm

#endif // LLM_CONSOLE_ONEFILESERVER_H
