//! `sound-torture`: ten minutes of random events at every sample rate and with random block sizes.

use anyhow::Result;

use touchback_core::exchange::cancel;
use touchback_core::math::cast::floor_index;
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_core::math::power::square;
use touchback_core::math::random::Random;
use touchback_core::math::setting::Value as _;
use touchback_core::mech::hammer::HammerSettings;
use touchback_offline::bench::{Folder, Report, TargetBand};
use touchback_offline::memory::resident;
use touchback_offline::output::progress;
use touchback_sound::measure::db;
use touchback_sound::tuning::temperament::Temperament;
use touchback_sound::{Knock, Sound, SoundSettings};

/// Sample rates, Hz, and seconds at each.
const RATES: [f64; 5] = [44_100.0, 48_000.0, 88_200.0, 96_000.0, 192_000.0];
const SECONDS: f64 = 120.0;

/// Period, s, after which strikes pause for [`PAUSE`] s, to check that no sound grows by itself.
const ROUND: f64 = 10.0;
const PAUSE: f64 = 3.5;

/// Longest block, samples.
const LONGEST: usize = 4096;

/// All knocks.
const KNOCKS: [Knock; 8] = [
    Knock::KeyBed,
    Knock::KeyRest,
    Knock::Check,
    Knock::Damper,
    Knock::Jack,
    Knock::Tray,
    Knock::Sway,
    Knock::Ring,
];

/// The result at one sample rate.
#[derive(Default)]
struct TortureResult {
    bad: u64,
    loudest: f32,
    /// Largest growth from one second to the next without a strike, dB.
    growth: f64,
    /// Largest sample in the last second before silence.
    last: f32,
    /// Time to silence at the end, s.
    silence: f64,
    /// Growth of the process's memory from the first round to the end, MB.
    memory: Option<f64>,
}

/// Random numbers and keys.
struct Dice(Random);

impl Dice {
    fn pick(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (0.5 + 0.5 * self.0.signed())
    }

    fn key(&mut self) -> Option<KeyNumber> {
        KeyNumber::from_index(floor_index(self.pick(0.0, KEYS as f64)))
    }

    fn voicing(&mut self) -> SoundSettings {
        SoundSettings {
            a4_hz: self.pick(400.0, 470.0),
            stretch: self.pick(0.0, 2.0),
            temperament: Temperament::from_number(self.pick(0.0, 8.0)),
            string_length: self.pick(0.6, 1.2),
            unison_width_cents: self.pick(0.0, 30.0),
            sustain: self.pick(0.25, 4.0),
            brightness_loss: self.pick(0.25, 4.0),
            damper_time: self.pick(0.25, 4.0),
            board: self.pick(0.0, 2.0),
            knocks: self.pick(0.0, 4.0),
            width: self.pick(0.0, 2.0),
            lid: self.pick(0.0, 1.0),
            distance: self.pick(0.5, 10.0),
            room_db: self.pick(-60.0, 0.0),
            room_size: self.pick(3.0, 40.0),
            room_time: self.pick(0.1, 2.0),
            ..SoundSettings::default()
        }
    }

    fn hammers(&mut self) -> HammerSettings {
        HammerSettings {
            mass: self.pick(0.5, 2.0),
            added: self.pick(-2.5e-3, 2.5e-3),
            hardness: self.pick(-2.0, 2.0),
            strike_point: self.pick(0.5, 1.7),
        }
    }
}

/// Renders one block of random length; its number of samples, and the sum of their squares.
fn block(sound: &mut Sound, dice: &mut Dice, found: &mut TortureResult) -> (usize, f64) {
    let len = floor_index(libm::pow(2.0, dice.pick(0.0, 12.0))).clamp(1, LONGEST);
    let (mut left, mut right) = ([0.0f32; LONGEST], [0.0f32; LONGEST]);
    cancel::check();
    sound.process(&mut left[..len], &mut right[..len]);
    let mut energy = 0.0;
    for x in left[..len].iter().chain(&right[..len]) {
        found.bad += u64::from(!(x.is_finite() && x.abs() <= 1.0));
        found.loudest = found.loudest.max(x.abs());
        energy += square(f64::from(*x));
    }
    (len, energy)
}

fn torture(rate: f64, found: &mut TortureResult) {
    let mut dice = Dice(Random::new(floor_index(rate) as u64));
    let mut sound = Sound::new(rate, &SoundSettings::default());
    let mut at = 0.0;
    let mut size = None;
    while at < SECONDS {
        let start = at;
        if at > ROUND && size.is_none() {
            size = resident();
        }
        while at - start < ROUND - PAUSE {
            for _ in 0..3 {
                let Some(key) = dice.key() else { continue };
                let lift = dice.pick(-0.2, 1.2);
                sound.damper(key, lift);
                sound.strike(key, libm::pow(10.0, dice.pick(-1.5, 1.0)), dice.pick(0.0, 1.0));
                let knock = KNOCKS[floor_index(dice.pick(0.0, KNOCKS.len() as f64))];
                sound.knock(key, knock, dice.pick(0.0, 1.0));
                if dice.pick(0.0, 1.0) < 0.1 {
                    sound.retune(key, dice.pick(-1200.0, 1200.0));
                }
            }
            if dice.pick(0.0, 1.0) < 0.2 {
                let lift = dice.pick(0.0, 1.0);
                KeyNumber::all().for_each(|key| sound.damper(key, lift));
                sound.una_corda(dice.pick(0.0, 1.0));
            }
            if dice.pick(0.0, 1.0) < 0.02 {
                sound.set(&dice.voicing());
                sound.set_hammers(&dice.hammers());
            }
            at += block(&mut sound, &mut dice, found).0 as f64 / rate;
        }
        // All strings are undamped and there are no events: the sound may only decay.
        sound.set(&SoundSettings::default());
        sound.set_hammers(&HammerSettings::CONCERT);
        KeyNumber::all().for_each(|key| sound.damper(key, 1.0));
        let mut before: Option<f64> = None;
        let pause = at;
        while at - pause < PAUSE {
            let (mut len, mut energy) = (0.0, 0.0);
            while len < 1.0 {
                let (n, e) = block(&mut sound, &mut dice, found);
                len += n as f64 / rate;
                energy += e;
            }
            at += len;
            let power = energy / len;
            // In the first second the parameters still move to their defaults.
            if at - pause > 1.2 {
                if let Some(before) = before {
                    found.growth = found.growth.max(10.0 * libm::log10(power / before));
                }
                before = Some(power);
            }
        }
    }
    KeyNumber::all().for_each(|key| sound.damper(key, 0.0));
    let mut seconds = 0.0;
    let mut second = TortureResult::default();
    while !sound.is_silent() && seconds < 60.0 {
        second = TortureResult::default();
        let mut len = 0.0;
        while len < 0.05 && !sound.is_silent() {
            len += block(&mut sound, &mut dice, &mut second).0 as f64 / rate;
        }
        seconds += len;
    }
    found.last = found.last.max(second.loudest);
    found.silence = found.silence.max(seconds);
    found.memory = size.zip(resident()).map(|(before, after)| (after - before) / 1_048_576.0);
}

/// Runs the test at every sample rate.
pub fn run(_folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let bar = progress(RATES.len() as u64, "torturing");
    for rate in RATES {
        let mut found = TortureResult { growth: f64::NEG_INFINITY, ..TortureResult::default() };
        torture(rate, &mut found);
        let name = format!("{} kHz", rate / 1000.0);
        let quantity = format!("{name}: samples not finite or beyond full scale");
        report.check(&quantity, "0", TargetBand::AtMost(0.0), found.bad as f64);
        let quantity = format!("{name}: growth without strikes, dB from one second to the next");
        report.check(&quantity, "below 0", TargetBand::AtMost(0.0), found.growth);
        let quantity = format!("{name}: last sound before silence, dBFS");
        report.check(&quantity, "-90", TargetBand::AtMost(-80.0), db(f64::from(found.last)));
        let quantity = format!("{name}: time to silence after all dampers fell, s");
        report.check(&quantity, "10", TargetBand::AtMost(30.0), found.silence);
        if let Some(growth) = found.memory {
            let quantity = format!("{name}: growth of the process's memory, MB");
            report.check(&quantity, "0", TargetBand::AtMost(0.5), growth);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(report)
}
