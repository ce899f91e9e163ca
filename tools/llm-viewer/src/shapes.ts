// Writes types of values so short that they fit the edges of a graph. Tooltips and details show them whole.

/// Writes "1024x7168x!llm.block_scaled<f8E4M3FN, [128], f32>" as "1024x7168 f8E4M3FN/128", where 128 values share a
/// scale, and "!llm.kv_cache<batch = 4, kv_heads = 8, head_dim = 128, capacity = 2048, bf16>" as "kv 4x2048x8x128
/// bf16".
export function shortShape(shape: string): string {
  const scaled = /!llm\.block_scaled<([^,<>]+)((?:, (?:\[[^\]]*\]|[^,<>[\]]+))*)>/g;
  const text = shape.replace(scaled, (_, value: string, scales: string) =>
    value + [...scales.matchAll(/\[([^\]]*)\]/g)].map(([, block]) => `/${block.split(", ").join("x")}`).join(""));
  const cache = /^!llm\.kv_cache<batch = (.+?), kv_heads = (\d+), head_dim = (\d+), capacity = (.+?), (.+)>$/.exec(text);
  if (cache) {
    const [, batch, heads, dim, capacity, element] = cache;
    return `kv ${batch}x${capacity}x${heads}x${dim} ${element}`;
  }
  return text.replace(/^((?:\d+|\?)(?:x(?:\d+|\?))*)x/, "$1 ");
}
