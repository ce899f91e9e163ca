// What a page should show, from the JSON report and by other ways than the page's.

/// Cycles of all runs in which at least one of these ops is under way: between all edges of their slots, those
/// stretches that lie within an op. Ops of other loops are never side by side.
function elapsedCycles(ops) {
  const [first] = ops;
  const others = ops.filter((op) => String(op.loops) !== String(first.loops));
  if (others.length > 0)
    return elapsedCycles(others) + elapsedCycles(ops.filter((op) => String(op.loops) === String(first.loops)));
  const spans = ops.map((op) => [Math.min(...op.slots.map((slot) => slot.start_cycle)),
                                 Math.max(...op.slots.map((slot) => slot.end_cycle))]);
  const edges = [...new Set(spans.flat())].sort((a, b) => a - b);
  let cycles = 0;
  for (let i = 1; i < edges.length; ++i)
    if (spans.some(([start, end]) => start <= edges[i - 1] && edges[i] <= end)) cycles += edges[i] - edges[i - 1];
  return cycles * first.count;
}

export const elapsedMicroseconds = (report, ops) => (elapsedCycles(ops) * 1e6) / report.clock_hz;
