"""The mutants of a C++ file: changes of one operator, constant, condition or call each.

It reads tokens, not a syntax tree: sources are formatted, so ` < ` with spaces is a comparison, and `vector<int>` is not.
"""

import dataclasses
import pathlib
import re

TOKENS = re.compile(
    r"""
      (?P<comment>//[^\n]*|/\*.*?\*/)
    | (?P<directive>^[ ]*\#(?:[^\n]|\\\n)*)
    | (?P<raw>R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)")
    | (?P<string>"(?:\\.|[^"\\\n])*")
    | (?P<character>'(?:\\.|[^'\\\n])+')
    | (?P<number>(?<![\w.])\d[\w'.]*)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<operator>->|<=>|<<=|>>=|<=|>=|==|!=|&&|\|\||\+\+|--|\+=|-=|\|=|&=|<<|>>|::|[-+*/%<>=!&|^~?:;,.(){}\[\]])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)

# Only with spaces around them; without spaces they are brackets, references and signs.
BINARY = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "&&": ["||"], "||": ["&&"], "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"],
    "&": ["|"], "|": ["&"], "<<": [">>"], ">>": ["<<"],
}  # fmt: skip
ANYWHERE = {"++": "--", "--": "++", "true": "false", "false": "true", "break": "continue", "continue": "break"}

# A line with one call or assignment, which can be removed. A declaration has a space before its name; a missing
# reserve() has no visible effect.
STATEMENT = re.compile(
    r"^[ ]+(?P<what>(?:co_await )?(?!co_|return\b)(?!.*\.reserve\()[A-Za-z_*][\w:.\[\]]*(?:->[\w.]+)*(?:\(.*\)|(?: [-+|&]?= .*))(?:\.\w+\(.*\))*);$", re.MULTILINE
)
# A condition on one line; one with a declaration cannot be replaced.
CONDITION = re.compile(r"\b(?:if|while) \((?P<what>[^;=\n]*(?:[=!<>]=[^;=\n]*)*)\)(?= \{$| [\w+-])", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: pathlib.Path  # relative to the checkout
    line: int
    start: int
    old: str
    new: str

    def text(self, original):
        return original[: self.start] + self.new + original[self.start + len(self.old) :]

    def __str__(self):
        what = f"{self.old} -> {self.new}" if self.new != ";" else f"without {self.old}"
        return f"{self.file}:{self.line}: {what}"


def is_balanced(text):
    depth = 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth < 0:
            return False
    return depth == 0


def replacements(kind, token, before, after):
    """The replacements of a token, given the characters around it."""
    if kind == "operator" and token in BINARY and before == " " and after in " \n":
        return BINARY[token]
    if kind == "operator" and token == "!" and after not in "= ":
        return [""]
    if kind in ("operator", "name") and token in ANYWHERE:
        return [ANYWHERE[token]]
    if kind == "number" and re.fullmatch(r"[\d']+[uUlLzZ]*", token):
        digits = re.match(r"[\d']+", token).group()
        return [str(int(digits.replace("'", "")) + 1) + token[len(digits) :]]
    return []


def mutants_of(checkout, file):
    """All mutants of the file, in the order of the text; none in a comment, string, directive or static_assert."""
    text = (checkout / file).read_text()
    found = []
    excluded = []  # [start, end) of text that is not code
    for token in TOKENS.finditer(text):
        kind = token.lastgroup if token.lastgroup != "mark" else "raw"
        if kind in ("comment", "directive", "raw", "string", "character"):
            excluded.append((token.start(), token.end()))
            continue
        before, after = text[token.start() - 1], text[token.end()]
        found += [(token.start(), token.group(), new) for new in replacements(kind, token.group(), before, after)]

    def is_code(position):
        return not any(start <= position < end for start, end in excluded)

    for statement in STATEMENT.finditer(text):
        if text[: statement.start()].rstrip()[-1:] not in tuple("=,(&|+<"):  # then the statement began on an earlier line
            found.append((statement.start("what"), statement.group("what") + ";", ";"))
    for condition in CONDITION.finditer(text):
        if is_balanced(condition.group("what")):
            found += [(condition.start("what"), condition.group("what"), constant) for constant in ("true", "false")]

    lines = text.split("\n")
    mutants = []
    for start, old, new in sorted(set(found)):
        line = text.count("\n", 0, start)
        if is_code(start) and "static_assert" not in lines[line] and "template <" not in lines[line]:
            mutants.append(Mutant(file, line + 1, start, old, new))
    return mutants
