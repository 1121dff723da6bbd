//! Every command with its options as Markdown: the last section of docs/command.md.

use clap::{Arg, Command};

/// First line of the section.
pub const HEADING: &str = "## Every option";

/// The section for `root` and the commands below it.
pub fn page(root: &Command) -> String {
    let mut page = format!("{HEADING}\n\nWritten by `touchback --page`.\n");
    add(&mut page, root, root.get_name());
    page
}

fn add(page: &mut String, command: &Command, name: &str) {
    let rows: String = command.get_arguments().filter(|arg| !arg.is_hide_set()).map(row).collect();
    if !rows.is_empty() {
        *page += &format!("\n### `{name}`\n\n| option | does |\n| --- | --- |\n{rows}");
    }
    for inner in command.get_subcommands() {
        add(page, inner, &format!("{name} {}", inner.get_name()));
    }
}

/// One option: its name, the names of its values, the text of its help, its default and its choices.
fn row(arg: &Arg) -> String {
    let takes = arg.get_action().takes_values();
    let values = arg.get_value_names().unwrap_or_default().iter().map(|name| name.to_string());
    let short = arg.get_short().map(|short| format!("-{short}"));
    let long = arg.get_long().map(|long| format!("--{long}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let names = (!names.is_empty()).then(|| names.join(", "));
    let words: Vec<String> = names.into_iter().chain(values.filter(|_| takes)).collect();
    let mut text = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let defaults: Vec<_> = arg.get_default_values().iter().map(|v| v.to_string_lossy()).collect();
    if takes && !defaults.is_empty() {
        text += &format!(" [default: {}]", defaults.join(" "));
    }
    let choices = arg.get_possible_values();
    if takes && !choices.is_empty() {
        let choices: Vec<&str> =
            choices.iter().map(clap::builder::PossibleValue::get_name).collect();
        text += &format!(" [{}]", choices.join(", "));
    }
    format!("| `{}` | {} |\n", words.join(" ").replace('|', "\\|"), text.replace('|', "\\|"))
}
