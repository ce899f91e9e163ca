// What a function computes, in words.

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

/// "16 layers", "1 of 16 layers".
export function layersOf({ layers, model_layers }: ModelProgram): string {
  return `${layers === model_layers ? layers : `${layers} of ${model_layers}`} layer${model_layers === 1 ? "" : "s"}`;
}

/// "llama 405.9 B, 126 layers, decode, batch 8, 4,096 keys, on h100-sxm".
export function titleOf(report: Report): string {
  const { program } = report;
  const parameters = report.totals?.parameters ? ` ${formatParameters(report.totals.parameters)}` : "";
  const words = program
    ? [program.model + parameters, layersOf(program), program.phase, sequencesOf(program).replace(/, 1 new(?=,)/g, "")]
    : [report.function + parameters];
  return `${words.join(", ")}, on ${report.target}`;
}
