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

/// Calls `write` with a stream on a file beside `path`, and renames it to
/// `path` when all of it was written. On any failure nothing is left behind and
/// an old file stays as it was. "-" is standard output. The error names the
/// path and the system's reason.
llvm::Error
writeOutputFile(llvm::StringRef path,
                llvm::function_ref<void(llvm::raw_ostream &)> write);

/// Says whether what is written to this path comes out of standard output: "-",
/// and names such as /dev/stdout, unless all of them are /dev/null.
bool isStandardOutput(llvm::StringRef path);

/// Makes `writeOutputFile` fail for this path, by whatever name, from here on.
/// The tool writes something else there, and one of the two would be lost, or
/// both would be mixed. The file need not exist yet. "-" is standard output.
/// `what` says what goes there: "the IR goes there (-o)". An empty path
/// reserves nothing.
void reserveOutputFile(llvm::StringRef path, llvm::StringRef what);

/// Says whether the tool has said with `reserveOutputFile` that what it writes
/// goes elsewhere. If a tool says nothing, this is not known.
bool isStandardOutputFree();

/// Fails as `writeOutputFile` would, as far as that is known before, for
/// callers that want to know before they work. Whether there is room is not
/// known.
llvm::Error checkOutputFile(llvm::StringRef path);

} // namespace mlir::llm

#endif // LLM_FILES_OUTPUTFILE_H
