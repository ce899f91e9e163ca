//===- TargetList.cpp - The presets as a table ----------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Console/TextTable.h"
#include "llm/Target/Target.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::llm {

/// Prints the tera-operations per second of all engines, two for each
/// multiply-accumulate. Prints "-" if the target has no rate for the type.
static std::string peakTeraFlops(const Target &target, Type type) {
  double flops = 0;
  for (const Engine &engine : target.engines) {
    std::string usedType;
    if (std::optional<int64_t> macs =
            Target::macsPerCycle(engine, type, usedType))
      flops +=
          2.0 * double(*macs) * double(engine.count) * double(target.clockHz);
  }
  return flops > 0 ? ::llvm::formatv("{0:f1}", flops / 1e12).str() : "-";
}

static std::string unitsOf(const Target &target) {
  std::string text;
  for (const Engine &engine : target.engines) {
    if (!engine.isCompute())
      continue;
    text += (text.empty() ? "" : " + ") + std::to_string(engine.count);
    if (engine.units > 1)
      text += " x " + std::to_string(engine.units);
  }
  return text;
}

/// Whether a clause ends here. The text behind it says the same in more words.
static bool isEndOfClause(char letter) {
  return letter == ',' || letter == ':';
}

static bool isMadeUp(const Target &target) {
  StringRef description = target.description;
  return description.contains("invented") ||
         description.contains("parametric design");
}

/// Writes "nvlink 300 to 8 chips, pcie 32 to 8". Figures of a library
/// (nvlink@custom) are those of the same link.
static std::string describeLinks(const Target &target) {
  std::string text;
  for (const Link &link : target.links) {
    if (StringRef(link.name).contains('@'))
      continue;
    text += text.empty() ? "" : ", ";
    text += ::llvm::formatv("{0} {1:f0} among {2} chips", link.name,
                            double(link.bytesPerSecond) / 1e9, link.devices)
                .str();
  }
  return text;
}

void listPresets(raw_ostream &os, MLIRContext *context) {
  TextTable table(7);
  table.setText(6);
  Builder builder(context);
  table.addRow({"target", "engines x units", "clock", "bf16 peak", "fp8 peak",
                "dram", "figures fitted to measurements"});
  table.addRow({"", "", "GHz", "TFLOP/s", "TFLOP/s", "GB/s", ""});
  table.addRule();
  std::vector<Target> madeUp;
  std::vector<std::string> links;
  auto emitError = [&] { return mlir::emitError(builder.getUnknownLoc()); };
  for (const std::string &name : presetNames()) {
    FailureOr<Target> target = loadPreset(name, context, emitError);
    if (failed(target))
      continue;
    table.addRow(
        {name, unitsOf(*target),
         target->clockIsGiven
             ? ::llvm::formatv("{0:f2}", target->clockHz / 1e9).str()
             : "-",
         peakTeraFlops(*target, builder.getBF16Type()),
         peakTeraFlops(*target, Float8E4M3FNType::get(context)),
         ::llvm::formatv("{0:f0}", target->dram().bytesPerSecond / 1e9).str(),
         target->fittedOn.empty()
             ? "none"
             : StringRef(target->fittedOn).take_until(isEndOfClause).str()});
    if (std::string text = describeLinks(*target); !text.empty())
      links.push_back(name + ": " + text);
    if (isMadeUp(*target))
      madeUp.push_back(std::move(*target));
  }
  constexpr size_t pageWidth = 100;
  table.print(os, pageWidth);
  os << hostPresetName
     << ": this machine; read, and its memory measured, when it is named\n"
     << "Links, GB/s of one chip in one direction (over them, --llm-pipeline=tp=N "
        "or --llm-shard cuts a program):\n";
  for (const std::string &text : links)
    os << "  " << text << "\n";
  os << "No such chip exists:\n";
  for (const Target &target : madeUp)
    printWrapped(os, target.description, pageWidth, target.name + ": ");
}

} // namespace mlir::llm
