//===- ByteReader.cpp - Little-endian numbers, one after another ----------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ByteReader.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::llm {

Location locateByte(StringAttr fileName, uint64_t offsetBytes) {
  unsigned column = offsetBytes < UINT32_MAX ? offsetBytes + 1 : 0;
  return FileLineColLoc::get(fileName, /*line=*/1, column);
}

InFlightDiagnostic emitErrorAtByte(StringAttr fileName, uint64_t offsetBytes) {
  return mlir::emitError(locateByte(fileName, offsetBytes))
         << "at byte " << offsetBytes << ": ";
}

std::string quoteBytes(StringRef text) {
  constexpr size_t most = 80;
  std::string shown;
  llvm::raw_string_ostream stream(shown);
  stream << '"';
  llvm::printEscapedString(text.take_front(most), stream);
  stream << (text.size() > most ? "...\"" : "\"");
  return shown;
}

FailureOr<StringRef> ByteReader::takeBytes(uint64_t countBytes,
                                           StringRef what) {
  if (countBytes > bytesLeft())
    return emitErrorAt(offsetBytes)
           << "expected " << what << " (" << countBytes
           << " bytes), found the end of the file after " << bytesLeft()
           << " bytes";
  StringRef taken = bytes.substr(offsetBytes, countBytes);
  offsetBytes += countBytes;
  return taken;
}

LogicalResult ByteReader::checkCount(uint64_t count, uint64_t leastBytes,
                                     StringRef items,
                                     uint64_t countOffsetBytes) const {
  if (count <= bytesLeft() / leastBytes)
    return success();
  return emitErrorAt(countOffsetBytes)
         << count << " " << items << " of at least " << leastBytes
         << " bytes each can not be in the " << bytesLeft()
         << " bytes that are left";
}

} // namespace mlir::llm
