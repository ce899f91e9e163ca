// Answers at a glance: how long, how many tokens, how much of the machine, and whether it fits.

import { shareNames } from "./advice";
import { Baseline, differencePercent } from "./compare";
import { h } from "./dom";
import { tokenRateOf } from "./facts";
import { formatBytes, formatCount, formatDifferencePercent, formatMicroseconds, formatPercent, formatPlace, formatRange, formatRate, formatWhole } from "./format";
import { peakOfMemory, peakOfProducts, ratedTypeOf } from "./peaks";
import { faultsOf, mainMemory, Report, toMicroseconds } from "./report";

interface Figure {
  name: string;
  meaning?: string;
  value: (report: Report) => number | undefined;
  show: (value: number, report: Report) => string;
  note: (report: Report) => string;
  isShare?: boolean; // the value is in percent
}

/// Returns by how much the time grows if all layers of the model run, and are like these.
function layersFactor({ program }: Report): number {
  return program ? program.model_layers / program.layers : 1;
}
function scopeOf({ program, pipeline }: Report): string {
  if (pipeline) return `stage ${pipeline.stage} of ${pipeline.stages}, one microbatch`;
  if (!program) return "of this function";
  if (program.whole_model) return "whole model";
  return `${program.layers} of ${program.model_layers} layers`;
}

/// Writes ": 7.1 to 8.2 ms in 8 of 10 cases", if the target has ranges.
function rangeNote(report: Report, factor = 1): string {
  const { makespan_p10_us: least, makespan_p90_us: most } = report;
  return least === undefined || most === undefined ? "" : `; ${formatRange(factor * least, factor * most)} in 8 of 10 cases`;
}

/// Returns the time that a user waits for. Drafts that are verified and mixed batches have no such time. In a pipeline a
/// prompt has none, as the stages differ.
function latencyOf(report: Report): Figure[] {
  if (report.pipeline)
    return report.program?.phase !== "decode" ? [] : [{
      name: "Time per token", meaning: "TPOT: the period of the pipeline", show: formatMicroseconds, value: (of) => of.pipeline?.period_us,
      note: (of) => `${of.pipeline?.stages} stages, ${of.pipeline?.microbatches} microbatches` }];
  const names: Record<string, [string, string]> = {
    decode: ["Time per token", "TPOT: until each sequence has its next token"],
    prefill: ["Time to first token", "TTFT: until the prompt is read"],
  };
  const [name, meaning] = names[report.program?.phase ?? ""] ?? [];
  if (!name) return [];
  return [{ name, meaning, value: (of) => of.makespan_us * layersFactor(of), show: formatMicroseconds,
            note: (of) => (of.program?.whole_model ? "makespan, whole model"
              : `if all ${of.program?.model_layers} layers are like this; no embedding, no head`) + rangeNote(of, layersFactor(of)) }];
}

function typesOf(report: Report): string[] {
  return [...new Set(report.ops.filter((op) => op.macs > 0).map((op) => ratedTypeOf(op) ?? ""))].filter((type) => type !== "");
}
function notePeak(report: Report): string {
  const types = typesOf(report);
  return types.length === 1 ? `of ${formatCount(peakOfProducts(report, types[0]))}FLOP/s ${types[0]}`
                            : `of the peaks of ${types.join(", ")}`;
}

function figuresOf(report: Report): Figure[] {
  const latency = latencyOf(report), isMakespan = latency.length > 0 && report.program!.whole_model && !report.pipeline;
  const makespan: Figure = { name: "Makespan", value: (of) => of.makespan_us, show: formatMicroseconds,
                             note: (of) => scopeOf(of) + rangeNote(of) };
  if (faultsOf(report).length > 0) return [makespan];
  return [
    ...(isMakespan ? [] : [makespan]), ...latency,
    { name: "Tokens/s", meaning: "New tokens per second, of all sequences", value: tokenRateOf, show: formatRate,
      note: ({ program, pipeline }) => (pipeline ? `${pipeline.microbatches} times ` : "") +
        `batch ${program?.sequences.reduce((sum, { batch }) => sum + batch, 0)}` +
        (program?.whole_model ? "" : `, all ${program?.model_layers} layers`) },
    { name: "MFU", meaning: "Model FLOP utilization: products, of what the engines could do at their peak",
      value: (of) => of.mfu_percent, show: formatPercent, note: notePeak, isShare: true },
    { name: "MBU", isShare: true,
      meaning: "Model bandwidth utilization: each byte that an op touches, once, of what the memory could move at its peak",
      value: (of) => of.mbu_percent, show: formatPercent,
      note: (of) => `of ${formatBytes(peakOfMemory(of))}/s ${mainMemory(of).name}${(of.mbu_percent ?? 0) > 100 ? ": more than its figure, see the note" : ""}` },
  ];
}

/// Of a stage: how much of the time of the pipeline it works.
function pipelineTile({ pipeline }: Report): HTMLElement[] {
  if (pipeline === undefined) return [];
  const { period_us, stage_busy_percent: busy, transfer_us, microbatches } = pipeline;
  return [tile({ name: "Pipeline", value: formatPercent(busy), percent: busy,
                 note: `of ${formatMicroseconds(period_us)}; ${transfer_us > 0 ? `results take ${formatMicroseconds(transfer_us)} on` : "the last stage"}`,
                 meaning: `The share of the period of the pipeline in which this stage works on its ${microbatches} microbatches` })];
}

/// Of a program over several chips: how long they exchange, and how much of that nothing hides.
function exchangeTile({ exchange_percent: exchange, bound_percent: shares, chips }: Report): HTMLElement[] {
  if (exchange === undefined) return [];
  return [tile({ name: "Exchange", value: formatPercent(exchange), percent: exchange,
                 note: `of the time; exposed: ${formatPercent(shares?.exchange ?? 0)}`,
                 meaning: `The share of the time in which a chip exchanges values with others of the ${chips}. Exposed ` +
                          "communication has no op beside it" })];
}

function memoryTile({ capacity, program }: Report): HTMLElement[] {
  if (!capacity) return [];
  const need = capacity.needed_bytes_if_all_layers ?? capacity.needed_bytes, room = capacity.capacity_bytes;
  const scope = capacity.needed_bytes_if_all_layers === undefined ? "" : `, all ${program?.model_layers} layers`;
  const fits = room === undefined || need <= room;
  const batch = capacity.largest_batch !== undefined && scope === "" ? `, up to batch ${formatWhole(capacity.largest_batch)}` : "";
  return [tile({ name: "Memory", value: room === undefined ? formatBytes(need) : fits ? "fits" : "does not fit", isBad: !fits,
    percent: room === undefined ? undefined : (100 * need) / room,
    note: room === undefined ? `of ${capacity.memory}, whose size is not given${scope}`
      : `${formatBytes(need)} of ${formatBytes(room)}${scope}${batch}`,
    meaning: "Weights, KV caches and values in the main memory" })];
}

/// Shows the bound as the table of llm-opt does, how near the schedule is to the lower bound, and how far it is from what
/// the machine could do at its peak: other tiles and fused ops may be faster.
function boundTile(report: Report): HTMLElement[] {
  const { bound, bound_percent: shares, gap_percent: gap } = report;
  if (bound === undefined || shares === undefined || faultsOf(report).length > 0) return [];
  const ofTiles = gap === undefined ? "" : gap === 0 ? "; no schedule of these tiles is shorter" : `; ${formatPlace(gap, "the lower bound")}`;
  const times = report.makespan_us / toMicroseconds(report, report.roofline_cycles);
  const optimum = ofTiles + (report.roofline_cycles > 0 ? `; ${times.toFixed(2)} times the roofline` : "");
  return [tile({ name: "Bound by", value: shareNames[bound]?.(report) ?? bound,
                 note: `${formatPercent(shares[bound] ?? 0)} of the time${optimum}`,
                 meaning: "What most of the time of the engines goes to that have work for longest" })];
}

interface Tile {
  name: string;
  value: string; // a number has its unit behind a blank
  note: string;
  meaning?: string;
  isBad?: boolean;
  percent?: number; // the length of a bar
  change?: string;
}

/// The unit is smaller than the number, and stays in its line.
function valueOf(value: string): HTMLElement {
  const [, number, unit] = value.match(/^([\d.,]+)( .+)$/) ?? [];
  if (number === undefined) return h("div", { class: /^\d/.test(value) ? "tile-value" : "tile-value words" }, value);
  return h("div", { class: "tile-value" }, number, h("span", { class: "tile-unit" }, unit));
}

function tile({ name, value, note, meaning, isBad, percent, change }: Tile): HTMLElement {
  return h("div", { class: isBad ? "tile bad" : "tile", "data-figure": name, title: meaning },
    h("div", { class: "tile-name" }, name), valueOf(value),
    percent === undefined ? undefined : h("div", { class: "tile-bar" },
      h("div", { style: `width: ${Math.min(Math.max(percent, 0), 100)}%` })),
    h("div", { class: "tile-note" }, note), change ? h("div", { class: "tile-change" }, change) : undefined);
}

/// Compares with the baseline, which may lack the figure.
function changeOf({ value, show, isShare }: Figure, now: number, baseline: Baseline | undefined): string | undefined {
  const before = baseline && faultsOf(baseline.report).length === 0 ? value(baseline.report) : undefined;
  const percent = before === undefined ? undefined : differencePercent(now, before);
  return percent === undefined ? undefined
    : isShare ? `was ${show(before!, baseline!.report)}` : `${formatDifferencePercent(percent)}, was ${show(before!, baseline!.report)}`;
}

export function makeKeyFigures(report: Report, baseline: Baseline | undefined): HTMLElement {
  const tiles = figuresOf(report).flatMap((figure) => {
    const now = figure.value(report);
    return now === undefined || !Number.isFinite(now) ? []
      : [tile({ name: figure.name, value: figure.show(now, report), note: figure.note(report), meaning: figure.meaning,
                percent: figure.isShare ? now : undefined, change: changeOf(figure, now, baseline) })];
  });
  const all = [...tiles, ...boundTile(report), ...pipelineTile(report), ...exchangeTile(report), ...memoryTile(report)];
  return h("section", { class: "tiles", "aria-label": "Key figures", "data-count": all.length }, ...all);
}
