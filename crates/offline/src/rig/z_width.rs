//! The stiffest contact that can be rendered: the key bed of every action (for the wall, the wall), rendered
//! through the junction for a keyboard without a bed, is stiffened until a held key chatters.
//!
//! The finger of the source documents (20 g, 3.75 N·s/m, 257 N/m) is glued to the key. A key chatters if it
//! moves more than 50 µm peak to peak between 0.5 s and 1 s after the hand has come to rest, at any
//! frequency.

use super::KEY;
use super::acceptance::{GLUED, armed, line};
use touchback_action::ActionSettings;
use touchback_device::device::limit::MotorLimits;
use touchback_haptics::action::Action;
use touchback_haptics::keyboard::emulator::KeyboardDesign;
use touchback_haptics::keyboard::plant::{KeyPlant, Stop};
use touchback_haptics::keyboard::script::{FingerAction, Script, ScriptedAction};
use touchback_haptics::servo::ServoOptions;
use touchback_haptics::session::ConnectionState;

/// Largest peak-to-peak motion without chatter, m.
pub(super) const CHATTER: f64 = 50e-6;
/// Force of the hand, N; the tangent stiffness is taken from this force to 1 N more.
const PRESS: f64 = 6.0;

/// The stiffest contact without chatter.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct HardestContact {
    /// Factor on the standard stiffness; 0 if even the standard chatters.
    pub scale: f64,
    /// Rendered stiffness, N/m: tangent between 6 and 7 N.
    pub felt: f64,
    /// Peak-to-peak motion of the held key, m.
    pub unrest: f64,
    /// Whether twice this stiffness chatters; otherwise the search ended without a limit.
    pub is_limit: bool,
}

/// Searches the stiffest contact of `action` by doubling, up to 64 times the standard; actions whose
/// contacts cannot be stiffened are tried as they are.
#[must_use]
pub fn stiffest(action: Action) -> HardestContact {
    let mut best = HardestContact::default();
    let mut scale = 1.0;
    while scale <= 64.0 {
        match held(action, scale) {
            Some(tried) if tried.unrest <= CHATTER => best = HardestContact { scale, ..tried },
            Some(tried) => {
                best.is_limit = true;
                if best.scale == 0.0 {
                    best.unrest = tried.unrest;
                }
                return best;
            }
            None => return best,
        }
        scale *= 2.0;
    }
    best
}

/// Holds the key on one contact; `None` if force is lost or the contact cannot be that stiff.
fn held(action: Action, scale: f64) -> Option<HardestContact> {
    // The other actions have no such setting.
    if scale > 1.0 && !matches!(action, Action::GRAND | Action::Bench | Action::Wall) {
        return None;
    }
    let settings = ActionSettings { key_bed_stiffness: scale, ..ActionSettings::default() };
    let options = ServoOptions { action, settings, ..ServoOptions::default() };
    let [felt, unrest] = hold(&KEY, true, [PRESS, 0.8], options)?;
    Some(HardestContact { scale, felt, unrest, is_limit: false })
}

/// Holds a key of a keyboard without a bed on the contacts of the action by a hand of `press` N, then 1 N more, and waits for
/// `settling` s each. Returns the felt stiffness, N/m, and the
/// peak-to-peak motion, m; `None` if force is lost.
pub(super) fn hold(
    plant: &KeyPlant,
    has_junction: bool,
    [press, settling]: [f64; 2],
    options: ServoOptions,
) -> Option<[f64; 2]> {
    let limits = MotorLimits { force: 20.0, slew: 40_000.0, held: 20.0, time: 2.0 };
    let plant = KeyPlant { bed: Stop::default(), ..*plant };
    let design = KeyboardDesign {
        plant,
        finger: GLUED,
        force: 100.0,
        renders_bed: false,
        has_junction,
        ..KeyboardDesign::default()
    };
    let mut pair = armed(&design, ServoOptions { limits, ..options }, line())?;
    let begin = pair.time();
    let hand =
        |force: f64| FingerAction::Reach { depth: 10e-3 + force / GLUED.stiffness, within: 0.3 };
    pair.emulator.play(Script::new(vec![
        ScriptedAction { time: begin, key: 0, action: hand(press) },
        ScriptedAction { time: begin + settling + 0.5, key: 0, action: hand(press + 1.0) },
    ]));
    let mut seen = [[0.0; 2]; 2];
    let mut unrest = 0.0f64;
    for mean in &mut seen {
        pair.run(settling, &mut (), |_| ());
        let (mut low, mut high, mut count) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        pair.run(0.5, &mut (), |p| {
            let x = p.emulator.key(0).map_or(0.0, |k| k.x);
            (low, high, count) = (low.min(x), high.max(x), count + 1.0);
            mean[0] += x;
            mean[1] += p.emulator.force(0);
        });
        mean.iter_mut().for_each(|m| *m /= count);
        unrest = unrest.max(high - low);
    }
    let felt = (seen[1][1] - seen[0][1]) / (seen[1][0] - seen[0][0]);
    (pair.servo.status().state == ConnectionState::Live).then_some([felt, unrest])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line has the stiffness Z/τ; a contact rendered through it cannot be stiffer.
    #[test]
    fn no_rendered_contact_is_stiffer_than_the_line() {
        let options = ServoOptions::default();
        let line = options.impedance() / options.line_delay();
        let wall = held(Action::Wall, 1.0).unwrap();
        let series = 1.0 / (1.0 / line + 1.0 / 20_000.0);
        assert!((wall.felt / series - 1.0).abs() < 0.1, "{wall:?}, {series} N/m expected");
        assert!(wall.unrest < CHATTER, "{wall:?}");
    }
}
