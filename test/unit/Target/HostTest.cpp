//===- HostTest.cpp - The machine at hand as a target ---------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llm/Target/Host.h"
#include "../Files/Messages.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::llm;

namespace {

/// A folder with the files that a system shows: two cores of two CPUs each.
class HostTest : public ::testing::Test {
protected:
  void SetUp() override {
    SmallString<128> folder;
    ASSERT_FALSE(::llvm::sys::fs::createUniqueDirectory("host", folder));
    sources.root = folder.str().str();
    sources.measure = [&](unsigned threads, int64_t bytes) {
      measuredThreads = threads;
      measuredBytes = bytes;
      return int64_t(20000000000);
    };
    setFeatures({"avx2", "fma"});
    write("sys/devices/system/cpu/online", "0-3\n");
    for (int cpu = 0; cpu < 4; ++cpu)
      writeCpu(cpu);
    write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Toy 9\n"
                          "cpu MHz\t\t: 1999.5\n\nprocessor\t: 1\n"
                          "model name\t: Toy 9\ncpu MHz\t\t: 2100.25\n");
    write("proc/meminfo", "MemTotal:       16000 kB\nMemFree: 7 kB\n");
  }
  void TearDown() override {
    ::llvm::sys::fs::remove_directories(sources.root);
  }

  static std::string folderOf(int cpu) {
    return "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
  }
  /// CPU 0 and 2 are one core; all share the third level.
  void writeCpu(int cpu) {
    std::string folder = folderOf(cpu);
    write(folder + "topology/core_cpus_list", cpu % 2 ? "1,3\n" : "0,2\n");
    write(folder + "cpufreq/cpuinfo_max_freq",
          cpu == 3 ? "3100000\n" : "3000000\n");
    writeCache(cpu, 0, "1", "Data", "32K", std::to_string(cpu));
    writeCache(cpu, 1, "1", "Instruction", "64K", std::to_string(cpu));
    writeCache(cpu, 2, "3", "Unified", "8192K", "0-3");
  }
  void writeCache(int cpu, int index, StringRef level, StringRef type,
                  StringRef size, StringRef sharers) {
    std::string folder =
        folderOf(cpu) + "cache/index" + std::to_string(index) + "/";
    write(folder + "level", level);
    write(folder + "type", type);
    write(folder + "size", size);
    write(folder + "shared_cpu_list", sharers);
  }
  std::string pathOf(StringRef file) {
    SmallString<128> path(sources.root);
    ::llvm::sys::path::append(path, file);
    return path.str().str();
  }
  void write(StringRef file, StringRef text) {
    std::string path = pathOf(file);
    ::llvm::sys::fs::create_directories(::llvm::sys::path::parent_path(path));
    std::error_code error;
    ::llvm::raw_fd_ostream(path, error) << text;
    ASSERT_FALSE(error) << path;
  }
  void removeFromCpus(StringRef path) {
    for (int cpu = 0; cpu < 4; ++cpu)
      ::llvm::sys::fs::remove_directories(pathOf(folderOf(cpu) + path.str()));
  }
  void setFeatures(ArrayRef<StringRef> names) {
    sources.features.clear();
    for (StringRef name : names)
      sources.features[name] = true;
  }

  FailureOr<Target> read() {
    return readHost(sources,
                    [&] { return mlir::emitError(UnknownLoc::get(&context)); });
  }
  Target load() {
    FailureOr<Target> target = read();
    EXPECT_TRUE(succeeded(target)) << messages.take();
    return succeeded(target) ? *target : Target();
  }
  std::string error() {
    EXPECT_TRUE(failed(read()));
    return messages.take();
  }
  /// "f64 f32 f16 bf16 i8" per cycle of a core.
  std::string rates() {
    std::string text;
    Target target = load();
    for (const MacRate &rate : target.engines[0].macRates)
      text += (text.empty() ? "" : " ") + std::to_string(rate.macsPerCycle);
    return text;
  }

  MLIRContext context;
  Messages messages{&context};
  HostSources sources;
  unsigned measuredThreads = 0;
  int64_t measuredBytes = 0;
};

TEST_F(HostTest, Reads) {
  Target target = load();
  EXPECT_EQ(target.name, "host");
  EXPECT_EQ(target.clockHz, 3100000000);
  EXPECT_TRUE(target.clockIsGiven);
  ASSERT_EQ(target.engines.size(), 1u);
  const Engine &cpu = target.engines[0];
  EXPECT_EQ(cpu.count, 1);
  EXPECT_EQ(cpu.units, 2);
  EXPECT_EQ(cpu.aluPerCycle, 16);
  EXPECT_EQ(cpu.comparePerCycle, 16);
  EXPECT_EQ(cpu.specialPerCycle, 1);
  EXPECT_EQ(cpu.overheadCycles, 1550); // 0.5 us
  EXPECT_EQ(readCacheBytes(sources), 8 << 20);
  EXPECT_EQ(target.privateMemoryOf(cpu)->capacityBytes, 8 << 20);
  EXPECT_EQ(target.dram().capacityBytes, 16384000);
  EXPECT_EQ(target.dram().bytesPerSecond, 20000000000);
  EXPECT_EQ(measuredThreads, 2u);
  EXPECT_EQ(measuredBytes, 64 << 20); // four caches are less
  StringRef text = target.description;
  EXPECT_TRUE(text.starts_with("this machine (Toy 9): ")) << text.str();
  EXPECT_TRUE(text.contains("assumed: AVX2 on two ports")) << text.str();
  EXPECT_TRUE(text.contains("triad")) << text.str();
}

// The chips of a cut program share the memory, and exchange through it.
TEST_F(HostTest, Processes) {
  EXPECT_EQ(load().links.front().devices, 4); // CPUs
  sources.processes = 8;
  Target target = load();
  EXPECT_EQ(measuredThreads, 16u); // two cores each
  EXPECT_EQ(target.dram().bytesPerSecond, 20000000000 / 8);
  EXPECT_EQ(target.dram().capacityBytes, 16384000 / 8);
  ASSERT_EQ(target.links.size(), 1u);
  EXPECT_EQ(target.links.front().name, "shared_memory");
  EXPECT_EQ(target.links.front().devices, 8);
  // No faster than the memory.
  EXPECT_EQ(*target.links.front().sustainedBytesPerSecond, 20000000000 / 8);
  EXPECT_EQ(*target.links.front().lowLatencyBytesPerSecond, 20000000000 / 8);
}

// Only what the process may use: one core, and its cache.
TEST_F(HostTest, SomeCpus) {
  sources.cpus = {0, 2};
  Target target = load();
  EXPECT_EQ(target.engines[0].units, 1);
  EXPECT_EQ(target.clockHz, 3000000000);
}

// Two sockets have two last levels; without siblings each CPU is a core.
TEST_F(HostTest, Sockets) {
  removeFromCpus("topology");
  for (int cpu = 0; cpu < 4; ++cpu)
    writeCache(cpu, 2, "3", "Unified", "40960K", cpu < 2 ? "0-1" : "2-3");
  Target target = load();
  EXPECT_EQ(target.engines[0].units, 4);
  EXPECT_EQ(target.memories[0].capacityBytes, 80 << 20);
  EXPECT_EQ(measuredBytes, 320 << 20);
  for (int cpu = 0; cpu < 4; ++cpu)
    write(folderOf(cpu) + "topology/thread_siblings_list", "0-3");
  EXPECT_EQ(load().engines[0].units, 1);
}

// Vectors of w bits are w / 32 lanes; two ports, pairs of f16, fours of i8.
TEST_F(HostTest, Features) {
  EXPECT_EQ(rates(), "8 16 16 16 16");
  setFeatures({"avx2"}); // no FMA: half of it
  EXPECT_EQ(rates(), "4 8 8 8 8");
  setFeatures({});
  EXPECT_EQ(rates(), "2 4 4 4 4");
  setFeatures({"avx512f", "avx2", "fma"});
  EXPECT_EQ(rates(), "16 32 32 32 32");
  setFeatures({"avx512f", "avx512bf16", "avx512fp16", "avx512vnni"});
  EXPECT_EQ(rates(), "16 32 64 64 128");
  setFeatures({"avx512f", "amx-bf16", "amx-int8"});
  EXPECT_EQ(rates(), "16 32 32 512 1024");
  setFeatures({"avx512f", "amx-fp16"});
  EXPECT_EQ(rates(), "16 32 512 32 32");
  setFeatures({"avx2", "fma", "avxvnni"});
  EXPECT_EQ(rates(), "8 16 16 16 64");
  setFeatures({"neon"});
  EXPECT_EQ(rates(), "4 8 8 8 8");
  setFeatures({"neon", "fullfp16", "bf16", "dotprod"});
  EXPECT_EQ(rates(), "4 8 16 16 32");
}

// What is missing is replaced: the CPUs and the clock by proc/cpuinfo, the
// memory's size by none.
TEST_F(HostTest, Fallbacks) {
  ::llvm::sys::fs::remove(pathOf("sys/devices/system/cpu/online"));
  ::llvm::sys::fs::remove(pathOf("proc/meminfo"));
  removeFromCpus("cpufreq");
  Target target = load();
  EXPECT_EQ(target.engines[0].units, 2); // CPU 0 and 1, of two cores
  EXPECT_EQ(target.clockHz, 2100250000);
  EXPECT_EQ(target.dram().capacityBytes, 0);
  write("proc/meminfo", "MemTotal: many kB\n");
  EXPECT_EQ(load().dram().capacityBytes, 0);
}

// Without folders of caches, each package has what proc/cpuinfo says, as its
// CPUs may share it.
TEST_F(HostTest, CachesInCpuInfo) {
  removeFromCpus("cache");
  write("proc/cpuinfo", "cpu MHz: 2000\ncache size\t: 1024 KB\n\n"
                        "cpu MHz: 2000\ncache size\t: 1024 KB\n");
  EXPECT_EQ(readCacheBytes(sources), 1 << 20);
  std::string text;
  for (StringRef package : {"0", "0", "1"})
    text += "cache size: 2048 KB\nphysical id: " + package.str() + "\n";
  write("proc/cpuinfo", text);
  EXPECT_EQ(readCacheBytes(sources), 4 << 20);
  write("proc/cpuinfo", "cache size: 2048\ncache size: none KB\n");
  EXPECT_EQ(readCacheBytes(sources), std::nullopt);
}

TEST_F(HostTest, Errors) {
  std::string hint =
      "; describe it in a file instead (docs/recipes/add-a-chip.md)\n";
  removeFromCpus("cache");
  EXPECT_EQ(error(),
            "target 'host': the last-level cache of this machine could not be "
            "read from sys/devices/system/cpu/cpu*/cache and 'cache size' in "
            "proc/cpuinfo" +
                hint);
  removeFromCpus("cpufreq");
  write("proc/cpuinfo", "processor: 0\ncpu MHz: fast\n");
  EXPECT_EQ(error(),
            "target 'host': the clock of this machine could not be read from "
            "sys/devices/system/cpu/cpu*/cpufreq/cpuinfo_max_freq and 'cpu "
            "MHz' in proc/cpuinfo" +
                hint);
  ::llvm::sys::fs::remove_directories(sources.root);
  EXPECT_EQ(error(),
            "target 'host': the CPUs of this machine could not be "
            "read from sys/devices/system/cpu/online and proc/cpuinfo" +
                hint);
}

TEST_F(HostTest, GarbledFiles) {
  write("sys/devices/system/cpu/online", "x,0-1,3-,4294967295\n");
  write(folderOf(0) + "cache/index2/size", "8M");
  write(folderOf(1) + "cache/index2/size", "-8K");
  write(folderOf(3) + "cache/index2/size", "16K");
  write(folderOf(3) + "cpufreq/cpuinfo_max_freq", "99999999999999999999");
  Target target = load();
  EXPECT_EQ(target.engines[0].units, 2);
  EXPECT_EQ(target.clockHz, 3000000000);
  EXPECT_EQ(target.memories[0].capacityBytes, 16 << 10);
}

TEST_F(HostTest, UnsoundIsAnError) {
  sources.measure = [](unsigned, int64_t) { return int64_t(0); };
  EXPECT_EQ(error(),
            "target 'host': 'memories.dram' has no bytes_per_second, and no "
            "engine names it as its private_memory; 'memories' must hold a "
            "shared memory, one with bytes_per_second: where values live "
            "between ops\n");
}

// A rate of whole 100 MB/s, of a few bytes and with many threads, too.
TEST(Triad, Measures) {
  for (unsigned threads : {1u, 3u}) {
    int64_t rate = measureTriad(threads, 1 << 20);
    EXPECT_GT(rate, 0);
    EXPECT_EQ(rate % 100000000, 0);
  }
}

} // namespace
