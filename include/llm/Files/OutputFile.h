//===- OutputFile.h - Files that appear whole or not at all -----*- C++ -*-===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef LLM_FILES_OUTPUTFILE_H
#define LLM_FILES_OUTPUTFILE_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::llm {

/// Calls `write` with a stream to a new file in the same folder, and renames it
/// to `path` when all of it was written. On any failure the new file is
/// removed, and an old file stays as it was. "-" is standard output. The error
/// names the path and the system's reason.
llvm::Error
writeOutputFile(llvm::StringRef path,
                llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Says whether this path is standard output: "-", and names such as
/// /dev/stdout, unless standard output is /dev/null.
bool isStandardOutput(llvm::StringRef path);

/// Makes `writeOutputFile` fail for this file from now on, by whatever path.
/// The tool writes something else there, and one of the two would be lost, or
/// both would be mixed. The file need not exist yet. "-" is standard output.
/// `what` says what goes there: "the IR goes there (-o)". An empty path
/// reserves nothing.
void reserveOutputFile(llvm::StringRef path, llvm::StringRef what);

/// Returns true if the tool has reserved another path than standard output
/// (`reserveOutputFile`). If it has reserved nothing, returns false.
bool isStandardOutputFree();

/// Fails if `writeOutputFile` would certainly fail, for callers that want to
/// know before they start to work. It does not check for room on the disk.
llvm::Error checkOutputFile(llvm::StringRef path);

} // namespace mlir::llm

#endif // LLM_FILES_OUTPUTFILE_H
