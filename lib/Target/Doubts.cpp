//===- Doubts.cpp - Figures that no chip has ------------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A clock of 1500 is one in MHz. It is no error, as a machine for checks by
// hand may have it, and a warning to whoever describes a machine.
//
//===----------------------------------------------------------------------===//

#include "FieldTable.h"
#include "Fields.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::llm {

namespace {
/// Figures that chips have, with room for those that do not exist yet.
struct Plausible {
  int64_t least, most;
  StringRef range, example;
};

class Doubter {
public:
  explicit Doubter(const Target &target) : target(target) {}

  std::vector<TargetProblem> run() {
    if (target.clockIsGiven)
      check(keys::clockHz.str(), "cycles per second", target.clockHz);
    for (const Engine &engine : target.engines)
      checkEngine(engine, (keys::engines + "." + engine.name).str());
    for (const Memory &memory : target.memories)
      checkNumbers((keys::memories + "." + memory.name).str(), memoryNumbers(),
                   memory);
    for (const Link &link : target.links)
      checkNumbers((keys::links + "." + link.name).str(), linkNumbers(), link);
    checkCapacity();
    return std::move(doubts);
  }

private:
  static const Plausible *findPlausible(StringRef unit) {
    static constexpr Plausible clock = {1'000'000, 100'000'000'000,
                                        "1 MHz to 100 GHz", "1.5 GHz is 1.5e9"};
    static constexpr Plausible rate = {10'000'000, 1'000'000'000'000'000'000,
                                       "10 MB/s to 1 EB/s",
                                       "3.35 TB/s are 3.35e12"};
    return ::llvm::StringSwitch<const Plausible *>(unit)
        .Case("cycles per second", &clock)
        .Case("bytes per second", &rate)
        .Default(nullptr);
  }

  void add(const std::string &path, StringRef unit, int64_t value,
           const Plausible &plausible) {
    doubts.push_back(
        {path, ("is " + Twine(value) + " " + unit + "; chips have " +
                plausible.range + ": is it in another unit? (" +
                plausible.example + ")")
                   .str()});
  }

  void check(const std::string &path, StringRef unit, int64_t value) {
    const Plausible *plausible = findPlausible(unit);
    if (plausible && value != 0 &&
        (value < plausible->least || value > plausible->most))
      add(path, unit, value, *plausible);
  }

  template <typename Part>
  void checkNumbers(const std::string &path,
                    ArrayRef<NumberField<Part>> numbers, const Part &part) {
    for (const NumberField<Part> &number : numbers)
      if (std::optional<int64_t> value = number.get(part))
        check((path + "." + number.key).str(), number.unit, *value);
  }

  void checkEngine(const Engine &engine, const std::string &path) {
    checkNumbers(path, engineNumbers(), engine);
    for (const Port &port : engine.ports)
      check((path + "." + keys::ports + "." + port.memory).str(),
            "bytes per second", port.bytesPerSecond);
  }

  /// Private memories may have few bytes; that of all values does not.
  void checkCapacity() {
    static constexpr Plausible capacity = {1'000'000, 1'000'000'000'000'000'000,
                                           "1 MB to 1 EB", "80 GB are 80e9"};
    const Memory &dram = target.dram();
    if (dram.capacityBytes != 0 && (dram.capacityBytes < capacity.least ||
                                    dram.capacityBytes > capacity.most))
      add((keys::memories + "." + dram.name + "." + keys::capacityBytes).str(),
          "bytes", dram.capacityBytes, capacity);
  }

  const Target &target;
  std::vector<TargetProblem> doubts;
};
} // namespace

std::vector<TargetProblem> findDoubts(const Target &target) {
  return Doubter(target).run();
}

void warnOfDoubts(const Field &root, const Target &target,
                  ::llvm::function_ref<bool(StringRef)> isGiven) {
  for (const TargetProblem &doubt : findDoubts(target)) {
    if (!isGiven(doubt.path))
      continue;
    const Field *place = &root;
    for (StringRef key : ::llvm::split(doubt.path, '.'))
      if (const Field *inside = place->find(key))
        place = inside;
    mlir::emitWarning(place->location)
        << root.context << "'" << doubt.path << "' " << doubt.reason;
  }
}

} // namespace mlir::llm
