"""What tools/generate-portal is made of. Python's standard library only.

In layering order: text, catalogue, forms, pdf, people, calendar, bundles, layout, document,
showcase, fixtures, command_line.

The same seed must give the same bytes on every version of Python, so chance comes from
`random.Random.random()` and `getrandbits()` alone: Python promises that these keep their sequence,
and does not promise it of `choice`, `shuffle` or `randrange`.
"""
