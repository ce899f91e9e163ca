//===- ShortestDecimal.cpp - Numbers as a person writes them --------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Support/ShortestDecimal.h"

#include <array>
#include <charconv>
#include <cmath>

namespace mlir::llm {

static std::string print(double value, std::chars_format format) {
  std::array<char, 64> text;
  return {text.data(),
          std::to_chars(text.begin(), text.end(), value, format).ptr};
}

std::string toShortestDecimal(double value) {
  constexpr double leastPlain = 1e-4, mostPlain = 1e9;
  double size = std::abs(value);
  if (value == 0 || (size >= leastPlain && size < mostPlain)) {
    std::string plain = print(value, std::chars_format::fixed);
    return plain.find('.') == std::string::npos ? plain + ".0" : plain;
  }
  std::string text = print(value, std::chars_format::scientific);
  size_t mark = text.find('e');
  std::string digits = text.substr(0, mark);
  if (digits.find('.') == std::string::npos)
    digits += ".0";
  return digits + "e" + std::to_string(std::stoi(text.substr(mark + 1)));
}

} // namespace mlir::llm
