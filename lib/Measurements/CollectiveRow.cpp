//===- CollectiveRow.cpp - The time of a measured exchange ----------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Measurements/CollectiveRow.h"
#include "llm/Cost/Kernels/CollectiveModel.h"
#include "llm/Cost/Kernels/ExpertExchange.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/StringSwitch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::llm;

bool mlir::llm::isExchangeRow(StringRef opKind) {
  return parseCollectiveKind(opKind.str()).has_value();
}

/// Returns the link that joins the row's devices, as its library drives it.
static FailureOr<Link> linkOf(const MeasuredRow &row, const Target &target,
                              Reasons reasons) {
  const Link *link = target.findLink(*row.devices);
  if (!link)
    return reasons.refuse(row.location)
           << "target '" << target.name << "' has no link that joins "
           << *row.devices << " devices; give it one (links)";
  return target.withDefaultLibrary(*link);
}

static FailureOr<CollectiveTime> collectiveTime(const MeasuredRow &row,
                                                CollectiveKind kind,
                                                const Target &target,
                                                Reasons reasons) {
  if (row.devices.value_or(0) < 2 || row.messageBytes.value_or(0) < 1)
    return reasons.refuse(row.location)
           << "'" << row.opKind
           << "' needs 'n_devices' of at least 2 and "
              "'message_bytes' of at least 1";
  FailureOr<Link> link = linkOf(row, target, reasons);
  if (failed(link))
    return failure();
  return timeCollective(kind, *row.devices, *row.messageBytes, *link,
                        double(target.dram().usableBytesPerSecond()));
}

//===----------------------------------------------------------------------===//
// Rows of experts
//===----------------------------------------------------------------------===//

/// Returns the bytes of a token's row; 0 if its type is not known. Sums come
/// back in 16 bits, whatever type rows went out in.
static int64_t rowBytesOf(const MeasuredRow &row, CollectiveKind kind) {
  int64_t cols = row.cols.value_or(0);
  constexpr int64_t blockOfNvfp4 = 16; // elements that share a scale of a byte
  if (kind == CollectiveKind::ExpertCombine)
    return 2 * cols;
  return ::llvm::StringSwitch<int64_t>(row.dtype)
      .Cases({"", "bf16", "fp16"}, 2 * cols)
      .Cases({"fp8", "int8"}, cols)
      .Case("nvfp4", (cols + 1) / 2 + (cols + blockOfNvfp4 - 1) / blockOfNvfp4)
      .Default(0);
}

/// The row of a token goes once to each chip that has experts for it, and one
/// sum of rows comes back from there.
static FailureOr<CollectiveTime> expertTime(const MeasuredRow &row,
                                            CollectiveKind kind,
                                            const Target &target,
                                            Reasons reasons) {
  if (row.devices.value_or(0) < 2)
    return reasons.refuse(row.location)
           << "'" << row.opKind << "' needs 'n_devices' of at least 2";
  for (auto [name, size] :
       {std::pair("rows", row.rows), {"cols", row.cols}, {"top_k", row.topK}})
    if (size.value_or(0) < 1 || *size > maxCount)
      return reasons.refuse(row.location)
             << "'" << row.opKind << "' needs '" << name << "' of at least 1";
  int64_t rowBytes = rowBytesOf(row, kind);
  if (rowBytes == 0)
    return reasons.refuse(row.location)
           << "'dtype' of '" << row.opKind
           << "' must be bf16, fp16, fp8, int8 or nvfp4, got '" << row.dtype
           << "'";
  FailureOr<Link> link = linkOf(row, target, reasons);
  if (failed(link))
    return failure();
  double chips = row.routing == "balanced"
                     ? chipsOfSpreadExperts(*row.devices, *row.topK)
                     : chipsOfRandomExperts(*row.devices, *row.topK);
  double bytes = double(*row.rows) * double(rowBytes) * chips;
  if (bytes > double(maxCount))
    return reasons.refuse(row.location)
           << "'" << row.opKind << "' has more than 2^61 - 1 bytes";
  return timeCollective(kind, *row.devices, std::llround(bytes), *link,
                        double(target.dram().usableBytesPerSecond()));
}

FailureOr<double> mlir::llm::exchangeTime(const MeasuredRow &row,
                                          const Target &target,
                                          Reasons reasons) {
  CollectiveKind kind = *parseCollectiveKind(row.opKind);
  FailureOr<CollectiveTime> time =
      isOfExperts(kind) ? expertTime(row, kind, target, reasons)
                        : collectiveTime(row, kind, target, reasons);
  if (failed(time))
    return failure();
  constexpr double nanosecondsPerMicrosecond = 1000;
  return time->nanoseconds / nanosecondsPerMicrosecond;
}
