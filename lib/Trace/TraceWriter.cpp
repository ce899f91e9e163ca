//===- TraceWriter.cpp - The format of a trace's file ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Trace/TraceWriter.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::llm;

constexpr TraceEncoding allEncodings[] = {
    TraceEncoding::Json, TraceEncoding::JsonGzip, TraceEncoding::Proto,
    TraceEncoding::ProtoGzip};

StringRef mlir::llm::suffixOf(TraceEncoding encoding) {
  switch (encoding) {
  case TraceEncoding::Json:
    return ".json";
  case TraceEncoding::JsonGzip:
    return ".json.gz";
  case TraceEncoding::Proto:
    return ".pftrace";
  case TraceEncoding::ProtoGzip:
    return ".pftrace.gz";
  }
  llvm_unreachable("one of the four");
}

std::optional<TraceEncoding> mlir::llm::encodingOfSuffix(StringRef file) {
  for (TraceEncoding encoding : allEncodings)
    if (file.ends_with(suffixOf(encoding)))
      return encoding;
  return std::nullopt;
}

TraceEncoding mlir::llm::encodingOf(StringRef file) {
  return encodingOfSuffix(file).value_or(TraceEncoding::Json);
}

std::string mlir::llm::findFaultOfTraceName(StringRef file) {
  if (file == "-" || file.starts_with("/dev/") || encodingOfSuffix(file))
    return "";
  std::string list = "the name says the form of the trace; expected ";
  for (TraceEncoding encoding : allEncodings) {
    if (encoding != allEncodings[0])
      list += encoding == TraceEncoding::ProtoGzip ? " or " : ", ";
    list += "*" + suffixOf(encoding).str();
  }
  return list;
}

TraceWriter::TraceWriter(TraceEncoding encoding, ::llvm::raw_ostream &os) {
  if (suffixOf(encoding).ends_with(".gz"))
    compressed.emplace(os);
  ::llvm::raw_ostream &out = compressed ? *compressed : os;
  bool isProto =
      encoding == TraceEncoding::Proto || encoding == TraceEncoding::ProtoGzip;
  own = isProto ? makeProtoTrace(out) : makeJsonTrace(out);
}
