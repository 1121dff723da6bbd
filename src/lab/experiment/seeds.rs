//! What stands around the table of the source documents' systems.

/// Above the table.
pub const HEAD: &str = "\
# The source documents' systems

Written by `touchback lab all --report`. Every line is a system, equation or figure of a source
document that concerns simulation or control, the command that runs it, what it should give and
what it gave.

000: Gillespie 1996, thesis. 001: its chapter 3. 002: Gillespie 1994, the virtual piano action.
003: Gillespie and Cutkosky 1993, interactive dynamics. 004: Tsai 1996, of which abstract and
contents are public: its systems are re-derived. T is a table.

| source | command | quantity | expected | measured | verdict | erratum in the source |
| --- | --- | --- | --- | --- | --- | --- |
";

/// Below it.
pub const TAIL: &str = "
## Without a line of their own

| source | system | why |
| --- | --- | --- |
| 000 ch. 1, 2, 7 | psychophysics, history, hardware | no simulation or control law |
| 000 §5.5 | strikes on the real keyboard | needs the apparatus; `wall-map` runs the same walls with encoder and finger |
| 004 app. A | circulant matrices | a tool of its derivation; ours uses shifts (`docs/unilateral.md`) |
| 004 app. C | bond graphs of joints | a notation; the joints themselves are in `lines` |
| 004 §6.5 | spatial joints | the thesis's examples are planar |
";
