// The answer at a glance: how long, how many tokens, how much of the machine, and whether it fits.

import { Binding, diagnose } from "./advice";
import { Baseline, differencePercent } from "./compare";
import { h } from "./dom";
import { tokenRateOf } from "./facts";
import { formatBytes, formatCount, formatDifferencePercent, formatMicroseconds, formatPercent, formatRate, formatWhole } from "./format";
import { peakOfMemory, peakOfProducts, ratedTypeOf, sharesOfPeak } from "./peaks";
import { faultsOf, mainMemory, Report, toMicroseconds } from "./report";

interface Figure {
  name: string;
  meaning?: string;
  value: (report: Report) => number | undefined;
  show: (value: number, report: Report) => string;
  note: (report: Report) => string;
}

/// How much longer all layers of the model take, if they are like these.
function layersFactor({ program }: Report): number {
  return program ? program.model_layers / program.layers : 1;
}
function scopeOf({ program }: Report): string {
  if (!program) return "of this function";
  if (program.whole_model) return "whole model";
  return `${program.layers} of ${program.model_layers} layers`;
}

/// What a user waits for; of drafts that are verified, and of mixed batches, there is no such time.
function latencyOf(report: Report): Figure[] {
  const names: Record<string, [string, string]> = {
    decode: ["Time per token", "TPOT: until each sequence has its next token"],
    prefill: ["Time to first token", "TTFT: until the prompt is read"],
  };
  const [name, meaning] = names[report.program?.phase ?? ""] ?? [];
  if (!name) return [];
  return [{ name, meaning, value: (of) => of.makespan_us * layersFactor(of), show: formatMicroseconds,
            note: (of) => of.program?.whole_model ? "makespan of the whole model"
              : `if all ${of.program?.model_layers} layers are like this; without embedding and head` }];
}

function typesOf(report: Report): string[] {
  return [...new Set(report.ops.filter((op) => op.macs > 0).map((op) => ratedTypeOf(op) ?? ""))].filter((type) => type !== "");
}
function notePeak(report: Report): string {
  const types = typesOf(report);
  return types.length === 1 ? `of ${formatCount(peakOfProducts(report, types[0]))}FLOP/s ${types[0]}`
                            : `of the peaks of ${types.join(", ")}`;
}

const bindings: Record<Binding, (report: Report) => string> = {
  bandwidth: (report) => `${mainMemory(report).name} bandwidth`, arithmetic: () => "arithmetic", launches: () => "launches",
};

function figuresOf(report: Report): Figure[] {
  const latency = latencyOf(report), isMakespan = latency.length > 0 && report.program!.whole_model;
  const makespan: Figure = { name: "Makespan", value: (of) => of.makespan_us, show: formatMicroseconds, note: scopeOf };
  if (faultsOf(report).length > 0) return [makespan];
  return [
    ...(isMakespan ? [] : [makespan]), ...latency,
    { name: "Tokens/s", meaning: "New tokens per second, of all sequences", value: tokenRateOf, show: formatRate,
      note: ({ program }) => `batch ${program?.sequences.reduce((sum, { batch }) => sum + batch, 0)}` +
        (program?.whole_model ? "" : `, all ${program?.model_layers} layers`) },
    { name: "MFU", meaning: "Model FLOP utilization: products, of what the engines could do at their peak",
      value: (of) => sharesOfPeak(of).products, show: formatPercent, note: notePeak },
    { name: "MBU", meaning: "Memory bandwidth utilization: bytes moved, of what the memory could move at its peak",
      value: (of) => sharesOfPeak(of).bandwidth, show: formatPercent,
      note: (of) => `of ${formatBytes(peakOfMemory(of))}/s ${mainMemory(of).name}` },
  ];
}

function memoryTile({ capacity, program }: Report): HTMLElement[] {
  if (!capacity) return [];
  const need = capacity.needed_bytes_if_all_layers ?? capacity.needed_bytes, room = capacity.capacity_bytes;
  const scope = capacity.needed_bytes_if_all_layers === undefined ? "" : `, all ${program?.model_layers} layers`;
  const fits = room === undefined || need <= room;
  const batch = capacity.largest_batch !== undefined && scope === "" ? `, up to batch ${formatWhole(capacity.largest_batch)}` : "";
  return [tile("Memory", room === undefined ? formatBytes(need) : fits ? "fits" : "does not fit",
    room === undefined ? `of ${capacity.memory}, whose size is not given${scope}`
      : `${formatBytes(need)} of ${formatBytes(room)}${scope}${batch}`, "Weights, KV caches and values in the main memory", fits)];
}

function boundTile(report: Report): HTMLElement[] {
  const diagnosis = faultsOf(report).length > 0 ? undefined : diagnose(report);
  if (!diagnosis) return [];
  const { binds } = diagnosis;
  const most = (Object.keys(binds) as Binding[]).reduce((best, key) => (binds[key] > binds[best] ? key : best));
  const bound = formatMicroseconds(toMicroseconds(report, report.lower_bound_cycles));
  return [tile("Bound by", bindings[most](report), `no schedule is below ${bound}`,
               "What binds most of the time of the engines that decide the makespan")];
}

function tile(name: string, value: string, note: string, meaning?: string, isGood = true, change?: string): HTMLElement {
  return h("div", { class: isGood ? "tile" : "tile bad", "data-figure": name, title: meaning },
    h("div", { class: "tile-name" }, name),
    h("div", { class: /^\d/.test(value) ? "tile-value" : "tile-value words" }, value),
    h("div", { class: "tile-note" }, note), change ? h("div", { class: "tile-change" }, change) : undefined);
}

/// Against the baseline, which may not say as much.
function changeOf({ value, show }: Figure, now: number, baseline: Baseline | undefined): string | undefined {
  const before = baseline && faultsOf(baseline.report).length === 0 ? value(baseline.report) : undefined;
  const percent = before === undefined ? undefined : differencePercent(now, before);
  return percent === undefined ? undefined
    : `${formatDifferencePercent(percent)} against ${show(before!, baseline!.report)}`;
}

export function makeKeyFigures(report: Report, baseline: Baseline | undefined): HTMLElement {
  const tiles = figuresOf(report).flatMap((figure) => {
    const now = figure.value(report);
    return now === undefined || !Number.isFinite(now) ? []
      : [tile(figure.name, figure.show(now, report), figure.note(report), figure.meaning, true, changeOf(figure, now, baseline))];
  });
  return h("section", { class: "tiles", "aria-label": "Key figures" }, ...tiles, ...boundTile(report), ...memoryTile(report));
}
