"""What is done to the text of programs of small models."""
import re


def return_logits(text):
    """The program gives the logits behind the tokens."""
    token, logits, kind = re.search(r"(%\w+) = llm\.sample .*? (%\w+) : (tensor<[^>]*>)", text).groups()
    text = re.sub(rf"return {token} : (tensor<[^>]*>)", rf"return {token}, {logits} : \1, {kind}", text)
    return re.sub(r"-> (tensor<\w+>) attributes", rf"-> (\1, {kind}) attributes", text, count=1)
