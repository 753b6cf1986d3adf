"""Texts that try to be more than text."""

from __future__ import annotations

HTML = '<script>alert(1)</script><img src="http://x.invalid/a.png"><b>bold</b>'
FILE_LINK = '<a href="file:///etc/passwd">x</a><object data="file:///etc/passwd"></object>'
ATTACHMENT = '<link rel="attachment" href="file:///etc/passwd">'
TEMPLATE = "{{ 7 * 7 }}{% include '/etc/passwd' %}{# gone #}"
STYLE = "</style><style>*{display:none}</style>@import url(http://x.invalid/a.css)"
RIGHT_TO_LEFT = "safe\u202eexe.txt\u2066 مرحبا بالعالم"
MATH = r"$\frac{1}{0}$ $x_{$ cost $5 and $6"
CONTROL = "bell\x07null\x00escape\x1b[31m\r\nnew\u2028line\ufeff"
MARKS = "z" + "\u0335\u0336\u0337" * 60
CHINESE = "哪个助手更好？" * 12
MARKDOWN = "[x](http://x.invalid) `code` **bold** | cell <br> # head ![i](file:///etc/passwd)"
LONG = "w" * 100_000
SURROGATE = "half\ud800pair"

TEXTS = {
    "html": HTML,
    "file link": FILE_LINK,
    "attachment": ATTACHMENT,
    "template": TEMPLATE,
    "style": STYLE,
    "right to left": RIGHT_TO_LEFT,
    "math": MATH,
    "control": CONTROL,
    "marks": MARKS,
    "chinese": CHINESE,
    "markdown": MARKDOWN,
    "long": LONG,
    "surrogate": SURROGATE,
}
ALL = " ".join(text for name, text in TEXTS.items() if name != "long")
