#!/usr/bin/env python3
"""contract_rows.py PAGE: prints a C++ header with the rows of docs/reference/contract.md, which the build includes as
"contract_rows.hpp" (cmake/contract_rows.cmake). Standard library only."""

import json
import re
import sys


def rows_of_page(text):
    """Returns each row of the tables that begin with "row", as "Heading: row"."""
    rows, heading, in_table = [], None, False
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
        if not line.startswith("|"):
            in_table = False
        elif line.startswith("| row |"):
            in_table = True
        elif in_table and not line.startswith("|---"):
            rows.append(f"{heading}: {line.split('|')[1].strip()}")
    return rows


def members_of_page(text):
    """Returns the members of the tables of "Resources", each once, as "Resources: member"."""
    resources = text.partition("\n### Resources\n")[2].partition("\n### ")[0]
    cells = [line.split("|")[1] for line in resources.splitlines() if line.startswith("| `")]
    return list(dict.fromkeys(f"Resources: {name}" for cell in cells for name in re.findall(r"`([^`]+)`", cell)))


def array(name, texts):
    lines = "".join(f"    {json.dumps(text, ensure_ascii=False)},\n" for text in texts)
    return f"inline constexpr auto {name} = std::to_array<std::string_view>({{\n{lines}}});\n"


def header(text):
    return f"""// From docs/reference/contract.md by tools/docs/contract_rows.py, in the order of the page. Constants; any thread.
#pragma once

#include <array>
#include <string_view>

namespace portail::contract {{

{array("rows", rows_of_page(text))}
{array("members", members_of_page(text))}
}}  // namespace portail::contract
"""


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as page:
        print(header(page.read()), end="")
