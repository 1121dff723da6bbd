//! Exercises for a technician: a hidden fault is put into one key, to be measured, mended and compared.
//!
//! The fault lies in the sheet of the keys like any other difference, so that it is heard, felt and
//! weighed; what the learner turns is added to it. Nothing else is kept: undone turns are undone here.

use touchback_action::interface::key_sheet::{COUNT, KeySheet, QUANTITIES};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::random::Random;

/// What can be wrong with a key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fault {
    /// What it is called.
    pub name: &'static str,
    /// What the player notices, and what the bench finds.
    pub symptom: &'static str,
    /// What mends it.
    pub remedy: &'static str,
    /// Place of the quantity in [`QUANTITIES`].
    pub quantity: usize,
    /// What the key differs by, in its unit, before an exercise scales it.
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

/// All of them. Sizes are chosen: what a technician is called for, two to five of the spreads of a
/// neglected piano.
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
        "The hammer dances after loud notes and repeats badly; the figures stand",
        "Backcheck nearer: less check distance",
        2,
        9.0,
    ),
    fault(
        "Weak repetition spring",
        "Repeated notes miss; the figures stand but for a little down weight",
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

/// How an attempt stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// What was wrong is right, and nothing else was moved.
    Mended,
    /// What was wrong still is, by more than a quarter of it.
    StillThere,
    /// What was wrong is right, but something else was moved; its place in [`QUANTITIES`].
    ButMoved(usize),
}

/// One exercise.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lesson {
    /// Which key.
    pub key: KeyNumber,
    /// Its number: the same one hides the same fault.
    pub number: u64,
    fault: Fault,
    amount: f64,
    before: KeySheet,
}

impl Lesson {
    /// Exercise `number` on `key` of a piano whose keys differ by `before`.
    #[must_use]
    pub fn new(number: u64, key: KeyNumber, before: &KeySheet) -> Self {
        let mut random = Random::new(number);
        let count = FAULTS.len() as u64;
        let place = usize::try_from(random.below(count)).unwrap_or(0);
        let fault = FAULTS[place];
        let amount = fault.amount * (0.85 + 0.3 * random.share());
        Self { key, number, fault, amount, before: *before }
    }

    /// What is wrong: for when it is told.
    #[must_use]
    pub const fn fault(&self) -> &Fault {
        &self.fault
    }

    /// The sheet as it was before.
    #[must_use]
    pub const fn before(&self) -> &KeySheet {
        &self.before
    }

    /// What the key differed by before and by the fault.
    fn start(&self, quantity: usize) -> f64 {
        let hidden = if quantity == self.fault.quantity { self.amount } else { 0.0 };
        self.before.get(self.key, quantity) + hidden
    }

    /// The sheet with the fault in it.
    #[must_use]
    pub fn faulty(&self) -> KeySheet {
        let mut sheet = self.before;
        sheet.set(self.key, self.fault.quantity, self.start(self.fault.quantity));
        sheet
    }

    /// What the learner has turned a quantity by, of a piano whose keys differ by `sheet`.
    #[must_use]
    pub fn turned(&self, sheet: &KeySheet, quantity: usize) -> f64 {
        sheet.get(self.key, quantity) - self.faulty().get(self.key, quantity)
    }

    /// `sheet` with a quantity turned by `value` from where the exercise began.
    #[must_use]
    pub fn turn(&self, sheet: &KeySheet, quantity: usize, value: f64) -> KeySheet {
        let mut turned = *sheet;
        turned.set(self.key, quantity, self.faulty().get(self.key, quantity) + value);
        turned
    }

    /// How far a quantity can be turned either way: what takes back the largest fault.
    #[must_use]
    pub fn range(quantity: usize) -> f64 {
        110.0 * QUANTITIES[quantity].step
    }

    /// Whether the key is in order in `sheet`.
    #[must_use]
    pub fn verdict(&self, sheet: &KeySheet) -> Verdict {
        let off = |q: usize| sheet.get(self.key, q) - self.before.get(self.key, q);
        if off(self.fault.quantity).abs() > 0.25 * self.amount.abs() {
            return Verdict::StillThere;
        }
        // What no measurement finds may stay as it was turned.
        let moved =
            |q: &usize| *q != self.fault.quantity && off(*q).abs() > 0.5 * QUANTITIES[*q].spread;
        (0..COUNT).find(moved).map_or(Verdict::Mended, Verdict::ButMoved)
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
    fn every_fault_occurs_is_in_the_key_and_can_be_mended_by_its_own_screw() {
        for lesson in lessons() {
            let (faulty, q) = (lesson.faulty(), lesson.fault().quantity);
            assert_eq!(lesson.verdict(&faulty), Verdict::StillThere, "{:?}", lesson.fault());
            assert_eq!(lesson.turned(&faulty, q), 0.0);
            let settings = ActionSettings { keys: faulty, ..ActionSettings::default() };
            let (sick, well) = (settings.of(middle()), ActionSettings::default().of(middle()));
            let is_unison = QUANTITIES[q].id == "unison_width_cents";
            assert!(sick != well || is_unison, "{:?} is lost in a range", lesson.fault());
            let by = -lesson.amount;
            assert!(by.abs() <= Lesson::range(q), "{:?}", lesson.fault());
            let mended = lesson.turn(&faulty, q, by);
            assert_eq!(lesson.verdict(&mended), Verdict::Mended, "{:?}", lesson.fault());
            let other = (q + 1) % COUNT;
            let spoilt = lesson.turn(&mended, other, 2.0 * QUANTITIES[other].spread);
            assert_eq!(lesson.verdict(&spoilt), Verdict::ButMoved(other));
        }
    }

    #[test]
    fn the_bench_finds_what_the_table_says() {
        let well = Weighed::of(middle(), &ActionSettings::default());
        let find = |name: &str| {
            let lesson = lessons().find(|lesson| lesson.fault().name == name).unwrap();
            let settings = ActionSettings { keys: lesson.faulty(), ..ActionSettings::default() };
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
