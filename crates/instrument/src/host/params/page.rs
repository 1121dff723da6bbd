//! All parameters as a Markdown page.

use crate::host::params::{Parameter, ParameterGroup, ValueKind, all};

const HEAD: &str = "# Parameters

Each parameter is declared once, in the `settings!` of its part; hosts, files, the window and the command line use
this declaration. `touchback params` prints the list as JSON, `touchback params --page` prints this page.
[influence.md](influence.md) has the measured effect of each parameter on the sound. Hosts have eleven parameters more:
the positions of the [pedals](manual/playing.md#pedals), `sustain_pedal`, `sostenuto_pedal` and `una_corda_pedal`, 0 to
100 %, which belong to the performance and not to the piano; and `mechanism_1` to `mechanism_8`, *Mechanism 1* to *8*, 0 to
100 % of the ranges of the first eight parameters of a [mechanism from a file](mechanisms.md#playing).
";

/// All parameters in display order as Markdown: `docs/parameters.md`.
#[must_use]
pub fn page() -> String {
    let mut page = String::from(HEAD);
    let mut group: Option<ParameterGroup> = None;
    for parameter in all() {
        if group.replace(parameter.group) != Some(parameter.group) {
            page += &format!("\n**{}**\n\n", parameter.group.name());
            page += "| id | name | default | range | effect |\n| --- | --- | --- | --- | --- |\n";
        }
        let default = parameter.text(parameter.default_value());
        let (default, range) = match parameter.kind {
            ValueKind::Number { min, max, .. } => {
                (typeset(&default), typeset(&format!("{min} … {max}{}", parameter.suffix)))
            }
            ValueKind::Choice(names) => (default, names.join(", ")),
        };
        let Parameter { id, name, doc, .. } = parameter;
        page += &format!("| `{id}` | {name} | {default} | {range} | {doc} |\n");
    }
    page
}

/// Replaces hyphens by minus signs.
fn typeset(text: &str) -> String {
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    #[test]
    fn docs_parameters_md_equals_the_generated_page() {
        let written = include_str!("../../../../../docs/parameters.md");
        let page = super::page();
        for (line, (new, old)) in page.lines().zip(written.lines()).enumerate() {
            assert_eq!(new, old, "line {}: write it anew by `touchback params --page`", line + 1);
        }
        assert_eq!(page.lines().count(), written.lines().count());
    }
}
