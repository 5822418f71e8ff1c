"""A form as a PDF file of one A4 page (PDF 1.4, ISO 32000-1), in Helvetica, a standard font.

Streams are not compressed, so the bytes do not depend on zlib, and diffs are readable.
"""

from textwrap import wrap

_LEFT, _RIGHT, _TOP = 56, 539, 842  # points; A4 is 595 × 842
_LINE_WIDTH = 95  # characters of 10-point Helvetica between the margins, a conservative estimate
_LENDER = "Crédit des Provinces"


def _text(x, y, size, text, bold=False):
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /{'B' if bold else 'R'} {size} Tf {x} {y} Td ({escaped}) Tj ET"


def _page(form):
    """The operators that draw the page, as text for WinAnsiEncoding."""
    operators = [
        "0.12 0.27 0.45 rg", f"0 {_TOP - 64} 595 64 re f",
        "1 1 1 rg", _text(_LEFT, _TOP - 40, 16, _LENDER, bold=True),
        "0 0 0 rg 0.5 w", _text(_LEFT, _TOP - 100, 18, form.title, bold=True),
    ]
    y = _TOP - 128
    for line in wrap(form.introduction, _LINE_WIDTH):
        operators.append(_text(_LEFT, y, 10, line))
        y -= 14
    for section in form.sections:
        y -= 18
        operators.append(_text(_LEFT, y, 12, section.heading, bold=True))
        for label in section.fields:
            y -= 24
            operators += [_text(_LEFT, y, 10, label), f"220 {y - 2} m {_RIGHT} {y - 2} l S"]
        for label in section.choices:
            y -= 20
            operators += [f"{_LEFT} {y - 1} 9 9 re S", _text(_LEFT + 18, y, 10, label)]
        y -= 8
    y -= 22
    for line in wrap(form.declaration, _LINE_WIDTH):
        operators.append(_text(_LEFT, y, 10, line))
        y -= 14
    y -= 22
    operators += [_text(_LEFT, y, 10, "Fait à"), f"90 {y - 2} m 250 {y - 2} l S", _text(270, y, 10, "le"),
                  f"285 {y - 2} m 380 {y - 2} l S", _text(400, y, 10, "Signature :")]
    operators.append(_text(_LEFT, 36, 8, f"{_LENDER} – modèle à compléter, signer et déposer dans votre espace client"))
    return "\n".join(operators)


def _string(text):
    """A text string outside a page, as UTF-16 in hexadecimal (ISO 32000-1, 7.9.2.2)."""
    return f"<FEFF{text.encode('utf-16-be').hex().upper()}>"


def render(form):
    """The bytes of the file."""
    page = _page(form).encode("cp1252")
    font = "<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R /Lang (fr-FR) >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R"
        b" /Resources << /Font << /R 5 0 R /B 6 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
        (font % "Helvetica").encode(),
        (font % "Helvetica-Bold").encode(),
        f"<< /Title {_string(form.title)} /Author {_string(_LENDER)} >>".encode(),
    )
    file = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(file))
        file += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = len(file)
    file += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    file += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    file += b"trailer\n<< /Size %d /Root 1 0 R /Info %d 0 R >>\n" % (len(objects) + 1, len(objects))
    file += b"startxref\n%d\n%%%%EOF\n" % table
    return bytes(file)
