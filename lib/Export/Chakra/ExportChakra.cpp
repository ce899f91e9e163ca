//===- ExportChakra.cpp - Execution traces of all chips -------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChakraNodes.h"
#include "llm/Export/Files/ExportedFiles.h"
#include "llm/Export/Files/FunctionFiles.h"
#include "llm/Export/Passes.h"
#include "llm/Trace/ProtoWriter.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace mlir::llm {
#define GEN_PASS_DEF_EXPORTCHAKRAPASS
#include "llm/Export/Passes.h.inc"
} // namespace mlir::llm

using namespace mlir;
using namespace mlir::llm;

//===----------------------------------------------------------------------===//
// The wire format: schema/protobuf/et_def.proto of MLCommons' Chakra, 0.0.4
//===----------------------------------------------------------------------===//

namespace {
namespace node {
enum : unsigned {
  id = 1,
  name,
  type,
  dataDependences = 5,
  micros = 7,
  attr = 10
};
enum : unsigned { computes = 4, exchanges = 7 };
} // namespace node
namespace attr {
enum : unsigned { name = 1, int64 = 9, boolean = 27, string = 29 };
} // namespace attr

/// Numbers of groups, from 1 on, by their members.
using GroupNumbers = std::map<std::pair<ChakraGroups, int64_t>, int64_t>;
} // namespace

static unsigned numberOf(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return 0;
  case CollectiveKind::AllGather:
    return 2;
  case CollectiveKind::AllToAll:
  case CollectiveKind::ExpertDispatch:
  case CollectiveKind::ExpertCombine:
    return 6;
  case CollectiveKind::ReduceScatter:
    return 7;
  }
  return 0;
}

static void writeNumber(ProtoWriter &to, StringRef name, int64_t value) {
  to.beginMessage(node::attr);
  to.bytes(attr::name, name);
  to.varint(attr::int64, value);
  to.endMessage();
}

static ProtoWriter encode(const ChakraNode &node, int64_t rank,
                          const GroupNumbers &groups) {
  ProtoWriter to;
  to.varint(node::id, node.id);
  to.bytes(node::name, node.name);
  to.varint(node::type, node.collective ? node::exchanges : node::computes);
  for (int64_t other : node.dependences)
    to.varint(node::dataDependences, other);
  to.varint(node::micros, node.microseconds);
  // Without this, readers take a node for one of the host.
  to.beginMessage(node::attr);
  to.bytes(attr::name, "is_cpu_op");
  to.varint(attr::boolean, 0);
  to.endMessage();
  if (!node.collective) {
    writeNumber(to, "num_ops", int64_t(node.flops));
    writeNumber(to, "tensor_size", node.bytes);
    return to;
  }
  writeNumber(to, "comm_type", numberOf(*node.collective));
  writeNumber(to, "comm_size", node.bytes);
  to.beginMessage(node::attr);
  to.bytes(attr::name, "pg_name");
  to.bytes(attr::string,
           std::to_string(groups.at({node.groups, node.groups.firstOf(rank)})));
  to.endMessage();
  return to;
}

static GroupNumbers numberGroups(ArrayRef<ChakraNode> nodes, int64_t chips) {
  GroupNumbers numbers;
  for (const ChakraNode &node : nodes)
    if (node.collective)
      for (int64_t rank = 0; rank < chips; ++rank)
        numbers.try_emplace({node.groups, node.groups.firstOf(rank)},
                            numbers.size() + 1);
  return numbers;
}

static void writeGroups(llvm::raw_ostream &os, const GroupNumbers &groups) {
  llvm::json::OStream json(os, 1);
  json.object([&] {
    for (const auto &[group, number] : groups)
      json.attributeArray(std::to_string(number), [&] {
        for (int64_t rank : group.first.membersFrom(group.second))
          json.value(rank);
      });
  });
  os << "\n";
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ExportChakraPass
    : ExportPass<llm::impl::ExportChakraPassBase<ExportChakraPass>> {
  using ExportPass::ExportPass;
  void runOnOperation() override;

private:
  LogicalResult exportFunction(FunctionOpInterface function,
                               const Target &target, StringRef prefix);
};
} // namespace

LogicalResult ExportChakraPass::exportFunction(FunctionOpInterface function,
                                               const Target &target,
                                               StringRef prefix) {
  FailureOr<Report> report = Report::create(function, target);
  if (failed(report))
    return failure();
  FailureOr<std::vector<ChakraNode>> nodes = makeChakraNodes(*report);
  if (failed(nodes))
    return failure();
  GridAttr grid = GridAttr::ofModule(getOperation());
  int64_t chips = grid ? grid.countChips() : 1;
  GroupNumbers groups = numberGroups(*nodes, chips);
  auto &files = getAnalysis<ExportedFiles>();
  for (int64_t rank = 0; rank < chips; ++rank) {
    std::string path = (prefix + "." + Twine(rank) + ".et").str();
    if (failed(files.write(*this, path, [&](llvm::raw_ostream &os) {
          ProtoWriter metadata, all;
          metadata.bytes(/*version*/ 1, "0.0.4");
          all.appendDelimited(metadata);
          for (const ChakraNode &node : *nodes)
            all.appendDelimited(encode(node, rank, groups));
          os << all.str();
        })))
      return failure();
  }
  return files.write(*this, (prefix + ".groups.json").str(),
                     [&](llvm::raw_ostream &os) { writeGroups(os, groups); });
}

void ExportChakraPass::runOnOperation() {
  SmallVector<FunctionOpInterface> functions =
      functionsToExport(getOperation(), "there are no traces to write");
  if (functions.empty())
    return;
  FailureOr<Target> target = readTarget(getOperation());
  FailureOr<std::vector<std::string>> prefixes =
      choosePaths(*this, functions, file, {"traces", ""});
  if (failed(target) || failed(prefixes))
    return signalPassFailure();
  for (auto [function, prefix] : llvm::zip_equal(functions, *prefixes))
    if (failed(exportFunction(function, *target, prefix)))
      return signalPassFailure();
}
