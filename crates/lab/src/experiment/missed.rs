//! Causes of missed targets: every row with the verdict `missed` has an entry here, with the part of the
//! program that it belongs to. A cause without a missed row is out of date.
//!
//! A cause begins with its certainty: *known* was shown by an experiment of its own, *likely* follows from
//! known facts, *open* is not found.

/// The cause of missed rows of an experiment.
#[derive(Debug)]
pub struct MissedTarget {
    /// The experiment.
    pub experiment: &'static str,
    /// Pattern of the quantity: `*` stands for any text, `?` for one character.
    pub quantity: &'static str,
    /// The cause.
    pub cause: &'static str,
    /// The part of the program that a remedy would change.
    pub owner: &'static str,
    /// Whether the verdict depends on the machine.
    pub is_of_machine: bool,
}

const fn missed(
    experiment: &'static str,
    quantity: &'static str,
    cause: &'static str,
    owner: &'static str,
) -> MissedTarget {
    MissedTarget { experiment, quantity, cause, owner, is_of_machine: false }
}

const fn of_machine(
    experiment: &'static str,
    quantity: &'static str,
    cause: &'static str,
    owner: &'static str,
) -> MissedTarget {
    MissedTarget { experiment, quantity, cause, owner, is_of_machine: true }
}

/// All causes, by experiment.
pub static MISSED: &[MissedTarget] = &[
    missed(
        "validate",
        "struck, time from the greatest hammer speed to the string, 6 m/s*",
        "known: at 6 m/s the knuckle is compressed by more than 1 mm and returns little of the energy, so that \
         the hammer leaves the jack 5 mm before the string. With 1.6 times the stiffness of the knuckle the time \
         is 0.43 to 0.53 ms, but the key bottom of key 71 comes after the string at 4 m/s, and the first dip of \
         the force is too small; with half the hysteresis a stroke of 2 m/s is fastest 12 ms before the string",
        "action::grand::design::fitted",
    ),
    missed(
        "validate",
        "V9 must: strongest blow (60 N at the tip), key 71, m/s",
        "known: a finger of 80 g needs less force than a hand of 300 g for the same hammer speed; with the hand \
         the value was 8.1 to 8.3 m/s",
        "action::interface::hand",
    ),
    missed(
        "edges",
        "constant speeds: largest fall*",
        "known: a key that starts at once with a constant speed throws the hammer at 1.7 times this speed. Near \
         0.09 m/s the thrown hammer turns just below the string while the jack passes let-off; slower, \
         the jack drives it again, faster, it arrives by itself. With a constant acceleration the speed \
         never falls",
        "action::grand::design::parts::hammer",
    ),
    missed(
        "edges",
        "standing forces*, random regulation: least heat*",
        "likely: friction is held through a step; where a hard contact reverses within the step, the friction \
         held for its end pushes at its beginning",
        "action::grand::equations::friction",
    ),
    missed(
        "energy",
        "unaccounted energy over work, trill by imposed motion, key 71",
        "open: 0.11 % of the work, a tenth over the band",
        "action::grand::equations::friction",
    ),
    missed(
        "energy",
        "second stroke from half-way up, 15 N, key 40: strike time*",
        "known: friction is held through a step; with half the step the time is off by half as much",
        "action::grand::equations::friction",
    ),
    missed(
        "energy",
        "second stroke from half-way up, 15 N, key 40: hammer speed*",
        "known: the friction force is constant within a step; half the step halves the error of the speed",
        "action::grand::equations::friction",
    ),
    missed(
        "haptics",
        "200 g, block 128: strike speed*",
        "likely: the strike occurs in the host's simulation, a block of 2.7 ms later than at the keyboard; a \
         heavy motorized key lags the most",
        "haptics::servo",
    ),
    missed(
        "haptics-campaign",
        "ball*: held keys that chatter",
        "likely: the ball still bounces on its paddle when the key is measured",
        "action::simple::ball",
    ),
    missed(
        "agreement",
        "trill: key depth difference*",
        "open: the two differ by 0.11 mm rms with short steps, which half the step moves by 4 µm; with the step of \
         125 µs they differ by 0.02 mm, because its error has the opposite sign",
        "action::penalty_model",
    ),
    missed(
        "string-law",
        "key 1, * m/s: *",
        "likely: a bass string's wave returns while the contact lasts; a spring with hysteresis has \
         no delay",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 4, * m/s: *",
        "likely: same cause as at key 1",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 1, * × *",
        "likely: the returning wave meets other hammers at another time and can end the contact \
         twice; the law uses smooth tables of masses and felts",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 1, strike weight*",
        "likely: same cause as for other masses",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 1, hardness*",
        "likely: same cause as for other masses",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 4, * × *",
        "likely: same cause as at key 1",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 4, strike weight*",
        "likely: same cause as at key 1",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 76, *: contact, ms",
        "known: the action's string is kept within a fifth of the reference run with a published hammer and \
         string of C7, whose contact lasts 0.78 ms at 2 m/s; that of the sound engine lasts 0.54 ms",
        "action::grand::design::string_law",
    ),
    missed(
        "contact",
        "key 88*",
        "known: the engine's strings have partials up to 20 kHz, four at C8; the same solver with all \
         partials meets the target",
        "sound::scale",
    ),
    missed(
        "contact",
        "key 76: peak force, N",
        "likely: same cause as at key 88; 0.02 % over the band",
        "sound::scale",
    ),
    missed(
        "contact",
        "key 16, *, as played: partials*",
        "likely: phantom partials lie near its weakest partials; the independent solution has none",
        "sound::overtones",
    ),
    missed(
        "contact",
        "key 64, mass × 2, as played: partials*",
        "open: one of eight partials exceeds the band by 0.05 dB",
        "sound::contact",
    ),
    missed(
        "sound",
        "key *: exponent of the bridge force's centroid over speed",
        "likely: with speed the felt of key 7 hardens faster than the published felts, as recorded low \
         notes do, and that of C4 and C5 more slowly; the published values end at C5, and C6 has one \
         strong partial",
        "core::mech::hammer",
    ),
    missed(
        "sound",
        "key ??: contact at 2 m/s, ms",
        "known: the strike points follow recorded grands and are nearer the strings' ends, so that a \
         treble string ends the contact earlier; a softer felt would meet this target, but the level of \
         C7 and C8 would rise by more than 8 dB from 1 to 2 m/s",
        "core::mech::hammer",
    ),
    missed(
        "sound",
        "A0–A6: stretch between neighbours, most, cents",
        "likely: ripples of the bridge's mobility detune neighbouring keys differently; the mobility is as \
         large as recorded decays require",
        "sound::mobility",
    ),
    missed(
        "sound",
        "key 1?: phantom *",
        "open: one factor for each string scales the longitudinal force; with any factor this phantom grows \
         by 8 dB",
        "sound::overtones",
    ),
    missed(
        "sound",
        "key ?: level, 2 to 4 m/s, dB",
        "likely: the lowest partials follow the hammer's momentum, and the hammer keeps less of its speed the \
         harder the blow; with the former board, which radiated less below 150 Hz, key 4 grew by 5.5 dB",
        "sound::contact",
    ),
    missed(
        "sound",
        "key 28: phantom *",
        "likely: 0.8 dB over the band; the board radiates less at 500 to 1000 Hz, where the parents lie, than at \
         the phantom's 2 kHz",
        "sound::radiation",
    ),
    missed(
        "sound",
        "key 16: centroid of the eighth repetition*",
        "open: partials below 200 Hz, which the board radiates most, lose more to the following blows than \
         those above",
        "sound::note",
    ),
    missed(
        "sound",
        "key *: at 5 m/s between its partials*",
        "known: this is the blow on frame and board, which exceeds the band in recorded grands too: the \
         loudest layers of three grands have −8 to −13 dB at C2, −20 to −25 dB at C4, −15 to −22 dB at C6",
        "sound::plate",
    ),
    missed(
        "sound",
        "44.1 kHz against 48: partials*",
        "open: C6's seventh partial at 7.9 kHz is 1.03 dB softer; the other 23 partials deviate by at \
         most 0.52 dB",
        "sound::board",
    ),
    of_machine(
        "action-cost",
        "one key, stroke*",
        "likely: a single key uses one lane of a register",
        "action::grand::equations::step",
    ),
    of_machine(
        "action-cost",
        "88 keys, str*",
        "known: at the strings keys side by side take two to three substeps a step, with or without events \
         located in lanes",
        "action::grand::equations::lanes",
    ),
    of_machine(
        "instrument-load",
        "88 keys at once: worst block*",
        "known: same cause as for 88 striking keys in `action-cost`; music does not have this load",
        "action::grand::equations::lanes",
    ),
    of_machine(
        "instrument-load",
        "88 keys together*",
        "known: same cause as for 88 striking keys in `action-cost`; music does not have this load",
        "action::grand::equations::lanes",
    ),
    of_machine(
        "instrument-load",
        "one regulation change*",
        "known: where no key moves, a regulation is measured in 15 % of the time, so that notes follow it \
         within half a second",
        "action::grand::key::efforts",
    ),
    missed(
        "instrument-load",
        "natural: longest travel time*",
        "known: times begin at the note-on, where the muscle force begins; published times begin at the \
         key's first motion, about 20 ms later in the softest notes",
        "experiment::instrument_load",
    ),
    of_machine(
        "*-cost",
        "*",
        "known: depends on the computing time of this machine",
        "the machine",
    ),
];

/// Whether `text` matches `pattern`, in which `*` stands for any text and `?` for one character.
fn matches_pattern(pattern: &str, text: &str) -> bool {
    let Some(first) = pattern.chars().next() else { return text.is_empty() };
    let rest = &pattern[first.len_utf8()..];
    let mut letters = text.chars();
    match first {
        '*' => {
            matches_pattern(rest, text)
                || text
                    .char_indices()
                    .any(|(i, c)| matches_pattern(rest, &text[i + c.len_utf8()..]))
        }
        '?' => letters.next().is_some() && matches_pattern(rest, letters.as_str()),
        _ => letters.next() == Some(first) && matches_pattern(rest, letters.as_str()),
    }
}

/// The first cause that matches the row `quantity` of `experiment`.
#[must_use]
pub fn of(experiment: &str, quantity: &str) -> Option<&'static MissedTarget> {
    MISSED.iter().find(|m| {
        matches_pattern(m.experiment, experiment) && matches_pattern(m.quantity, quantity)
    })
}

/// The page of the documentation.
#[must_use]
pub fn page() -> String {
    let mut page = String::from(
        "# Missed targets\n\nThis page is written by `touchback lab all --report`; a test compares it \
         with the program and with the missed rows of `validate`, `contact`, `sound`, `agreement`, \
         `string-law` and `key-design`. It lists the targets that are not met, with their causes: *known* was shown by an experiment, *likely* follows \
         from known facts, *open* was not found. In a quantity `*` stands for any text, `?` for one \
         character. The experiments' output has the measured values. Rows marked † depend on the \
         machine.\n\n| experiment | quantity | cause | part |\n| --- | --- | --- | --- |\n",
    );
    for m in MISSED {
        let MissedTarget { experiment, quantity, cause, owner, .. } = m;
        let mark = if m.is_of_machine { " †" } else { "" };
        page += &format!("| `{experiment}`{mark} | `{quantity}` | {cause} | `{owner}` |\n");
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{agreement, key_design, string_law};
    use touchback_offline::bench::{Folder, KeySource};

    /// The missed quantities on a page of docs/.
    fn on_page(name: &str) -> Vec<String> {
        let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let quantity = |line: &str| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            (cells.len() == 7 && cells[5] == "missed").then(|| cells[1].to_owned())
        };
        text.lines().filter_map(quantity).collect()
    }

    /// Other pages are compared with fresh output by their own tests; these three experiments have no page
    /// with rows.
    #[test]
    #[ignore = "long: `.ci/run` runs it"]
    fn every_missed_row_has_a_cause_and_every_cause_a_missed_row() {
        let dir = tempfile::tempdir().unwrap();
        let (mut folder, keys) = (Folder::new(dir.path()), KeySource::default());
        let missed = |report: touchback_offline::bench::Report| -> Vec<String> {
            let rows = report.rows().iter().filter(|r| !r.is_met());
            rows.map(|r| r.cells[0].clone()).collect()
        };
        let found = [
            ("validate", on_page("validation.md")),
            ("contact", on_page("contact.md")),
            ("sound", on_page("sound.md")),
            ("agreement", missed(agreement::run(&mut folder, &keys).unwrap())),
            ("string-law", missed(string_law::run(&mut folder).unwrap())),
            ("key-design", missed(key_design::run(&mut folder).unwrap())),
        ];
        let mut unused: Vec<&MissedTarget> = MISSED.iter().collect();
        for (experiment, quantities) in &found {
            for quantity in quantities {
                let cause = of(experiment, quantity);
                let cause =
                    cause.unwrap_or_else(|| panic!("no cause for {experiment}: {quantity}"));
                unused.retain(|m| !std::ptr::eq(*m, cause));
            }
        }
        let is_tried = |m: &&&MissedTarget| found.iter().any(|(name, _)| *name == m.experiment);
        let unused: Vec<_> = unused.iter().filter(is_tried).collect();
        assert!(unused.is_empty(), "these targets are met: {unused:#?}");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/missed.md");
        let kept = std::fs::read_to_string(path).unwrap();
        assert!(
            kept == page(),
            "docs/missed.md is old: write it with `touchback lab all --report`"
        );
    }

    #[test]
    fn a_cause_states_its_certainty_and_an_existing_part() {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        for m in MISSED {
            let known = m.cause.split(':').next().unwrap();
            assert!(["known", "likely", "open"].contains(&known), "{m:?}");
            let part = m.owner.replace("::", "/");
            let (package, file) = part.split_once('/').unwrap_or((&part, "lib"));
            let paths = [
                format!("{root}/crates/{package}/src/{file}.rs"),
                format!("{root}/crates/lab/src/{part}.rs"),
                format!("{root}/{part}"),
            ];
            let exists = paths.iter().any(|path| std::fs::exists(path).unwrap());
            assert!(m.owner == "the machine" || exists, "{m:?}");
        }
    }

    #[test]
    fn patterns_match_text() {
        assert!(matches_pattern("key ?6, *: contact*", "key 76, 1 m/s: contact, ms"));
        assert!(
            !matches_pattern("key ?6, *", "key 6, 1 m/s")
                && matches_pattern("*", "")
                && matches_pattern("a*b", "aµb")
        );
        assert!(of("validate", "V9 must: strongest blow (60 N at the tip), key 4, m/s").is_none());
    }
}
