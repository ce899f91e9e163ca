/*===- MpiRuntime.h - What cut programs call to exchange bytes ----*- C -*-===*\
|*                                                                            *|
|* Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * --llm-partition writes one program, which each chip of a grid runs. In a
 * pipeline it has a function for each stage, and each chip runs the one of its
 * stage. After --convert-llm-to-linalg the program calls four functions:
 *
 *   llm_chip() -> index
 *   llm_all_gather(memref<?xi8>, memref<?xi8>, memref<?x2xindex>)
 *   llm_all_to_all(memref<?xi8>, memref<?xi8>, memref<?x2xindex>)
 *   llm_all_to_all_rows(memref<?xi8>, memref<?xi8>, memref<?x2xindex>, index,
 *                       memref<?x2xindex>)
 *
 * The library llm_mpi_runtime implements them with MPI (4.0, MPI Forum, 2021):
 * one process is one chip, and its rank is the number of the chip. llm-run
 * loads the library, and mlir-runner does with --shared-libs. MPI ends the
 * process on an error.
 *
 * A group is a size and a stride for each of its axes, the outermost first. The
 * size is the number of chips along the axis, and the stride is the difference
 * of the numbers of two neighbours. All chips of a group call the same
 * functions in the same order.
 */

#ifndef LLM_MPIRUNTIME_MPIRUNTIME_H
#define LLM_MPIRUNTIME_MPIRUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The descriptors of MLIR's memrefs of rank 1 and rank 2. */
typedef struct {
  char *allocated, *data;
  int64_t offset, size, stride;
} LlmBytes;
typedef struct {
  int64_t *allocated, *data;
  int64_t offset, sizes[2], strides[2];
} LlmPairs;

/* Starts MPI, if it is not running. Returns the number of processes, and
 * writes the rank of this one to `process`. */
int64_t llm_mpi_start(int64_t *process);
/* Ends MPI. All processes wait for each other here. */
void llm_mpi_end(void);
/* Returns one moment in nanoseconds of this process's own steady clock. All
 * processes call it together and get the same moment. On several machines it is
 * only as exact as a barrier. */
int64_t llm_mpi_clock_origin(void);

/* Sends bytes to another process, and waits until it takes them; and receives
 * as many. Between two processes they arrive in the order of sending. */
void llm_mpi_send(const LlmBytes *from, int64_t process);
void llm_mpi_receive(const LlmBytes *to, int64_t process);

/* Returns the number of this chip. */
int64_t _mlir_ciface_llm_chip(void);
/* Fills `to` with the bytes of all chips of the group, in order of ranks. */
void _mlir_ciface_llm_all_gather(const LlmBytes *from, const LlmBytes *to,
                                 const LlmPairs *group);
/* `from` has as many equal pieces as the group has chips, and the r-th goes to
 * the chip of rank r. `to` gets the pieces from all, in the order of ranks. */
void _mlir_ciface_llm_all_to_all(const LlmBytes *from, const LlmBytes *to,
                                 const LlmPairs *group);

/* `from` has rows of as many bytes for each chip of the group, in the order of
 * ranks, and `to` gets the rows from all, in that order. A pair of `counts` says
 * of a chip how many rows it gets from this one, and how many this one gets from
 * it. What is behind these rows in `from` and `to` is left alone. */
void _mlir_ciface_llm_all_to_all_rows(const LlmBytes *from, const LlmBytes *to,
                                      const LlmPairs *counts, int64_t row_bytes,
                                      const LlmPairs *group);

#ifdef __cplusplus
}
#endif

#endif /* LLM_MPIRUNTIME_MPIRUNTIME_H */
