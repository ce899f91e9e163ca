// Says in words what a function computes.

import { formatParameters } from "./format";
import { ModelProgram, Report } from "./report";

export function sequencesOf(program: ModelProgram): string {
  return program.sequences.map(({ batch, seq, kv_len }) => {
    const least = kv_len.reduce((a, b) => Math.min(a, b)), most = kv_len.reduce((a, b) => Math.max(a, b));
    const keys = least === most ? least.toLocaleString("en-US")
      : `${least.toLocaleString("en-US")} to ${most.toLocaleString("en-US")}`;
    return `batch ${batch}, ${seq.toLocaleString("en-US")} new, ${keys} keys`;
  }).join("; ");
}

/// Writes "16 layers" or "1 of 16 layers".
export function layersOf({ layers, model_layers }: ModelProgram): string {
  return `${layers === model_layers ? layers : `${layers} of ${model_layers}`} layer${model_layers === 1 ? "" : "s"}`;
}

/// Writes the machine; of a program over many chips, figures are those of one.
function machineOf(report: Report): string {
  const chips = report.chips ?? 1;
  return chips > 1 ? `one of ${chips.toLocaleString("en-US")} ${report.target}` : report.target;
}

/// Writes what must be read first, first: "llama 405.9 B on h100-sxm, decode, batch 8, 4,096 keys, 126 layers".
/// Parameters are those of the whole model, so a part of its layers has none, and neither has one of several chips.
export function titleOf(report: Report): string {
  const { program } = report, parameters = report.totals?.parameters;
  if (!program) return `${report.function} on ${machineOf(report)}`;
  const size = program.whole_model && parameters && (report.chips ?? 1) === 1 ? ` ${formatParameters(parameters)}` : "";
  const isWhole = program.layers === program.model_layers;
  const sequences = sequencesOf(program).replace(/, 1 new(?=,)/g, "").replace(/([\d,]+) new, \1 keys/g, "$1 new");
  return [`${program.model}${size} on ${machineOf(report)}`, ...(isWhole ? [] : [layersOf(program)]), program.phase, sequences,
          ...(isWhole ? [layersOf(program)] : [])].join(", ");
}
