"""JSON text, the way an import document is written here: compact, UTF-8 unescaped."""

import json


def encode(value):
    """The JSON text of a string, a number that is no amount, a boolean, None, a list or a dict.

    Amounts never pass here: a float would lose their scale. They are kept as text throughout.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pick(chance, choices):
    """One of `choices` (a tuple or a list), by one number from `chance`, a random.Random."""
    return choices[int(chance.random() * len(choices))]
