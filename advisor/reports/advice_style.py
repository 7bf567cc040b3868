"""The style sheet of the HTML report: light and dark, print, and nothing said by colour alone."""

from __future__ import annotations

__all__ = ["STYLE"]

STYLE = """\
:root {
  --text: #1a1a1a; --page: #ffffff; --quiet: #545454; --line: #767676; --link: #0b4fb3;
  --good: #0b6b2b; --wait: #7a4b00; --bad: #a4140f; --band: #f2f2f2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --text: #ececec; --page: #161616; --quiet: #b4b4b4; --line: #8c8c8c; --link: #8ab8ff;
    --good: #7bd88f; --wait: #f0c060; --bad: #ff9b94; --band: #242424;
  }
}
html { color-scheme: light dark; }
body {
  margin: 0 auto; max-width: 60rem; padding: 1rem; background: var(--page); color: var(--text);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
a { color: var(--link); }
code { font-family: ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--quiet); padding: 0.25rem 0; }
th, td { border: 1px solid var(--line); padding: 0.3rem 0.5rem; text-align: left;
  vertical-align: top; }
thead th { background: var(--band); }
tbody th { font-weight: normal; }
.wide { overflow-x: auto; margin: 1rem 0; }
.choice { font-size: 1.2rem; }
.quiet, footer { color: var(--quiet); }
.firm { color: var(--good); }
.provisional, .warning > p > strong { color: var(--wait); }
.open, .critical > p > strong { color: var(--bad); }
.not-applicable { color: var(--quiet); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0.5rem 0; }
dt { color: var(--quiet); }
dd { margin: 0; }
:target { outline: 2px solid var(--link); }
@media print {
  :root {
    --text: #000000; --page: #ffffff; --quiet: #333333; --line: #767676; --link: #000000;
    --good: #000000; --wait: #000000; --bad: #000000; --band: #ffffff;
  }
  html { color-scheme: light; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  .wide { overflow: visible; }
  h2, h3 { break-after: avoid; }
  tr, li { break-inside: avoid; }
  thead { display: table-header-group; }
}
"""
