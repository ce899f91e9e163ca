"""Prints every source between the dialect and the exports that names an op of the dialect.

    check_names_no_op.py ROOT GENERATED_INCLUDES
"""
import re
import sys
from pathlib import Path

REWRITE_ONE_OP = {
    "BindShapes.cpp", "DecomposeAttention.cpp", "FuseProjections.cpp",
    "Fuse.cpp",  # makes llm.fused
}
FOLDERS = [f"{tree}/{folder}" for tree in ("lib", "include/llm")
           for folder in ("Program", "Cost", "Planning", "Transforms")]


def op_names(generated: Path) -> dict[str, str]:
    """Class -> mnemonic, from what mlir-tblgen made of the dialect."""
    text = (generated / "llm/Dialect/Llm/IR/LlmOps.h.inc").read_text()
    found = re.findall(
        r"class (\w+Op) : public.*?getOperationName\(\) \{\s*return ::llvm::StringLiteral\(\"(llm\.\w+)\"\)",
        text,
        re.S,
    )
    return dict(found)


def main() -> int:
    root, generated = Path(sys.argv[1]), Path(sys.argv[2])
    ops = op_names(generated)
    pattern = re.compile(r"\b(" + "|".join([*ops, *map(re.escape, ops.values())]) + r")\b(?!\.)")
    sources = [
        path
        for folder in FOLDERS
        for path in sorted((root / folder).rglob("*"))
        if path.suffix in (".cpp", ".h") and path.name not in REWRITE_ONE_OP
    ]
    named = [(path, match) for path in sources for match in pattern.findall(path.read_text())]
    for path, match in named:
        print(f"{path.relative_to(root)} names {match}")
    if not named:
        print(f"{len(sources)} sources name none of {len(ops)} ops")
    return 1 if named else 0


if __name__ == "__main__":
    sys.exit(main())
