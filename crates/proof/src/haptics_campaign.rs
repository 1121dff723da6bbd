//! `haptics-campaign`: the haptic loop under random faults and strokes.

use anyhow::Result;

use touchback_device::history::{self, Choices};
use touchback_haptics::action::Action;
use touchback_lab::experiment::haptics::SEED;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::output::progress;
use touchback_offline::rig::defect_campaign::{self, Met};
use touchback_offline::rig::{fault_injection, random_strokes};

/// Number of injected faults.
const FAULTS: u32 = 10_000;
/// Number of random strokes.
const STROKES: u32 = 1000;
/// Number of random sequences of messages, readings and gaps.
const HISTORIES: u32 = 10_000;

/// Virtual time of a right keyboard on a bad wire, s.
const RIGHT_TIME: f64 = 3600.0;

/// Runs the campaigns in virtual time.
///
/// # Errors
/// A file that cannot be written.
pub fn run(folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let bar = progress(Action::ALL.len() as u64 + 1, "haptics-campaign");
    for action in Action::ALL {
        let done = random_strokes::strokes(action, STROKES, SEED);
        let name = action.name();
        let energy = format!("{name}, {STROKES} strokes: most energy created, mJ");
        report.check(&energy, "0", TargetBand::AtMost(0.5), done.created.0 * 1e3);
        let held = format!("{name}, {STROKES} strokes: held keys that chatter");
        report.check(&held, "0", TargetBand::AtMost(0.0), f64::from(done.chatter));
        report.id(&["chatter", name]);
        let halts = format!("{name}, {STROKES} strokes: losses of force");
        report.check(&halts, "0", TargetBand::AtMost(0.0), f64::from(done.halts));
        report.note(&format!(
            "{name}, seed {SEED}: mean energy created {} mJ a stroke, most in stroke {}; largest motion of a \
             held key without reversal {} µm in stroke {}; keys at most {} µm apart before a stroke; largest \
             force {} N.",
            short(done.mean * 1e3),
            done.created.1,
            short(done.unrest.0 * 1e6),
            done.unrest.1,
            short(done.apart * 1e6),
            short(done.peak)
        ));
        bar.inc(1);
    }
    faults(&mut report, folder)?;
    defects(&mut report, folder)?;
    let broken = (0..HISTORIES)
        .filter(|seed| history::run::<f64>(Choices::Seed(u64::from(*seed))).excess > 0.0);
    let broken = f64::from(u32::try_from(broken.count())?);
    let quantity = format!("{HISTORIES} histories of a keyboard: force that does not end");
    report.check(&quantity, "0", TargetBand::AtMost(0.0), broken);
    bar.finish_and_clear();
    Ok(report)
}

fn faults(report: &mut Report, folder: &mut Folder) -> Result<()> {
    let done = fault_injection::faults(FAULTS, SEED);
    let mut zero = |what: &str, n: f64| {
        report.check(&format!("{FAULTS} faults: {what}"), "0", TargetBand::AtMost(0.0), n);
    };
    zero("forces above the keyboard's limit", done.over_limit as f64);
    zero("forces while none is allowed", done.forbidden as f64);
    zero("keyboards that were not armed again", f64::from(done.stuck));
    zero("keys whose state became non-finite", done.upset as f64);
    report.note(&format!(
        "{} of {FAULTS} faults ended the force, {} of them because the host rejected the keyboard's \
         states; force was on again after a median of {} ms, 99 % within {} ms, all within {} ms. \
         Ticks above the host's own limit of 8 N, the damping of the keyboard included: {}.",
        done.halts,
        done.implausible,
        short(done.quantile(0.5) * 1e3),
        short(done.quantile(0.99) * 1e3),
        short(done.quantile(1.0) * 1e3),
        done.over_host
    ));
    let mut csv = DataTable::new(&["recovery_s"]);
    done.recoveries.iter().for_each(|t| csv.row(&[t]));
    folder.table("haptics-recovery.csv", &csv)
}

fn defects(report: &mut Report, folder: &mut Folder) -> Result<()> {
    let runs = defect_campaign::all();
    let mut csv =
        DataTable::new(&["defect", "lead_us", "met", "found", "peak_n", "time_s", "after_n"]);
    for run in &runs {
        let found = run.symptom.map_or_else(String::new, |symptom| format!("{symptom:?}"));
        let met = format!("{:?}", run.met);
        csv.row(&[&run.name, &run.lead_us, &met, &found, &run.peak, &run.time, &run.after]);
    }
    folder.table("haptics-defects.csv", &csv)?;
    let mut csv = DataTable::new(&["defect", "finger", "peak_n", "live_s", "said"]);
    for run in defect_campaign::misbehaviours() {
        csv.row(&[&run.name, &run.is_played, &run.peak, &run.lasts, &run.said]);
    }
    folder.table("haptics-misbehaviours.csv", &csv)?;
    let missed = runs.iter().filter(|run| run.symptom.is_none()).count();
    let count = runs.len();
    let quantity =
        format!("{count} defects of the first day, during play or of a resting key: not found");
    report.check(&quantity, "0", TargetBand::AtMost(0.0), f64::from(u32::try_from(missed)?));
    let most = |during: bool, of: fn(&defect_campaign::DefectRun) -> f64| {
        let those = runs.iter().filter(|run| (run.met == Met::During) == during);
        those.map(of).fold(0.0, f64::max)
    };
    let quantity = "defects of the first day or of a resting key: largest force of a motor, N";
    report.check(quantity, "at most 1", TargetBand::AtMost(1.0), most(false, |run| run.peak));
    let quantity = "defects during play: largest force until the halt, N";
    report.check(quantity, "at most 4", TargetBand::AtMost(4.0), most(true, |run| run.peak));
    let quantity = "defects during play: longest time to the halt, ms";
    report.check(
        quantity,
        "at most 50",
        TargetBand::AtMost(50.0),
        1e3 * most(true, |run| run.time),
    );
    let right = defect_campaign::right_keyboard(RIGHT_TIME, SEED);
    let quantity = "an hour of a right keyboard with 50 µm steps, 5 % loss, 1 ms jitter: halts";
    report.check(quantity, "0", TargetBand::AtMost(0.0), f64::from(right.halts));
    report.note(&format!(
        "The right keyboard on a bad wire: {} strikes, largest force {} N.",
        right.strikes,
        short(right.peak)
    ));
    Ok(())
}
