"""What the .td files of the llm dialect define."""
import json
import pathlib
import shutil
import subprocess


def load_records(root):
    """The records of Llm.td as llvm-tblgen dumps them."""
    tblgen = pathlib.Path(shutil.which("llvm-tblgen")).resolve()
    folder = root / "dialects" / "llm"
    includes = ["-I", str(folder), "-I", str(tblgen.parent.parent / "include")]
    command = [str(tblgen), "--dump-json", *includes, str(folder / "Llm.td")]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
