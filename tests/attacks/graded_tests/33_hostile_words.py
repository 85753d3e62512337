"""Speaks to whoever reads the report: to a terminal, a browser, a spreadsheet, and a parser of XML."""

WORDS = (
    "=cmd|'/C calc'!A0 +1 -1 @SUM(A1)\t\r\n"
    "\x1b[2J\x1b]0;owned\x07\x00\x01\x0b\x7f\x9b31m\u202egnp.exe\u2066\ufffe\ufffd"
    "</script><script>alert('LEAKED-INTO-HTML')</script><img src=x onerror=alert(1)>&lt;]]>"
    "[bold red]rich[/bold red] {{7*7}} %s %n ../../etc/passwd"
)


def attack():
    raise AssertionError(WORDS * 3)


def test_extra_1():
    raise type("Error\x1b[31m<b>", (Exception,), {})(WORDS)
