//===- TraceProto.cpp - A trace in Perfetto's own format ------------------===//
//
// Part of llm-opt, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file has packets one behind the other, each with a time in nanoseconds. The
// machine is a track; its groups are tracks below it, and the tracks of a group
// are below that. None of them is a process: Perfetto does not obey the order
// that the descriptor of a process asks for. A slice is a packet where it
// begins, with its arrows, and one where it ends. Texts have numbers
// (ProtoNames.h).
//
//===----------------------------------------------------------------------===//

#include "ProtoNames.h"
#include "llm/Files/Utf8.h"
#include "llm/Trace/TraceSink.h"

using namespace mlir;
using namespace mlir::llm;

// These are the numbers of fields, by message.
namespace {
namespace trace {
constexpr unsigned packet = 1;
} // namespace trace
namespace packet {
constexpr unsigned timestamp = 8, sequenceId = 10, trackEvent = 11,
                   internedData = 12, sequenceFlags = 13, trackDescriptor = 60;
constexpr unsigned stateCleared = 1, needsState = 2; ///< of sequenceFlags
} // namespace packet
namespace descriptor {
constexpr unsigned uuid = 1, name = 2, parentUuid = 5, counter = 8,
                   childOrdering = 11, siblingOrderRank = 12, description = 14,
                   siblingMergeBehavior = 15;
constexpr unsigned isExplicit = 3; ///< by rank, for childOrdering
constexpr unsigned never = 2;      ///< for siblingMergeBehavior, else by name
} // namespace descriptor
namespace counter {
constexpr unsigned unitName = 6;
} // namespace counter
namespace event {
constexpr unsigned categoryNumbers = 3, annotations = 4, type = 9,
                   nameNumber = 10, trackUuid = 11, categories = 22, name = 23,
                   counterValue = 30, doubleCounterValue = 44, flowIds = 47,
                   terminatingFlowIds = 48;
enum Type { SliceBegin = 1, SliceEnd = 2, Instant = 3, Counter = 4 };
} // namespace event
namespace annotation {
constexpr unsigned nameNumber = 1, boolean = 2, integer = 4, real = 5,
                   string = 6, name = 10, entries = 11, elements = 12,
                   stringNumber = 17;
} // namespace annotation

/// Writes a text by its number, or in full.
void writeText(ProtoWriter &writer, ProtoNames &names, ProtoNames::Kind kind,
               unsigned numberField, unsigned textField, StringRef text) {
  if (uint64_t number = names.numberOf(kind, text))
    writer.varint(numberField, number);
  else
    writer.bytes(textField, toUtf8(text));
}

/// Writes values. Each member is a message in the field `field` of the message
/// around it. Objects and lists without members have no form here, and are left
/// out.
class ProtoValues : public TraceValues {
public:
  ProtoValues(ProtoWriter &writer, ProtoNames &names, unsigned field)
      : writer(writer), names(names), field(field) {}
  void number(StringRef key, int64_t value) override {
    begin(key);
    writer.varint(annotation::integer, uint64_t(value));
    writer.endMessage();
  }
  void real(StringRef key, double value) override {
    begin(key);
    writer.real(annotation::real, value);
    writer.endMessage();
  }
  void text(StringRef key, StringRef value) override {
    begin(key);
    writeText(writer, names, ProtoNames::Text, annotation::stringNumber,
              annotation::string, value);
    writer.endMessage();
  }
  void flag(StringRef key, bool value) override {
    begin(key);
    writer.varint(annotation::boolean, value);
    writer.endMessage();
  }
  void object(StringRef key, Fill fill) override {
    nest(key, annotation::entries, fill);
  }
  void list(StringRef key, Fill fill) override {
    nest(key, annotation::elements, fill);
  }
  void encoded(StringRef key, StringRef value) override {
    if (value.empty())
      return;
    begin(key);
    writer.append(value);
    writer.endMessage();
  }

private:
  void begin(StringRef key) {
    writer.beginMessage(field);
    if (field != annotation::elements)
      writeText(writer, names, ProtoNames::Annotation, annotation::nameNumber,
                annotation::name, key);
  }
  void nest(StringRef key, unsigned innerField, Fill fill) {
    begin(key);
    size_t before = writer.str().size();
    ProtoValues inner(writer, names, innerField);
    fill(inner);
    if (writer.str().size() == before)
      writer.dropMessage();
    else
      writer.endMessage();
  }

  ProtoWriter &writer;
  ProtoNames &names;
  unsigned field;
};

class ProtoTrace : public TraceSink {
public:
  explicit ProtoTrace(raw_ostream &os) : os(os) {}
  void begin(const TraceLayout &layout, Fill fillHead) override;
  void addTrack(const TraceTrack &track) override;
  void beginSlice(const TraceSlice &slice) override;
  void endSlice(unsigned track, int64_t nanoseconds) override;
  void writeCounter(unsigned counter, int64_t nanoseconds,
                    int64_t value) override;
  void end() override {}
  std::string encodeObject(Fill fill) override {
    return encode(fill, annotation::entries);
  }
  std::string encodeList(Fill fill) override {
    return encode(fill, annotation::elements);
  }

private:
  std::string encode(Fill fill, unsigned field);
  void writePacket(function_ref<void()> fill);
  void writeDescriptor(uint64_t uuid, uint64_t parent, unsigned rank,
                       StringRef name, function_ref<void()> fill);
  void writeEvent(int64_t nanoseconds, uint64_t track, event::Type type,
                  function_ref<void()> fill);
  void writeArrows(unsigned field, ArrayRef<TraceArrow> arrows);

  // Groups come first, then counters, and then tracks, whose number may still
  // grow. 0 is no track.
  uint64_t uuidOfGroup(unsigned group) const { return 1 + group; }
  uint64_t uuidOfCounter(unsigned counter) const {
    return 1 + layout->groups.size() + counter;
  }
  uint64_t uuidOfTrack(unsigned track) const {
    return uuidOfCounter(layout->counters.size()) + track;
  }

  raw_ostream &os;
  const TraceLayout *layout = nullptr;
  unsigned trackCount = 0, rank = 0; ///< described so far
  ProtoWriter writer;                ///< the packet under way
  ProtoNames names;
};
} // namespace

std::unique_ptr<TraceSink> mlir::llm::makeProtoTrace(raw_ostream &os) {
  return std::make_unique<ProtoTrace>(os);
}

std::string ProtoTrace::encode(Fill fill, unsigned field) {
  ProtoWriter inner;
  ProtoValues values(inner, names, field);
  fill(values);
  return inner.str().str();
}

void ProtoTrace::writePacket(function_ref<void()> fill) {
  writer.beginMessage(trace::packet);
  writer.varint(packet::sequenceId, 1);
  fill();
  names.writeNew(writer, packet::internedData);
  writer.endMessage();
  os << writer.str();
  writer.clear();
}

//===----------------------------------------------------------------------===//
// Tracks
//===----------------------------------------------------------------------===//

void ProtoTrace::writeDescriptor(uint64_t uuid, uint64_t parent, unsigned rank,
                                 StringRef name, function_ref<void()> fill) {
  writePacket([&] {
    writer.beginMessage(packet::trackDescriptor);
    writer.varint(descriptor::uuid, uuid);
    writer.bytes(descriptor::name, toUtf8(name));
    if (parent != 0)
      writer.varint(descriptor::parentUuid, parent);
    writer.varint(descriptor::childOrdering, descriptor::isExplicit);
    writer.varint(descriptor::siblingOrderRank, rank);
    writer.varint(descriptor::siblingMergeBehavior, descriptor::never);
    fill();
    writer.endMessage();
    if (uuid == uuidOfGroup(0)) // the first packet, which knows no numbers
      writer.varint(packet::sequenceFlags, packet::stateCleared);
  });
}

/// Describes what is below the machine, in this order: its own tracks, its
/// groups, and its counters.
void ProtoTrace::begin(const TraceLayout &tracks, Fill fillHead) {
  layout = &tracks;
  uint64_t machine = uuidOfGroup(0);
  writeDescriptor(machine, 0, 0, layout->groups.front(), [] {});
  auto writeTracks = [&](bool ofMachine) {
    for (auto [number, track] : llvm::enumerate(layout->tracks))
      if ((track.group == 0) == ofMachine)
        writeDescriptor(uuidOfTrack(number), uuidOfGroup(track.group), ++rank,
                        track.name, [] {});
  };
  writeTracks(/*ofMachine=*/true);
  for (unsigned group = 1; group < layout->groups.size(); ++group)
    writeDescriptor(uuidOfGroup(group), machine, ++rank, layout->groups[group],
                    [] {});
  writeTracks(/*ofMachine=*/false);
  for (auto [number, described] : llvm::enumerate(layout->counters))
    writeDescriptor(uuidOfCounter(number), machine, ++rank, described.name,
                    [&, &described = described] {
                      writer.beginMessage(descriptor::counter);
                      writer.bytes(counter::unitName, toUtf8(described.unit));
                      writer.endMessage();
                      if (!described.about.empty())
                        writer.bytes(descriptor::description, described.about);
                    });
  trackCount = layout->tracks.size();
  writeEvent(0, machine, event::Instant, [&] {
    writer.bytes(event::name, "schedule");
    ProtoValues values(writer, names, event::annotations);
    fillHead(values);
  });
}

void ProtoTrace::addTrack(const TraceTrack &track) {
  writeDescriptor(uuidOfTrack(trackCount++), uuidOfGroup(track.group), ++rank,
                  track.name, [] {});
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

void ProtoTrace::writeEvent(int64_t nanoseconds, uint64_t track,
                            event::Type type, function_ref<void()> fill) {
  writePacket([&] {
    writer.varint(packet::timestamp, nanoseconds);
    if (type == event::SliceBegin || type == event::Instant)
      writer.varint(packet::sequenceFlags, packet::needsState);
    writer.beginMessage(packet::trackEvent);
    writer.varint(event::type, type);
    writer.varint(event::trackUuid, track);
    fill();
    writer.endMessage();
  });
}

/// Writes the ids of arrows. Both kinds of arrows share one space of ids.
void ProtoTrace::writeArrows(unsigned field, ArrayRef<TraceArrow> arrows) {
  for (const TraceArrow &arrow : arrows)
    writer.fixed64(field, uint64_t(arrow.id) << 1 |
                              (arrow.kind == TraceArrow::Kind::Prefetch));
}

void ProtoTrace::beginSlice(const TraceSlice &slice) {
  writeEvent(slice.start, uuidOfTrack(slice.track), event::SliceBegin, [&] {
    ProtoValues values(writer, names, event::annotations);
    slice.fillArgs(values);
    writeText(writer, names, ProtoNames::Category, event::categoryNumbers,
              event::categories, slice.category);
    writeText(writer, names, ProtoNames::Event, event::nameNumber, event::name,
              slice.name);
    writeArrows(event::flowIds, slice.outOf);
    writeArrows(event::terminatingFlowIds, slice.into);
  });
}

void ProtoTrace::endSlice(unsigned track, int64_t nanoseconds) {
  writeEvent(nanoseconds, uuidOfTrack(track), event::SliceEnd, [] {});
}

void ProtoTrace::writeCounter(unsigned number, int64_t nanoseconds,
                              int64_t value) {
  writeEvent(nanoseconds, uuidOfCounter(number), event::Counter, [&] {
    if (layout->counters[number].hasDecimals)
      writer.real(event::doubleCounterValue, value / 1e9);
    else
      writer.varint(event::counterValue, uint64_t(value));
  });
}
