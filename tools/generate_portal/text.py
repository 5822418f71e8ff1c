"""JSON text in the format of generated documents: compact, UTF-8 unescaped."""

import json


def encode(value):
    """The JSON text of a string, a number, a boolean, None, a list or a dict.

    Amounts are always text, because a float would lose their scale.
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pick(rng, choices):
    """One of `choices`, a tuple or a list, by one number of `rng`, a random.Random."""
    return choices[int(rng.random() * len(choices))]
