"""The command line of tools/generate-portal. Exit status: 0, 1 for a failure, 2 for wrong usage."""

import argparse
import os
import sys

from . import fixtures
from .document import portal
from .layout import Layout

_MAX_BUNDLES = 1_000_000
_LINES_PER_WRITE = 1000

_DESCRIPTION = """\
Generates a sample portal as an import document for `portail import`: mail objects, third parties,
bundles in every state, grants. The same seed gives the same bytes.

sub-client-1 has 200 bundles and sub-gestionnaire-1 manages 10,000; in a smaller portal a fifth
and a half of all. Only the fixtures have template files.
"""

_EPILOG = """\
examples:
  generate-portal --bundles 1000000 --output /tmp/portal.json
  generate-portal --bundles 1000 --seed 7 | gzip > portal.json.gz
  generate-portal --fixtures --check
"""


def _integer(minimum, maximum):
    def parse(text):
        if not (text.isascii() and text.isdigit() and minimum <= int(text) <= maximum):
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {minimum:,} to {maximum:,}")
        return int(text)
    return parse


def _parser():
    parser = argparse.ArgumentParser(prog="generate-portal", description=_DESCRIPTION, epilog=_EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    parser.add_argument("--bundles", metavar="N", type=_integer(1, _MAX_BUNDLES), help="number of bundles, up to 1,000,000")
    parser.add_argument("--third-parties", metavar="N", type=_integer(3, _MAX_BUNDLES),
                        help="number of third parties (default: one for five bundles)")
    parser.add_argument("--seed", metavar="N", type=_integer(0, 2**63 - 1), help="default: 1")
    parser.add_argument("--output", metavar="FILE", help="default: -, standard output")
    parser.add_argument("--fixtures", action="store_true", help="generate the repository's directory fixtures/ instead")
    parser.add_argument("--check", action="store_true",
                        help="with --fixtures: change nothing; fail if a file is missing or differs")
    return parser


class _Progress:
    """The progress as one line on standard error, if that is a terminal."""

    def __init__(self, total):
        self._total = total
        self._shown = sys.stderr.isatty()

    def show(self, done):
        if self._shown:
            print(f"\rgenerate-portal: {done:,} of {self._total:,} entities ({100 * done // self._total} %)",
                  end="", file=sys.stderr, flush=True)

    def end(self):
        if self._shown:
            print(file=sys.stderr)


def _write(lines, progress, output):
    """Writes in batches, so that memory use does not grow with the portal."""
    written, batch = 0, []
    for line in lines:
        batch.append(line)
        if len(batch) == _LINES_PER_WRITE:
            output.write("".join(batch).encode())
            written += len(batch)
            batch.clear()
            progress.show(written)
    output.write("".join(batch).encode())
    output.flush()


def _generate(bundles, third_parties, seed, path):
    layout = Layout.of_size(bundles, third_parties)
    progress = _Progress(bundles + third_parties)
    try:
        if path == "-":
            _write(portal(layout, seed), progress, sys.stdout.buffer)
        else:
            with open(path, "wb") as output:
                _write(portal(layout, seed), progress, output)
    finally:
        progress.end()


def _generate_fixtures(check):
    if not check:
        fixtures.write()
        return 0
    found = list(fixtures.differences())
    for line in found:
        print(line, file=sys.stderr)
    if found:
        print("generate-portal: to update them, run: tools/generate-portal --fixtures", file=sys.stderr)
    return 1 if found else 0


def main(arguments=None):
    parser = _parser()
    options = parser.parse_args(arguments)
    sizes = (options.bundles, options.third_parties, options.seed, options.output)
    if options.fixtures and any(value is not None for value in sizes):
        parser.error("--fixtures allows only --check")
    if options.check and not options.fixtures:
        parser.error("--check requires --fixtures")
    if not options.fixtures and options.bundles is None:
        parser.error("--bundles N (or --fixtures) is missing")
    try:
        if options.fixtures:
            return _generate_fixtures(options.check)
        _generate(
            options.bundles,
            options.third_parties or max(3, options.bundles // 5),
            1 if options.seed is None else options.seed,
            options.output or "-",
        )
    except BrokenPipeError:
        # Prevents another flush into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print("generate-portal: the reader closed the pipe", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"generate-portal: {error.filename or options.output or '-'}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("generate-portal: interrupted; the document is not complete", file=sys.stderr)
        return 1
    return 0
