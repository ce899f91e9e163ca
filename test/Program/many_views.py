"""Prints a program of one matmul whose weight is seen through many views.

    many_views.py chain N    N slices, one of the other
    many_views.py fan N      N times: joined with itself, and one half of that
"""
import sys

kind, count = sys.argv[1], int(sys.argv[2])
print("func.func @views(%x: tensor<4x8xbf16>) {")
print('  %0 = llm.weight "w" : tensor<8x8xbf16>')
for i in range(count):
    if kind == "chain":
        print(f"  %{i + 1} = tensor.extract_slice %{i}[0, 0] [8, 8] [1, 1] : tensor<8x8xbf16> to tensor<8x8xbf16>")
    else:
        print(f"  %j{i} = tensor.concat dim(0) %{i}, %{i} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<16x8xbf16>")
        print(f"  %{i + 1} = tensor.extract_slice %j{i}[0, 0] [8, 8] [1, 1] : tensor<16x8xbf16> to tensor<8x8xbf16>")
print(f'  %y = llm.matmul "m" %x, %{count} transpose_rhs : tensor<4x8xbf16>, tensor<8x8xbf16>')
print("  return\n}")
