//===- Host.cpp - The machine at hand as a target -------------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Target/Host.h"
#include "llm/Files/WholeNumber.h"
#include "llm/Support/Units.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"

#include <map>
#include <numeric>
#include <set>
#ifdef __linux__
#include <sched.h>
#endif

namespace mlir::llm {

//===----------------------------------------------------------------------===//
// Reading files
//===----------------------------------------------------------------------===//

/// Parses a decimal number, times a factor such as "e3".
static std::optional<int64_t> parseScaled(StringRef decimal, StringRef factor) {
  ::llvm::Expected<int64_t> value =
      parseWholeNumber((decimal.trim() + factor).str());
  if (!value) {
    ::llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  if (*value < 1 || *value > maxCount)
    return std::nullopt;
  return *value;
}

/// Parses the bytes of "16 kB", whatever the unit of kibibytes is called there.
static std::optional<int64_t> parseKibibytes(StringRef text, StringRef unit) {
  if (!text.consume_back(unit))
    return std::nullopt;
  std::optional<int64_t> kibibytes = parseScaled(text, "");
  return kibibytes ? checkedMul(*kibibytes, 1024) : std::nullopt;
}

/// Parses a list of CPUs: "0-2,8" as 0, 1, 2, 8.
static std::vector<unsigned> parseCpuList(StringRef text) {
  constexpr unsigned mostCpus = 65536;
  std::vector<unsigned> cpus;
  for (StringRef range : ::llvm::split(text, ',')) {
    auto [from, to] = range.trim().split('-');
    unsigned first = 0, last = 0;
    if (from.getAsInteger(10, first))
      continue;
    if (to.empty() || to.getAsInteger(10, last))
      last = first;
    for (unsigned cpu = first; cpu <= last && cpu < mostCpus; ++cpu)
      cpus.push_back(cpu);
  }
  return cpus;
}

namespace {
class HostReader {
public:
  HostReader(const HostSources &sources, EmitError emitError)
      : sources(sources), emitError(emitError) {}

  FailureOr<Target> read();
  std::optional<int64_t> readCacheBytes();

private:
  /// The text of a file below the root; nothing if it is not there.
  std::optional<std::string> readText(const Twine &path) const;
  std::string cpuFile(unsigned cpu, const Twine &file) const {
    return ("sys/devices/system/cpu/cpu" + Twine(cpu) + "/" + file).str();
  }
  /// The values of "key : value" in proc/cpuinfo, one for each CPU.
  std::vector<std::string> cpuInfo(StringRef key) const;

  std::vector<unsigned> usableCpus() const;
  int64_t countCores() const;
  std::optional<int64_t> clockHz() const;
  std::optional<int64_t> lastLevelCacheBytes() const;
  std::optional<int64_t> cacheBytesInCpuInfo() const;
  std::optional<int64_t> memoryBytes() const;

  bool has(StringRef feature) const { return sources.features.lookup(feature); }
  /// The name of the vectors, and their width.
  std::pair<StringRef, int64_t> vectors() const;
  void addRates(Engine &engine) const;
  Link sharedMemory(int64_t memoryBytesPerSecond) const;
  std::string describe() const;
  Refusal fail(StringRef what, StringRef where) const;

  const HostSources &sources;
  EmitError emitError;
  std::vector<unsigned> cpus;
};
} // namespace

std::optional<std::string> HostReader::readText(const Twine &path) const {
  SmallString<128> full(sources.root);
  ::llvm::sys::path::append(full, path);
  // These files do not tell their size, so they are read as streams.
  auto buffer = ::llvm::MemoryBuffer::getFileAsStream(full);
  if (!buffer)
    return std::nullopt;
  return (*buffer)->getBuffer().trim().str();
}

std::vector<std::string> HostReader::cpuInfo(StringRef key) const {
  std::vector<std::string> values;
  std::string text = readText("proc/cpuinfo").value_or("");
  for (StringRef line : ::llvm::split(text, '\n')) {
    auto [name, value] = line.split(':');
    if (name.trim() == key)
      values.push_back(value.trim().str());
  }
  return values;
}

//===----------------------------------------------------------------------===//
// What a machine has
//===----------------------------------------------------------------------===//

std::vector<unsigned> HostReader::usableCpus() const {
  if (!sources.cpus.empty())
    return sources.cpus;
  if (std::optional<std::string> online =
          readText("sys/devices/system/cpu/online"))
    return parseCpuList(*online);
  std::vector<unsigned> cpus(cpuInfo("processor").size());
  std::iota(cpus.begin(), cpus.end(), 0);
  return cpus;
}

/// Counts cores by lists of siblings. CPUs that share a core have the same
/// list.
int64_t HostReader::countCores() const {
  std::set<std::string> cores;
  for (unsigned cpu : cpus) {
    std::optional<std::string> siblings =
        readText(cpuFile(cpu, "topology/core_cpus_list"));
    if (!siblings)
      siblings = readText(cpuFile(cpu, "topology/thread_siblings_list"));
    cores.insert(siblings.value_or(std::to_string(cpu)));
  }
  return cores.size();
}

std::optional<int64_t> HostReader::clockHz() const {
  std::optional<int64_t> highest;
  auto add = [&](std::optional<int64_t> clock) {
    if (clock)
      highest = std::max(highest.value_or(0), *clock);
  };
  for (unsigned cpu : cpus)
    if (auto khz = readText(cpuFile(cpu, "cpufreq/cpuinfo_max_freq")))
      add(parseScaled(*khz, "e3"));
  if (!highest)
    for (StringRef mhz : cpuInfo("cpu MHz"))
      add(parseScaled(mhz, "e6"));
  return highest;
}

/// The bytes of all caches of the highest level together.
std::optional<int64_t> HostReader::lastLevelCacheBytes() const {
  std::pair<int64_t, std::map<std::string, int64_t>> last;
  for (unsigned cpu : cpus)
    for (unsigned index = 0; index < 10; ++index) {
      std::string folder = cpuFile(cpu, "cache/index" + Twine(index) + "/");
      auto level = parseScaled(readText(folder + "level").value_or(""), "");
      auto size = parseKibibytes(readText(folder + "size").value_or(""), "K");
      if (!level || !size || *level < last.first ||
          readText(folder + "type") == "Instruction")
        continue;
      if (*level > last.first)
        last = {*level, {}};
      std::string sharers = readText(folder + "shared_cpu_list").value_or("");
      last.second[sharers] = *size;
    }
  int64_t bytes = 0;
  for (const auto &[sharers, size] : last.second)
    bytes += size;
  return bytes > 0 ? std::optional<int64_t>(bytes) : cacheBytesInCpuInfo();
}

/// Virtual machines and chroots may have no folders of caches. What proc says
/// is shared by a package on some processors (Intel), and belongs to one core
/// on others (AMD). So it counts once for each package, which is never too
/// much.
std::optional<int64_t> HostReader::cacheBytesInCpuInfo() const {
  std::vector<std::string> sizes = cpuInfo("cache size"),
                           packages = cpuInfo("physical id");
  packages.resize(sizes.size());
  std::map<std::string, int64_t> sizeOfPackage;
  for (auto [text, package] : ::llvm::zip_equal(sizes, packages))
    if (std::optional<int64_t> size = parseKibibytes(text, "KB"))
      sizeOfPackage[package] = *size;
  int64_t bytes = 0;
  for (const auto &[package, size] : sizeOfPackage)
    bytes += size;
  return bytes > 0 ? std::optional<int64_t>(bytes) : std::nullopt;
}

std::optional<int64_t> HostReader::memoryBytes() const {
  std::string text = readText("proc/meminfo").value_or("");
  for (StringRef line : ::llvm::split(text, '\n')) {
    if (line.consume_front("MemTotal:"))
      return parseKibibytes(line, "kB");
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What a core does in a cycle
//===----------------------------------------------------------------------===//

std::pair<StringRef, int64_t> HostReader::vectors() const {
  if (has("avx512f"))
    return {"AVX-512", 512};
  if (has("avx2"))
    return {"AVX2", 256};
  if (has("neon") || has("asimd"))
    return {"NEON", 128};
  return {"vectors of 128 bits", 128};
}

/// Adds rates. Two ports do a vector operation each in every cycle. Types
/// without an instruction of their own are converted to f32 first.
void HostReader::addRates(Engine &engine) const {
  int64_t bits = vectors().second;
  int64_t lanes = 2 * bits / 32;
  // Before FMA, a multiplication and an addition take both ports.
  bool isFused = has("fma") || bits == 512 || has("neon") || has("asimd");
  int64_t f32 = isFused ? lanes : lanes / 2;
  int64_t bf16 = f32, f16 = f32, i8 = f32;
  if (has("avx512fp16") || has("fullfp16"))
    f16 = 2 * lanes;
  if (has("avx512bf16") || has("bf16"))
    bf16 = 2 * lanes;
  if (has("avx512vnni") || has("avxvnni") || has("dotprod"))
    i8 = 4 * lanes;
  // A tile of AMX of 16 x 16 sums takes 16 cycles for 64 bytes of each row.
  if (has("amx-bf16"))
    bf16 = 512;
  if (has("amx-fp16"))
    f16 = 512;
  if (has("amx-int8"))
    i8 = 1024;
  engine.macRates = {
      {"f64", f32 / 2}, {"f32", f32}, {"f16", f16}, {"bf16", bf16}, {"i8", i8}};
  engine.aluPerCycle = engine.comparePerCycle = lanes;
  // A special function takes a polynomial and some more operations.
  engine.specialPerCycle = std::max<int64_t>(1, lanes / 16);
}

//===----------------------------------------------------------------------===//
// The target
//===----------------------------------------------------------------------===//

Refusal HostReader::fail(StringRef what, StringRef where) const {
  return emitError() << "target 'host': the " << what
                     << " of this machine could not be read from " << where
                     << "; describe it in a file instead "
                        "(docs/recipes/add-a-chip.md)";
}

std::string HostReader::describe() const {
  std::vector<std::string> models = cpuInfo("model name");
  std::string text = "this machine";
  if (!models.empty())
    text += " (" + models.front() + ")";
  text += ": cores, highest clock, caches and memory as the system tells them; "
          "assumed: " +
          vectors().first.str() +
          " on two ports of each core, multiply and add in one where there is "
          "an instruction, 16 operations for a special function, half a "
          "microsecond to start "
          "an op, processes exchange as by Open MPI in shared memory; the "
          "memory's rate is a triad over all cores, the best of "
          "several runs, measured "
          "when the target is loaded";
  return text;
}

/// Returns the link between processes that run the chips of a cut program. Its
/// figures are those of Open MPI 4.1 between two processes of a virtual machine
/// (AMD EPYC, 2 CPUs): 0.45 us for 64 bytes, 3.3 us for 4 KiB, 28 us for 256
/// KiB, 102 us for 1 MiB.
Link HostReader::sharedMemory(int64_t memoryBytesPerSecond) const {
  constexpr int64_t copiedBytesPerSecond = 10'300'000'000,
                    lowLatencyBytesPerSecond = 3'600'000'000;
  Link link;
  link.name = "shared_memory";
  // Each byte is written to memory that both see, and read from there.
  link.bytesPerSecond = memoryBytesPerSecond;
  link.devices =
      std::max<int64_t>({2, int64_t(sources.processes), int64_t(cpus.size())});
  link.lowLatencyNanoseconds = 400;
  link.stepNanoseconds = 50;
  link.lowLatencyBytesPerSecond =
      std::min(lowLatencyBytesPerSecond, memoryBytesPerSecond);
  link.bandwidthNanoseconds = 2500;
  link.sustainedBytesPerSecond =
      std::min(copiedBytesPerSecond, memoryBytesPerSecond);
  return link;
}

/// Returns bytes that are far more than the caches hold, and still quick to
/// fill.
static int64_t triadBytes(int64_t cacheBytes) {
  constexpr int64_t least = int64_t(64) << 20, most = int64_t(512) << 20;
  return std::clamp(checkedMul(cacheBytes, 4).value_or(most), least, most);
}

FailureOr<Target> HostReader::read() {
  cpus = usableCpus();
  if (cpus.empty())
    return fail("CPUs", "sys/devices/system/cpu/online and proc/cpuinfo");
  std::optional<int64_t> clock = clockHz(), cache = lastLevelCacheBytes();
  if (!clock)
    return fail("clock", "sys/devices/system/cpu/cpu*/cpufreq/cpuinfo_max_freq "
                         "and 'cpu MHz' in proc/cpuinfo");
  if (!cache)
    return fail("last-level cache", "sys/devices/system/cpu/cpu*/cache and "
                                    "'cache size' in proc/cpuinfo");
  Target target;
  target.name = hostPresetName.str();
  target.description = describe();
  target.clockHz = *clock;
  Engine engine;
  engine.name = "cpu";
  engine.kinds.insert(EngineKind::Matrix);
  engine.kinds.insert(EngineKind::Vector);
  engine.units = countCores();
  engine.privateMemory = "llc";
  addRates(engine);
  // A loop is called, and its first lines come from a cache or from memory. So
  // an op takes half a microsecond to start.
  constexpr int64_t startsPerSecond = 2'000'000;
  engine.overheadCycles = *clock / startsPerSecond;
  int64_t processes = sources.processes;
  int64_t rate =
      sources.measure(engine.units * processes, triadBytes(*cache)) / processes;
  target.engines.push_back(std::move(engine));
  target.memories.push_back({"llc", *cache / processes});
  target.memories.push_back(
      {"dram", memoryBytes().value_or(0) / processes, rate});
  if (rate > 0) // otherwise it is an error of the memory
    target.links.push_back(sharedMemory(rate));
  std::vector<std::string> problems = target.check();
  if (!problems.empty())
    return emitError() << "target 'host': " << ::llvm::join(problems, "; ");
  return target;
}

std::optional<int64_t> HostReader::readCacheBytes() {
  cpus = usableCpus();
  return lastLevelCacheBytes();
}

std::optional<int64_t> readCacheBytes(const HostSources &sources) {
  auto tellNobody = [] { return Refusal(); };
  return HostReader(sources, tellNobody).readCacheBytes();
}

FailureOr<Target> readHost(const HostSources &sources, EmitError emitError) {
  return HostReader(sources, emitError).read();
}

static std::vector<unsigned> affinity() {
  std::vector<unsigned> cpus;
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &set))
        cpus.push_back(cpu);
#endif
  return cpus;
}

HostSources hostSources() {
  HostSources sources;
  sources.cpus = affinity();
  sources.features = ::llvm::sys::getHostCPUFeatures();
  sources.measure = [](unsigned threads, int64_t bytes) {
    // This is measured once in a process, as all is computed for one machine.
    static const int64_t rate = measureTriad(threads, bytes);
    return rate;
  };
  return sources;
}

} // namespace mlir::llm
