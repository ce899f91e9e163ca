// Says what an op is: its kind, and for a fused op the kinds of its parts.

import { Op } from "./report";

const kinds = new WeakMap<Op, string>();

/// Returns "matmul", or "matmul+swiglu" for ops that run as one kernel. Each kind stands once, in the order in which
/// they run.
export function kindOf(op: Op): string {
  let kind = kinds.get(op);
  if (kind === undefined) {
    const all = op.fused?.map((part) => part.op) ?? [op.op];
    kind = op.kind ?? [...new Set(all.map((name) => name.replace(/^llm\./, "")))].join("+");
    kinds.set(op, kind);
  }
  return kind;
}

const texts = new WeakMap<Op, string>();

/// Returns the text that a search looks in.
function textOf(op: Op): string {
  let text = texts.get(op);
  if (text === undefined) {
    text = `${op.name}\n${op.op}\n${kindOf(op)}`.toLowerCase();
    texts.set(op, text);
  }
  return text;
}

export const kindQuery = (kind: string): string => `kind:${kind}`;

/// Finds the query in names and kinds, whatever the case of letters. "kind:matmul" finds ops of that kind alone.
export function matchesOp(op: Op, query: string): boolean {
  const wanted = query.trim().toLowerCase();
  return wanted.startsWith("kind:") ? kindOf(op).toLowerCase() === wanted.slice(5) : textOf(op).includes(wanted);
}
