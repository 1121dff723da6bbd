//! Exercises for technicians: one key receives a hidden fault, to be measured, corrected and compared.
//!
//! The fault is an entry in the sheet of the keys like any other difference, so that it can be heard, played
//! on a motorized keyboard and measured. The learner's adjustments are added to the same sheet. An exercise
//! has no other state, so undo works on it as on any sheet.

use touchback_action::interface::key_sheet::{COUNT, KeySheet, QUANTITIES};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;

/// A fault that a key can have.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fault {
    /// The fault's name.
    pub name: &'static str,
    /// The player's observation and the bench's.
    pub symptom: &'static str,
    /// The repair.
    pub remedy: &'static str,
    /// Index of the quantity in [`QUANTITIES`].
    pub quantity: usize,
    /// The key's difference, in the quantity's unit, before an exercise scales it.
    pub amount: f64,
}

const fn fault(
    name: &'static str,
    symptom: &'static str,
    remedy: &'static str,
    quantity: usize,
    amount: f64,
) -> Fault {
    Fault { name, symptom, remedy, quantity, amount }
}

/// All faults. Their sizes are a choice: large enough to call a technician, two to five times the spread of
/// a neglected piano.
pub const FAULTS: [Fault; 11] = [
    fault(
        "Late let-off",
        "The hammer blocks or flutters in a soft press; let-off figure small",
        "Let-off button up: more let-off",
        0,
        -0.9,
    ),
    fault(
        "Early let-off",
        "No control in pianissimo, loud notes weak; let-off figure large",
        "Let-off button down: less let-off",
        0,
        1.6,
    ),
    fault("Deep drop", "Slow repetition in soft trills; drop figure large", "Less drop", 1, 1.5),
    fault(
        "Late check",
        "The hammer dances after loud notes and repeats badly; the figures of the bench are in order",
        "Backcheck nearer: less check distance",
        2,
        9.0,
    ),
    fault(
        "Weak repetition spring",
        "Repeated notes miss; on the bench only the down weight differs a little",
        "Stronger repetition spring",
        3,
        -0.4,
    ),
    fault(
        "Lazy key lead",
        "Heavy down and slow up alike: down and up weight both high, friction weight in order",
        "Lead back into the key: less lead removed",
        4,
        8.0,
    ),
    fault(
        "Heavy hammer",
        "Heavy touch, most of all in loud and fast playing; strike weight and inertia high",
        "Less strike weight",
        5,
        0.95,
    ),
    fault(
        "Hard hammer",
        "A bright, glassy tone; nothing on the bench",
        "Needle the felt: less hardness",
        6,
        0.9,
    ),
    fault(
        "Sluggish centres",
        "The key goes down heavily and comes up slowly: friction weight high, up weight low",
        "Ease the centres: less friction",
        7,
        0.6,
    ),
    fault("Wild unison", "The tone beats; nothing on the bench", "Less unison width", 8, 9.0),
    fault(
        "Late damper",
        "The note is choked in a slow press, the damper lifts late; nothing else on the bench",
        "Damper earlier: a smaller pick-up",
        9,
        0.3,
    ),
];

/// The result of an attempt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The fault is corrected, and nothing else was changed.
    Corrected,
    /// More than a quarter of the fault remains.
    StillThere,
    /// The fault is corrected, but another quantity was changed; its index in [`QUANTITIES`].
    ButMoved(usize),
}

/// One exercise.
#[derive(Clone, PartialEq, Debug)]
pub struct Lesson {
    /// The key.
    pub key: KeyNumber,
    /// The exercise's number, which determines the fault.
    pub number: u64,
    fault: Fault,
    amount: f64,
    before: KeySheet,
}

impl Lesson {
    /// Exercise `number` on `key` of a piano with the sheet `before`.
    #[must_use]
    pub fn new(number: u64, key: KeyNumber, before: &KeySheet) -> Self {
        let mut random = Random::new(number);
        let count = FAULTS.len() as u64;
        let index = usize::try_from(random.below(count)).unwrap_or(0);
        let fault = FAULTS[index];
        let amount = fault.amount * (0.85 + 0.3 * random.share());
        Self { key, number, fault, amount, before: before.clone() }
    }

    /// The fault, for its disclosure.
    #[must_use]
    pub const fn fault(&self) -> &Fault {
        &self.fault
    }

    /// The sheet before the exercise.
    #[must_use]
    pub const fn before(&self) -> &KeySheet {
        &self.before
    }

    /// The key's difference before the exercise plus the fault.
    fn start(&self, quantity: usize) -> f64 {
        let hidden = if quantity == self.fault.quantity { self.amount } else { 0.0 };
        self.before.action.get(self.key, quantity) + hidden
    }

    /// The sheet with the fault.
    #[must_use]
    pub fn faulty(&self) -> KeySheet {
        let mut sheet = self.before.clone();
        sheet.action.set(self.key, self.fault.quantity, self.start(self.fault.quantity));
        sheet
    }

    /// The learner's change of a quantity in `sheet`.
    #[must_use]
    pub fn turned(&self, sheet: &KeySheet, quantity: usize) -> f64 {
        sheet.action.get(self.key, quantity) - self.faulty().action.get(self.key, quantity)
    }

    /// `sheet` with a quantity changed by `value` from the beginning of the exercise.
    #[must_use]
    pub fn turn(&self, sheet: &KeySheet, quantity: usize, value: f64) -> KeySheet {
        let mut turned = sheet.clone();
        turned.action.set(self.key, quantity, self.faulty().action.get(self.key, quantity) + value);
        turned
    }

    /// Largest change of a quantity in either direction, which corrects the largest fault.
    #[must_use]
    pub fn range(quantity: usize) -> f64 {
        110.0 * QUANTITIES[quantity].step
    }

    /// The result for `sheet`.
    #[must_use]
    pub fn verdict(&self, sheet: &KeySheet) -> Verdict {
        let off = |q: usize| sheet.action.get(self.key, q) - self.before.action.get(self.key, q);
        if off(self.fault.quantity).abs() > 0.25 * self.amount.abs() {
            return Verdict::StillThere;
        }
        // A change too small to be measured does not count.
        let moved =
            |q: &usize| *q != self.fault.quantity && off(*q).abs() > 0.5 * QUANTITIES[*q].spread;
        (0..COUNT).find(moved).map_or(Verdict::Corrected, Verdict::ButMoved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::ActionSettings;
    use touchback_action::grand::design::concert::Design;
    use touchback_action::grand::key::weigh::Weighed;

    fn middle() -> KeyNumber {
        KeyNumber::from_midi(60).unwrap()
    }

    /// An exercise for each fault.
    fn lessons() -> impl Iterator<Item = Lesson> {
        let even = KeySheet::EVEN;
        FAULTS.iter().map(move |fault| {
            let mut all = (0..1000).map(|number| Lesson::new(number, middle(), &even));
            all.find(|lesson| lesson.fault() == fault).unwrap()
        })
    }

    #[test]
    fn every_fault_occurs_and_its_own_screw_corrects_it() {
        for lesson in lessons() {
            let (faulty, q) = (lesson.faulty(), lesson.fault().quantity);
            assert_eq!(lesson.verdict(&faulty), Verdict::StillThere, "{:?}", lesson.fault());
            assert_eq!(lesson.turned(&faulty, q), 0.0);
            let settings =
                ActionSettings { keys: faulty.action.clone(), ..ActionSettings::default() };
            let (sick, well) = (settings.of(middle()), ActionSettings::default().of(middle()));
            let is_unison = QUANTITIES[q].id == "unison_width_cents";
            assert!(sick != well || is_unison, "{:?} is lost in a range", lesson.fault());
            let by = -lesson.amount;
            assert!(by.abs() <= Lesson::range(q), "{:?}", lesson.fault());
            let corrected = lesson.turn(&faulty, q, by);
            assert_eq!(lesson.verdict(&corrected), Verdict::Corrected, "{:?}", lesson.fault());
            let other = (q + 1) % COUNT;
            let disturbed = lesson.turn(&corrected, other, 2.0 * QUANTITIES[other].spread);
            assert_eq!(lesson.verdict(&disturbed), Verdict::ButMoved(other));
        }
    }

    #[test]
    fn the_bench_finds_what_the_table_says() {
        let well = Weighed::of(middle(), &ActionSettings::default());
        let find = |name: &str| {
            let lesson = lessons().find(|lesson| lesson.fault().name == name).unwrap();
            let settings =
                ActionSettings { keys: lesson.faulty().action, ..ActionSettings::default() };
            Weighed::built(Design::new(middle()).build(&settings))
        };
        assert!(find("Late let-off").let_off_mm < well.let_off_mm - 0.5);
        assert!(find("Early let-off").let_off_mm > well.let_off_mm + 1.0);
        assert!(find("Deep drop").drop_mm > well.drop_mm + 1.0);
        let lead = find("Lazy key lead");
        assert!(lead.down_weight_g > well.down_weight_g + 3.0);
        assert!(lead.up_weight_g > well.up_weight_g + 3.0);
        assert!((lead.friction_weight_g() - well.friction_weight_g()).abs() < 1.0);
        let heavy = find("Heavy hammer");
        assert!(heavy.strike_weight_g > well.strike_weight_g + 0.7);
        assert!(heavy.inertia_g > well.inertia_g + 10.0);
        let slow = find("Sluggish centres");
        assert!(slow.friction_weight_g() > well.friction_weight_g() + 3.0);
        assert!(slow.up_weight_g < well.up_weight_g - 3.0);
    }
}
