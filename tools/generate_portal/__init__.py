"""The modules of tools/generate-portal. Standard library only.

From the lowest layer: text, catalogue, forms, pdf, people, calendar, bundles, layout, document,
showcase, fixtures, command_line.

The same seed gives the same bytes on every version of Python. Therefore only `random.Random.random()` and
`getrandbits()` are used: Python guarantees the sequences of these, and not of `choice`, `shuffle` or `randrange`.
"""
