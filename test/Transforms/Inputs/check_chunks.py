"""Linear attention gets the chunk with the fewest cycles, and of these the fewest bytes, by trying each alone.

    check_chunks.py PROGRAM.mlir TARGET [given]

The program has one op of linear attention with a chunk. For each size that --llm-tile=chunks=search may choose, and for that
of the program, the op is tiled alone as it stands; the least of these must be what the search says, or, with `given`, the
program's whatever the others take.
"""
import re
import subprocess
import sys

SIZES = [16, 32, 64, 128, 256, 512]


def tiled(text, target, *options):
    return subprocess.run(["llm-opt", f"--llm-target=name={target}", " ".join(["--llm-tile", *options]).replace(" ", "=", 1)],
                          input=text, text=True, check=True, capture_output=True).stdout


def chunk_of(text):
    return int(re.search(r"llm\.linear_attn .*? chunk (\d+)", text)[1])


def price(text):
    """Cycles and bytes of the op as one part. Arithmetic and memory run side by side."""
    cost = text[text.index(" = llm.linear_attn"):]
    figure = {name: int(re.search(rf"{name}_cycles = (\d+)", cost)[1]) for name in ("overhead", "serial", "compute", "memory")}
    traffic = re.search(r"traffic = \{dram = \{(.*?)\}", cost)[1]
    return (figure["overhead"] + figure["serial"] + max(figure["compute"], figure["memory"]),
            sum(map(int, re.findall(r"= (\d+)", traffic))))


def main():
    text, target = open(sys.argv[1]).read(), sys.argv[2]
    given = chunk_of(text)
    tokens = int(re.search(r"tensor<\d+x(\d+)x", text[text.index(" = llm.linear_attn"):])[1])
    sizes = [given] + [size for size in SIZES if size < 2 * tokens]
    prices = {size: price(tiled(re.sub(r" chunk \d+", f" chunk {size}", text), target)) for size in dict.fromkeys(sizes)}
    best = given if sys.argv[3:] else min(prices, key=lambda size: prices[size])  # the first of equal ones
    chosen = tiled(text, target, "chunks=search")
    for size, (cycles, bytes_) in prices.items():
        print(f"chunk {size}: {cycles} cycles, {bytes_} bytes{', chosen' if size == chunk_of(chosen) else ''}")
    if chunk_of(chosen) != best or price(chosen) != prices[best]:
        sys.exit(f"expected chunk {best}, got {chunk_of(chosen)}")
    print("that of the program is kept" if sys.argv[3:] else "the best of them is chosen")


if __name__ == "__main__":
    main()
