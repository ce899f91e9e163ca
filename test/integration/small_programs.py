"""Tools that run on small models, and what is done to the text of their programs."""
import re
import subprocess
import sys


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{words[0]} {words[1]} failed:\n{done.stderr[:2000]}")
    return done.stdout


def return_logits(text):
    """The program gives the logits behind the tokens."""
    token, logits, kind = re.search(r"(%\w+) = llm\.sample .*? (%\w+) : (tensor<[^>]*>)", text).groups()
    text = re.sub(rf"return {token} : (tensor<[^>]*>)", rf"return {token}, {logits} : \1, {kind}", text)
    return re.sub(r"-> (tensor<\w+>) attributes", rf"-> (\1, {kind}) attributes", text, count=1)
