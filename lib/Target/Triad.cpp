//===- Triad.cpp - The rate of this machine's memory ----------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Target/Host.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace mlir::llm {

namespace {
/// The state that threads share.
struct TriadState {
  std::atomic<int64_t> bytes{0}; ///< that were moved so far
  std::atomic<unsigned> ready{0};
  std::atomic<bool> stops{false};
  std::atomic<double> sink{0}; ///< results that the compiler may not drop
};
} // namespace

/// The elements between two looks at the clock. This is short compared with a
/// window, and long compared with an update of the counter that all threads
/// share.
static constexpr size_t pieceElements = 16384;

static void runTriad(TriadState &state, size_t elements) {
  std::vector<double> a(elements, 0), b(elements, 1), c(elements, 2);
  ++state.ready;
  while (!state.stops)
    for (size_t at = 0; at < elements && !state.stops; at += pieceElements) {
      for (size_t i = at; i < at + pieceElements; ++i)
        a[i] = b[i] + 3 * c[i];
      state.bytes += int64_t(3 * pieceElements * sizeof(double));
    }
  state.sink = a[elements / 2];
}

static double bestRate(TriadState &state) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int window = 0; window < 6; ++window) {
    int64_t before = state.bytes;
    Clock::time_point start = Clock::now();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    int64_t moved = state.bytes - before;
    std::chrono::duration<double> time = Clock::now() - start;
    best = std::max(best, double(moved) / time.count());
  }
  return best;
}

int64_t measureTriad(unsigned threads, int64_t bytes) {
  size_t pieces = bytes / threads / (3 * sizeof(double) * pieceElements);
  size_t elements = std::max<size_t>(1, pieces) * pieceElements;
  TriadState state;
  std::vector<std::thread> workers;
  for (unsigned thread = 0; thread < threads; ++thread)
    workers.emplace_back([&] { runTriad(state, elements); });
  while (state.ready < threads)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  double rate = bestRate(state);
  state.stops = true;
  for (std::thread &worker : workers)
    worker.join();
  // Digits below this step are noise.
  constexpr int64_t step = 100000000;
  return std::max<int64_t>(1, int64_t(rate) / step) * step;
}

} // namespace mlir::llm
