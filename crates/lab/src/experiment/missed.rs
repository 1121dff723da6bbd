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
        "V21 should: struck p (1 m/s), peak force*",
        "known: the arriving hand's muscle does part of what a free mass did by its speed, so that \
         it arrives slower",
        "action::interface::hand",
    ),
    missed(
        "validate",
        "V17 should: fall of the force after the slip, N, key 71*",
        "likely: the repetition spring's push on the drop screw grows as fast as the jack's friction \
         ends: the force stays level to a thousandth of a newton",
        "action::grand::design::fitted",
    ),
    missed(
        "energy",
        "second stroke from half-way up, 15 N, key 40: its speed off*",
        "known: friction is held through a step; with half the step the speed is off by half as much",
        "action::grand::equations::friction",
    ),
    missed(
        "haptics",
        "200 g, block 128: strike speed*",
        "likely: the strike is the computer's, a block of 2.7 ms behind the keyboard's; a heavy motorized key \
         lags the most",
        "haptics::servo",
    ),
    missed(
        "haptics-campaign",
        "wall*: held keys that chatter",
        "open: of presses at random depths seven in ten still move by 0.1 mm or more 0.4 s after they came, \
         at most by 0.7 mm, with every kind of wall alike; single presses held at 3, 8 and 20 mm are quiet",
        "haptics::walls",
    ),
    missed(
        "haptics-campaign",
        "wall-standard*: most energy created*",
        "open: at the worst a stroke gets 13 mJ from the wall; on the mean the wall takes 2 mJ",
        "haptics::walls",
    ),
    missed(
        "haptics-campaign",
        "ball*: held keys that chatter",
        "likely: the ball still bounces on its paddle when the key is looked at",
        "action::simple::ball",
    ),
    missed(
        "haptics-campaign",
        "model-b*: held keys that chatter",
        "likely: one key of a thousand is looked at while the springs k1, k2 still swing",
        "action::simple::model_b",
    ),
    missed(
        "agreement",
        "struck, loud: keys apart*",
        "known: let go after the blow, the force balance's heel leaves its capstan by 1.4 mm, the \
         instrument's is held on it",
        "action::grand::equations::kinematics",
    ),
    missed(
        "agreement",
        "struck, loud: crowns apart*",
        "known: as the keys",
        "action::grand::equations::kinematics",
    ),
    missed(
        "agreement",
        "weight placed: *",
        "known: 75 g are little more than friction takes; with no friction of the capstan, whose share the \
         instrument's model finds in two passes, the strikes are 0.02 ms apart",
        "action::grand::equations::friction",
    ),
    missed(
        "fit-recovery",
        "key 88: farthest*",
        "open: this key's fit ends with one number far from the truth, though the data are the model's \
         own but for noise; a second minimum is likely, since other seeds are fitted",
        "fit::solve",
    ),
    missed(
        "fit-recovery",
        "numbers within their 95 % intervals*",
        "open: the stated intervals are a tenth too narrow where a free jack's felts make the way to \
         the numbers less straight than the interval assumes",
        "fit::solve",
    ),
    missed(
        "string-law",
        "key 1, * m/s: *",
        "likely: a bass string sends its own wave back into a contact that is still going on; a \
         spring with hysteresis has no delay",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 4, * m/s: *",
        "likely: as at key 1",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key ?6, 1 m/s: contact*",
        "likely: the tables are fitted at 2.5 m/s; at 1 m/s the string's waves end the contact \
         earlier than the law's one exponent lets felt do",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 88, strike weight*",
        "likely: a hammer half as heavy as C8's lies beyond what the tables, straight in the \
         logarithm, hold for",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 1, * × *",
        "likely: other hammers meet the returning wave at another moment, up to leaving the string \
         twice; the law follows masses and felts by smooth tables",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 1, strike weight*",
        "likely: as other masses",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 1, hardness*",
        "likely: as other masses",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 4, * × *",
        "likely: as at key 1",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 4, strike weight*",
        "likely: as at key 1",
        "action::grand::design::string_law",
    ),
    missed(
        "string-law",
        "key 4, hardness*",
        "likely: as at key 1",
        "action::grand::design::string_law",
    ),
    missed(
        "contact",
        "key 88*",
        "known: the engine's strings end at 20 kHz, which leaves C8 four partials; the same solver \
         with all partials meets the row",
        "sound::scale",
    ),
    missed(
        "contact",
        "key 16, mass × 2, as played: partials*",
        "likely: phantoms beside the weakest of the partials, stronger under a heavy hammer; the \
         independent solution has none",
        "sound::overtones",
    ),
    missed(
        "contact",
        "key 64, mass × 2, as played: partials*",
        "open: the worst of eight partials by a tenth of a decibel",
        "sound::contact",
    ),
    missed(
        "sound",
        "key 7?: exponent of peak force over speed",
        "likely: in the treble the string's impedance, which is linear, gives the force more than \
         the felt does",
        "sound::contact",
    ),
    missed(
        "sound",
        "key *: exponent of the bridge force's centroid over speed",
        "likely: the felt of key 7 stiffens faster, as recorded low notes brighten, that of C4 and C5 \
         more slowly than the published ones; the published figures end at C5, C6 has one strong \
         partial",
        "core::mech::hammer",
    ),
    missed(
        "sound",
        "key ??: contact at 2 m/s, ms",
        "known: struck where recorded grands are struck, nearer the end, a treble string throws its \
         hammer off sooner; a softer felt would meet this row and let the level of C7 and C8 grow by \
         more than 8 dB from 1 to 2 m/s",
        "core::mech::hammer",
    ),
    missed(
        "sound",
        "A0–A6: stretch between neighbours, most, cents",
        "likely: neighbours on different ripples of the bridge's mobility are pulled apart, the more \
         since it is as large as recorded decays ask",
        "sound::loss",
    ),
    missed(
        "sound",
        "key *: pedal, early T60*",
        "open: the first 20 dB hold a beat of upright and sideways motion, which the open strings move \
         by more than they lengthen the decay; by energy still to come they lengthen it too much",
        "sound::unison",
    ),
    missed(
        "sound",
        "key 1?: phantom *",
        "open: the longitudinal force is scaled by a single number a string, whatever that is this \
         phantom grows by 8 dB",
        "sound::overtones",
    ),
    missed(
        "sound",
        "key *: at 5 m/s between its partials*",
        "known: the blow on frame and board, which is louder than this in recorded grands as well: \
         three have −8 to −13 dB at C2, −20 to −25 at C4, −15 to −22 at C6 in their loudest layers",
        "sound::note::frame",
    ),
    missed(
        "sound",
        "key 16: eighth of eight repetitions*",
        "known: the damper lies on the string for 35 ms, which take 2 dB, and an eighth of a second \
         is 49.06 periods of the sixth partial: blow adds to blow. With 70 ms of damper the eighth \
         is 2.4 dB louder, with 200 ms none",
        "sound::note",
    ),
    missed(
        "sound",
        "key 16: eight repetitions, loudest over softest*",
        "likely: as the level of the eighth repetition",
        "sound::note",
    ),
    missed(
        "sound",
        "192 kHz against 48: partials*",
        "known: C6's eighth partial at 9 kHz, where the board's modes, sampled at 48 kHz, answer \
         up to a decibel less off their resonance",
        "sound::board",
    ),
    missed(
        "sound",
        "key against its four neighbours*",
        "likely: C6's fundamental lies between two modes of the board, deeper than a voicer evens \
         out; of sixteen other boards four have no such key, all farther from recorded grands in \
         C2–B3",
        "sound::level_equalization",
    ),
    of_machine(
        "action-cost",
        "one key, stroke*",
        "likely: a key alone fills one lane of a register; about 1 µs a step",
        "action::grand::equations::step",
    ),
    of_machine(
        "action-cost",
        "88 keys, str*",
        "known: where all keys strike at once every one takes its steps alone, through the path \
         that locates events",
        "action::grand::equations::lanes",
    ),
    of_machine(
        "instrument-load",
        "88 keys at once: worst block*",
        "known: as 88 keys that strike in `action-cost`; no music does this",
        "action::grand::equations::lanes",
    ),
    of_machine(
        "instrument-load",
        "88 keys together*",
        "known: as 88 keys that strike in `action-cost`; no music does this",
        "action::grand::equations::lanes",
    ),
    missed(
        "instrument-load",
        "natural: longest travel time*",
        "known: times count from the note-on, where the muscle begins; the published ones from the \
         key's first motion, some 20 ms later in the softest notes",
        "experiment::instrument_load",
    ),
    of_machine("*-cost", "*", "known: time on this machine", "the machine"),
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
         with the program, and every missed row with it. The laboratory shows targets that are not \
         met; here is why, as far as it is found: *known* was shown by an experiment, *likely* \
         follows from what is known, *open* is not found. In a quantity `*` stands for any letters, \
         `?` for one. The numbers are in the experiments' own output. Rows marked † depend on the \
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
    use crate::bench::{Folder, KeySource};
    use crate::experiment::{agreement, key_design, string_law};

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
    fn every_missed_row_has_a_cause_and_every_cause_a_missed_row() {
        let dir = tempfile::tempdir().unwrap();
        let (mut folder, keys) = (Folder::new(dir.path()), KeySource::default());
        let missed = |report: crate::bench::Report| -> Vec<String> {
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
        let mut old: Vec<&MissedTarget> = MISSED.iter().collect();
        for (experiment, quantities) in &found {
            for quantity in quantities {
                let cause = of(experiment, quantity);
                let cause =
                    cause.unwrap_or_else(|| panic!("no cause for {experiment}: {quantity}"));
                old.retain(|m| !std::ptr::eq(*m, cause));
            }
        }
        let is_tried = |m: &&&MissedTarget| found.iter().any(|(name, _)| *name == m.experiment);
        let old: Vec<_> = old.iter().filter(is_tried).collect();
        assert!(old.is_empty(), "met by now: {old:#?}");
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
            let places = [
                format!("{root}/crates/{package}/src/{file}.rs"),
                format!("{root}/crates/lab/src/{part}.rs"),
                format!("{root}/{part}"),
            ];
            let is_there = places.iter().any(|place| std::fs::exists(place).unwrap());
            assert!(m.owner == "the machine" || is_there, "{m:?}");
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
