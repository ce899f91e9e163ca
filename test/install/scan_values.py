"""Inputs of consumer/scan.mlir, and what the formulas of its op make of them: scan_values.py FOLDER_OF_npy.py FOLDER"""
import math
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from npy import write

STEPS, CHANNELS, STATES = 5, 3, 2


def draw(rows, columns):
    return [[random.uniform(-1, 1) for _ in range(columns)] for _ in range(rows)]


def scan(x, dt, a, b, c, state):
    s, y = [row[:] for row in state], []
    for t in range(STEPS):
        for d in range(CHANNELS):
            for n in range(STATES):
                s[d][n] = math.exp(-dt[t][d] * a[d][n]) * s[d][n] + dt[t][d] * x[t][d] * b[t][n]
        y.append([sum(s[d][n] * c[t][n] for n in range(STATES)) for d in range(CHANNELS)])
    return y


random.seed(1)
x, dt, a = draw(STEPS, CHANNELS), draw(STEPS, CHANNELS), draw(CHANNELS, STATES)
b, c, state = draw(STEPS, STATES), draw(STEPS, STATES), draw(CHANNELS, STATES)
backward = scan(x[::-1], dt, a, b, c, state)[::-1]
y = [[p + q for p, q in zip(*rows)] for rows in zip(scan(x, dt, a, b, c, state), backward)]
for name, matrix in {"x": x, "dt": dt, "a": a, "b": b, "c": c, "s": state, "y": y}.items():
    write(f"{sys.argv[2]}/{name}.npy", f"{len(matrix)},{len(matrix[0])}", *[number for row in matrix for number in row])
