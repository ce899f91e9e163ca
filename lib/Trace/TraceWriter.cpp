//===- TraceWriter.cpp - The format of a trace's file ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/TraceWriter.h"

using namespace mlir;
using namespace mlir::llm;

TraceEncoding mlir::llm::encodingOf(StringRef file) {
  if (file.ends_with(".json.gz"))
    return TraceEncoding::JsonGzip;
  return file.ends_with(".pftrace") ? TraceEncoding::Proto
                                    : TraceEncoding::Json;
}

TraceWriter::TraceWriter(TraceEncoding encoding, ::llvm::raw_ostream &os) {
  if (encoding == TraceEncoding::JsonGzip)
    compressed.emplace(os);
  ::llvm::raw_ostream &out = compressed ? *compressed : os;
  own = encoding == TraceEncoding::Proto ? makeProtoTrace(out)
                                         : makeJsonTrace(out);
}
