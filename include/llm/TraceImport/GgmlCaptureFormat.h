//===- GgmlCaptureFormat.h - Files of captured ggml graphs ------*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The format of captures. libllm-ggml-trace.so writes them, and lib/TraceImport
// reads them. It is plain C++, so that both can use it.
//
// A file is a head and records. Each record is appended whole, so that a file
// is valid up to the last whole record whenever the program ends. Numbers are
// little-endian and lie without gaps; i64 and u64 have 8 bytes, u32 has 4, u16
// 2 and u8 1. A text is a u16 length and that many bytes.
//
//   head      8 bytes magic, u32 version
//   record    u32 kind, u32 bytes of its body, the body
//
// Process, the first record:
//   u32 process id, i64 nanoseconds since 1970 at time 0 of the file, u8
//   whether times are of single ops (1) or of whole graphs (0), text program,
//   text version of ggml
//
// Graph, before the first run of each structure:
//   u32 number, from 0; u32 nodes, u32 tensors, u32 types, u32 backends,
//   u32 buffers
//   types     text name, u32 elements of a block, u32 bytes of a block
//   backends  text name, text device
//   buffers   text name of their kind, u8 usage (BufferUsage), u8 whether the
//             host can read it, u64 bytes
//   tensors   the nodes in the order in which they run, then what else they
//             read: text name, text op ("NONE" of what is only read), u32 type,
//             u32 flags of ggml, u32 backend, u32 buffer, u32 the tensor of
//             which this is a view, i64 ne[4], u64 nb[4] bytes from one element
//             to the next, u8 words of the op's parameters and these as u32, u8
//             sources and the number of each as u32
//   offsets   u64 of each tensor: bytes from the beginning of the tensor of
//             which it is a view, in the first graph of this structure
//   A number of a backend, a buffer or a tensor is `none` where there is none.
//
// Run, when a graph has run, and now and then while it runs:
//   u32 run, from 0; u32 graph, u32 thread id, u8 RunState, i64 start, i64 end
//   of the run so far, u32 ops; of each op u32 node, i64 start, i64 end
//   Times are nanoseconds. Ops of one run follow each other over its records.
//
// Wait, where a thread waited until the graphs of a scheduler had run:
//   u32 thread id, i64 start, i64 end
//
// Numbers, behind their graph, of each tensor whose numbers say what an op
// computes, which are the factors of angles of ROPE (since version 2):
//   u32 graph, u32 tensor, u32 count, f32 each
//
// Experts, ahead of a record of their run, if ops are timed (since version 2):
//   u32 run, u32 graph, u32 choices; of each choice u32 the tensor with the
//   numbers of the experts that each token chose, u32 experts that were chosen,
//   of each of these u32 its number, in rising order, and u32 rows that chose
//   it
//
// Version 1 is version 2 without the records that are new in it.
//
//===----------------------------------------------------------------------===//

#ifndef LLM_TRACEIMPORT_GGMLCAPTUREFORMAT_H
#define LLM_TRACEIMPORT_GGMLCAPTUREFORMAT_H

#include <cstddef>
#include <cstdint>

namespace mlir::llm::ggmlCapture {

inline constexpr char magic[] = "llmggml\n"; ///< its last zero is not written
inline constexpr size_t magicBytes = sizeof(magic) - 1;
inline constexpr uint32_t version = 2;
inline constexpr size_t headBytes = magicBytes + sizeof(version);
inline constexpr size_t recordHeadBytes = 2 * sizeof(uint32_t);
inline constexpr uint32_t none = ~uint32_t(0);
inline constexpr unsigned dims = 4;

enum class Record : uint32_t {
  Process = 1,
  Graph,
  Run,
  Wait,
  Numbers,
  Experts
};
enum class RunState : uint8_t { Done, GoesOn, Failed };
enum class BufferUsage : uint8_t { Any, Weights, Compute };

} // namespace mlir::llm::ggmlCapture

#endif // LLM_TRACEIMPORT_GGMLCAPTUREFORMAT_H
