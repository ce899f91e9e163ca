"""Four layers of attention, dispatch, experts and combine, for a whole batch of 1,000 rows or for two halves side by side.

    halves.py PARTS
"""
import sys

parts = int(sys.argv[1])
rows, wide, narrow = 1000 // parts, 6000, 8000
lines = []
for part in range(parts):
    x = f"%x{part}"
    for layer in range(4):
        at = f"{layer}_{part}"
        lines += [
            f'%wa{at} = llm.weight "wa{at}" : tensor<{wide}x10xf32>',
            f'%a{at} = llm.matmul "attn{at}" {x}, %wa{at} transpose_rhs : tensor<{rows}x10xf32>, tensor<{wide}x10xf32>',
            f"%as{at} = tensor.extract_slice %a{at}[0, 0] [{rows}, 10] [1, 1] : tensor<{rows}x{wide}xf32> to tensor<{rows}x10xf32>",
            f'%d{at} = llm.all_to_all "dispatch{at}" %as{at} over [ep] from 0 to 1 : tensor<{rows}x10xf32> -> tensor<{rows // 2}x20xf32>',
            f'%we{at} = llm.weight "we{at}" : tensor<{narrow // 2}x20xf32>',
            f'%e{at} = llm.matmul "experts{at}" %d{at}, %we{at} transpose_rhs : tensor<{rows // 2}x20xf32>, tensor<{narrow // 2}x20xf32>',
            f"%es{at} = tensor.extract_slice %e{at}[0, 0] [{rows // 2}, 20] [1, 1] : tensor<{rows // 2}x{narrow // 2}xf32> to tensor<{rows // 2}x20xf32>",
            f'%c{at} = llm.all_to_all "combine{at}" %es{at} over [ep] from 1 to 0 : tensor<{rows // 2}x20xf32> -> tensor<{rows}x10xf32>',
        ]
        x = f"%c{at}"
arguments = ", ".join(f"%x{part}: tensor<{rows}x10xf32>" for part in range(parts))
results = ", ".join(f"%c3_{part}" for part in range(parts))
types = ", ".join([f"tensor<{rows}x10xf32>"] * parts)
print("module attributes {llm.grid = #llm.grid<ep = 2>} {")
print(f"func.func @layers({arguments}) -> ({types}) {{")
print("\n".join(lines))
print(f"return {results} : {types}\n}}\n}}")
