//===- MpiRuntime.cpp - Chips that are processes of MPI -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/MpiRuntime/MpiRuntime.h"

#define OMPI_SKIP_MPICXX 1 // the C++ interface, which MPI 3 dropped
#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace {

int64_t at(const LlmPairs &pairs, int64_t pair, int64_t which) {
  return pairs
      .data[pairs.offset + pair * pairs.strides[0] + which * pairs.strides[1]];
}

/// Sizes and strides of the axes of a group.
using GroupKey = std::vector<int64_t>;

/// The communicators of groups. Each is made when its processes first use it,
/// and kept: MPI has few. Others take no part, as they may be in another stage
/// of a pipeline, and exchange other things.
class Communicators {
public:
  MPI_Comm get(const LlmPairs &axes) {
    GroupKey key;
    for (int64_t axis = 0; axis < axes.sizes[0]; ++axis)
      for (int64_t which = 0; which < 2; ++which)
        key.push_back(at(axes, axis, which));
    auto [it, isNew] = known.try_emplace(std::move(key), MPI_COMM_NULL);
    if (isNew)
      it->second = make(it->first);
    return it->second;
  }

  void clear() {
    for (auto &[key, communicator] : known)
      MPI_Comm_free(&communicator);
    known.clear();
  }

private:
  static MPI_Comm make(const GroupKey &axes) {
    // The chip whose places along the axes are all 0, and from it on all, with
    // the last axis fastest.
    int64_t first = _mlir_ciface_llm_chip();
    for (size_t axis = 0; axis < axes.size(); axis += 2)
      first -= _mlir_ciface_llm_chip() / axes[axis + 1] % axes[axis] *
               axes[axis + 1];
    std::vector<int> chips = {static_cast<int>(first)};
    for (size_t axis = 0; axis < axes.size(); axis += 2) {
      std::vector<int> longer;
      for (int chip : chips)
        for (int64_t place = 0; place < axes[axis]; ++place)
          longer.push_back(chip + static_cast<int>(place * axes[axis + 1]));
      chips = std::move(longer);
    }
    MPI_Group world, group;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(chips.size()), chips.data(), &group);
    MPI_Comm communicator;
    MPI_Comm_create_group(MPI_COMM_WORLD, group, /*tag=*/0, &communicator);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    return communicator;
  }

  std::map<GroupKey, MPI_Comm> known;
};

Communicators communicators;

/// MPI counts in `int`. Where there are more bytes, it counts blocks of them.
struct Block {
  MPI_Datatype type;
  int count;

  explicit Block(int64_t bytes) {
    constexpr int64_t most = int64_t(1) << 30;
    int64_t blockBytes = 1;
    while (bytes / blockBytes > most && bytes % (2 * blockBytes) == 0)
      blockBytes *= 2;
    if (bytes / blockBytes > most) {
      std::fprintf(stderr,
                   "llm_mpi_runtime: %lld bytes are too many for one message\n",
                   static_cast<long long>(bytes));
      MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    count = static_cast<int>(bytes / blockBytes);
    MPI_Type_contiguous(static_cast<int>(blockBytes), MPI_BYTE, &type);
    MPI_Type_commit(&type);
  }
  ~Block() { MPI_Type_free(&type); }
};

} // namespace

int64_t llm_mpi_start(int64_t *process) {
  int isStarted;
  MPI_Initialized(&isStarted);
  if (!isStarted) {
    // Other threads may compute, and this one exchanges.
    int provided;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  }
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  *process = rank;
  return size;
}

void llm_mpi_end(void) {
  communicators.clear();
  MPI_Finalize();
}

int64_t llm_mpi_clock_origin(void) {
  MPI_Comm node;
  int size, sizeOfNode;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                      &node);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_size(node, &sizeOfNode);
  MPI_Comm_free(&node);
  MPI_Barrier(MPI_COMM_WORLD);
  std::chrono::nanoseconds now =
      std::chrono::steady_clock::now().time_since_epoch();
  int64_t origin = now.count();
  // Processes of one machine have one clock, and need no barrier to agree.
  if (size == sizeOfNode)
    MPI_Bcast(&origin, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return origin;
}

void llm_mpi_send(const LlmBytes *from, int64_t process) {
  Block sent(from->size);
  MPI_Send(from->data + from->offset, sent.count, sent.type,
           static_cast<int>(process), /*tag=*/0, MPI_COMM_WORLD);
}

void llm_mpi_receive(const LlmBytes *to, int64_t process) {
  Block received(to->size);
  MPI_Recv(to->data + to->offset, received.count, received.type,
           static_cast<int>(process), /*tag=*/0, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

int64_t _mlir_ciface_llm_chip(void) {
  int isStarted;
  MPI_Initialized(&isStarted);
  int64_t chip;
  llm_mpi_start(&chip);
  if (!isStarted)
    std::atexit(llm_mpi_end); // nobody else knows that it was started
  return chip;
}

void _mlir_ciface_llm_all_gather(const LlmBytes *from, const LlmBytes *to,
                                 const LlmPairs *group) {
  Block sent(from->size);
  MPI_Allgather(from->data + from->offset, sent.count, sent.type,
                to->data + to->offset, sent.count, sent.type,
                communicators.get(*group));
}

void _mlir_ciface_llm_all_to_all(const LlmBytes *from, const LlmBytes *to,
                                 const LlmPairs *group) {
  MPI_Comm communicator = communicators.get(*group);
  int numChips;
  MPI_Comm_size(communicator, &numChips);
  Block piece(from->size / numChips);
  MPI_Alltoall(from->data + from->offset, piece.count, piece.type,
               to->data + to->offset, piece.count, piece.type, communicator);
}

namespace {
/// Rows for, or from, each chip of a group, one chip behind the other.
struct Rows {
  std::vector<int> counts, begins;

  Rows(const LlmPairs &pairs, int64_t which) {
    int begin = 0;
    for (int64_t chip = 0; chip < pairs.sizes[0]; ++chip) {
      counts.push_back(static_cast<int>(at(pairs, chip, which)));
      begins.push_back(begin);
      begin += counts.back();
    }
  }
};
} // namespace

void _mlir_ciface_llm_all_to_all_rows(const LlmBytes *from, const LlmBytes *to,
                                      const LlmPairs *counts, int64_t rowBytes,
                                      const LlmPairs *group) {
  Rows sent(*counts, 0), got(*counts, 1);
  MPI_Datatype row;
  MPI_Type_contiguous(static_cast<int>(rowBytes), MPI_BYTE, &row);
  MPI_Type_commit(&row);
  MPI_Alltoallv(from->data + from->offset, sent.counts.data(),
                sent.begins.data(), row, to->data + to->offset,
                got.counts.data(), got.begins.data(), row,
                communicators.get(*group));
  MPI_Type_free(&row);
}
