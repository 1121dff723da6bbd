use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, error::ErrorKind};

use super::*;
use touchback_offline::paths::Role;

/// Commands that can be run, with their words.
fn commands() -> Vec<(Vec<String>, Command)> {
    fn below(words: &[String], command: &Command, found: &mut Vec<(Vec<String>, Command)>) {
        if command.get_arguments().any(|arg| arg.get_id() != "help" && arg.get_id() != "version") {
            found.push((words.to_vec(), command.clone()));
        }
        for inner in command.get_subcommands() {
            let words = [words, &[inner.get_name().to_owned()]].concat();
            below(&words, inner, found);
        }
    }
    let mut command = Cli::command();
    command.build();
    let mut found = Vec::new();
    below(&["touchback".to_owned()], &command, &mut found);
    found
}

/// An option with `value` as typed.
fn written(arg: &Arg, value: &Path) -> Vec<String> {
    let mut value = value.display().to_string();
    if Role::of(arg) == Some(Role::Curve) {
        value.insert_str(0, "let_off_mm=");
    }
    let name = arg.get_long().map(|long| format!("--{long}"));
    name.into_iter().chain([value]).collect()
}

/// Options that other options of a command require; an empty name stands for all of them.
const COMPANIONS: [(&str, &str, &[&str]); 4] = [
    ("fit", "", &["--free", "key.inertia"]),
    ("render", "keymap", &["--scale", "s.scl"]),
    ("feel", "answers", &["--compare", "grand", "ball"]),
    ("emulate", "log", &["--seconds", "1"]),
];

/// The refusal of `command` with `args` and their values `paths`; required options are added.
fn said(words: &[String], command: &Command, args: [&Arg; 2], paths: [&Path; 2]) -> Refused {
    let mut line = words.to_vec();
    let given = args.iter().zip(paths).map(|(arg, path)| written(arg, path));
    let (named, placed): (Vec<_>, Vec<_>) = given.partition(|part| part.len() > 1);
    line.extend(named.into_iter().flatten());
    let companions = COMPANIONS.iter().filter(|(name, id, _)| {
        words.last().is_some_and(|word| word == name)
            && (id.is_empty() || args.iter().any(|a| a.get_id() == *id))
    });
    line.extend(companions.flat_map(|(.., more)| more.iter().map(|m| (*m).to_owned())));
    for arg in command.get_arguments() {
        if arg.is_required_set()
            && arg.get_long().is_some()
            && !args.iter().any(|a| a.get_id() == arg.get_id())
        {
            line.extend(written(arg, Path::new("another")));
        }
    }
    let dummies = |arg: &&Arg| !args.iter().any(|a| a.get_id() == arg.get_id());
    let others: Vec<String> =
        command.get_positionals().filter(dummies).map(|_| "1".to_owned()).collect();
    let with = [line.clone(), placed.concat(), others].concat();
    let without = [line, placed.concat()].concat();
    // A positional argument that conflicts with one of the two is omitted.
    match parsed(&with) {
        Err(Refused::Usage(error)) if error.kind() == ErrorKind::ArgumentConflict => {
            parsed(&without).map(|_| with).expect_err("is carried out")
        }
        other => other.map(|_| &with).expect_err("is carried out"),
    }
}

/// Every input of every command with every output, under several names of one file.
#[test]
fn no_input_of_any_command_is_an_output() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    // Preset files are known by their ending.
    fs::write(at("a.toml"), "kept").unwrap();
    fs::create_dir(at("folder")).unwrap();
    fs::hard_link(at("a.toml"), at("hard.toml")).unwrap();
    let mut names: Vec<PathBuf> = vec![at("a.toml"), at("folder/../a.toml"), at("hard.toml")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("a.toml", at("link.toml")).unwrap();
        names.push(at("link.toml"));
    }
    let (mut pairs, mut refused_by_clap) = (0, 0);
    for (words, command) in commands() {
        let with = |roles: &[Role]| -> Vec<&Arg> {
            let is_one = |arg: &&Arg| Role::of(arg).is_some_and(|role| roles.contains(&role));
            command.get_arguments().filter(is_one).collect()
        };
        let inputs = with(&[Role::Input, Role::Piano, Role::Curve]);
        let outputs = with(&[Role::OutputFile, Role::OutputFileOrFolder, Role::OutputFolder]);
        let every = inputs.iter().chain(&outputs);
        let together: Vec<[&Arg; 2]> =
            every.flat_map(|first| outputs.iter().map(move |output| [*first, *output])).collect();
        for [first, output] in together.into_iter().filter(|[a, b]| a.get_id() != b.get_id()) {
            pairs += 1;
            let is_folder = Role::of(output) == Some(Role::OutputFolder);
            for name in &names {
                let to = if is_folder { dir.path().to_owned() } else { at("a.toml") };
                let refused = said(&words, &command, [first, output], [name, &to]);
                let pair = format!("{words:?} {} {}", first.get_id(), output.get_id());
                match refused {
                    Refused::Paths(error) => {
                        let error = error.to_string();
                        let is_said = ["is named twice", "holds the input"];
                        assert!(is_said.iter().any(|part| error.contains(part)), "{pair}: {error}");
                    }
                    Refused::Usage(error) => {
                        assert_eq!(error.kind(), ErrorKind::ArgumentConflict, "{pair}: {error}");
                        refused_by_clap += 1;
                    }
                }
            }
        }
    }
    assert!(pairs > 50 && refused_by_clap < pairs * names.len() / 2, "{pairs}, {refused_by_clap}");
    assert_eq!(fs::read(at("a.toml")).unwrap(), b"kept");
}

/// Every option that names a file has a type from `paths`.
#[test]
fn every_option_that_names_a_file_has_a_path_type() {
    use std::any::TypeId;
    for (words, command) in commands() {
        for arg in command.get_arguments().filter(|arg| Role::of(arg).is_none()) {
            let kind = arg.get_value_parser().type_id();
            let plain = [TypeId::of::<PathBuf>(), TypeId::of::<std::ffi::OsString>()];
            assert!(plain.iter().all(|plain| kind != *plain), "{words:?} {}", arg.get_id());
            for name in arg.get_value_names().unwrap_or_default() {
                let is_path = ["DIR", "FOLDER", "FILE", "PATH", ".csv", ".toml", ".mid", ".wav"];
                let is_path = is_path.iter().any(|part| name.contains(part));
                assert!(!is_path, "{words:?} {}: {name}", arg.get_id());
            }
        }
    }
}

/// Results with own settings go to a folder next to the standard piano's.
#[test]
fn the_default_output_folder_is_checked_too() {
    let out = |line: &str| match parsed(line.split(' ')).unwrap().0.command {
        Some(SubCommand::Lab(lab)) => lab.experiments.out.to_path_buf(),
        other => panic!("{other:?}"),
    };
    assert_eq!(out("touchback lab ball"), Path::new("touchback-lab"));
    assert_eq!(out("touchback lab weigh --set blow_mm=44"), Path::new("touchback-lab-own"));
    assert_eq!(out("touchback lab weigh --key 4"), Path::new("touchback-lab-own"));
    assert_eq!(out("touchback lab weigh --key 4 --out x"), Path::new("x"));
}

#[test]
fn docs_command_md_has_every_option() {
    let kept = include_str!("../../../../docs/command.md");
    let kept = &kept[kept.find(page::HEADING).unwrap()..];
    assert!(kept == page::page(&Cli::command()), "write the end of it anew by `touchback --page`");
}
