//! Two designs of a motorized key: a capstan behind the balance pin, and a voice coil in front of it.
//!
//! All values are referred to the key front: with the lever ratio n, a drive contributes n times its force
//! and n² times its mass.

use std::f64::consts::PI;

use anyhow::Result;
use plotters::style::RGBColor;

use super::RequiredForce;
use touchback_action::interface::key::DynamicsCompensation;
use touchback_core::math::power::square;
use touchback_core::math::vec2::Vec2;
use touchback_offline::bench::{DataTable, Folder, Report, TargetBand, short};
use touchback_offline::plot::sketch::{Ink, Sketch};
use touchback_offline::plot::{INK, palette};

/// Balance pin to key front, m: the length of a grand's shorter keys.
const LEVER: f64 = 0.22;
/// Height and width of the wooden lever, m; its density, kg/m³: spruce [Wood Handbook].
const STICK: [f64; 2] = [0.018, 0.009];
const SPRUCE: f64 = 430.0;
/// Length behind the balance pin, m.
const TAIL: f64 = 0.10;
/// Key top and front of plastic, kg (chosen).
const TOP: f64 = 4e-3;
/// Dip, m.
const DIP: f64 = 10e-3;
/// Largest sensor step at the front, m: a coarser step gets less impedance (docs/haptics.md).
const STEP: f64 = 4e-6;

/// A rotary motor of the ironless kind of 35 mm and 90 W; the numbers are typical of the class
/// (chosen; take those of your motor's data sheet).
mod motor {
    /// Continuous torque, N·m; peak torque for tenths of a second, N·m.
    pub const HELD: f64 = 0.1;
    pub const PEAK: f64 = 0.4;
    /// Rotor inertia, kg·m².
    pub const INERTIA: f64 = 6.7e-6;
    /// Encoder counts per turn: 16 bits.
    pub const COUNTS: f64 = 65536.0;
    /// Diameter and length of the motor, m.
    pub const DIAMETER: f64 = 35e-3;
}

/// Radius of the drum on the motor, and of the sector on the key's tail, m.
const DRUM: f64 = 8.25e-3;
const SECTOR: f64 = 0.1;
/// Mass of the aluminium sector, kg, referred to its rim (chosen).
const SECTOR_MASS: f64 = 6e-3;

/// A flat coil of aluminium wire between magnets, on the key itself.
mod coil {
    /// Distance from the balance pin, m.
    pub const POSITION: f64 = 0.15;
    /// Field in the gap, T: neodymium plates of 3 mm on either side of 4 mm (chosen).
    pub const FIELD: f64 = 0.6;
    /// Wire in the field, wire of the end turns, former, kg (chosen).
    pub const ACTIVE: f64 = 11e-3;
    pub const ENDS: f64 = 7e-3;
    pub const FORMER: f64 = 5e-3;
    /// Aluminium: resistivity, Ω·m; density, kg/m³; heat, J/(kg·K) [CRC Handbook].
    pub const RESISTIVITY: f64 = 2.65e-8;
    pub const DENSITY: f64 = 2700.0;
    pub const HEAT: f64 = 897.0;
    /// Thermal resistance from coil to air, K/W, and allowed temperature rise, K (chosen).
    pub const THERMAL: f64 = 12.0;
    pub const RISE: f64 = 60.0;
    /// Peak power in the coil for tenths of a second, limited by the amplifier, W (chosen).
    pub const PULSE: f64 = 60.0;
}

/// A drive referred to the key front.
#[derive(Clone, Copy, Debug)]
struct AtFront {
    /// Moving mass, lever included, kg.
    mass: f64,
    /// Continuous force, and peak force for tenths of a second, N.
    held: f64,
    peak: f64,
}

/// Mass of the lever referred to its front, kg: a rod about the balance pin, and the key top.
fn lever_mass() -> f64 {
    let per_metre = SPRUCE * STICK[0] * STICK[1];
    per_metre * (LEVER * LEVER * LEVER + TAIL * TAIL * TAIL) / (3.0 * LEVER * LEVER) + TOP
}

/// F = τ/r and m = J/r², with the radius at which the drum acts at the front.
fn capstan(radius: f64) -> AtFront {
    let sector = SECTOR_MASS * square(SECTOR / LEVER);
    AtFront {
        mass: lever_mass() + sector + motor::INERTIA / (radius * radius),
        held: motor::HELD / radius,
        peak: motor::PEAK / radius,
    }
}

/// F² = P · B² m²/((m + m_ends) ρ d): the force per watt depends on the mass of wire alone.
fn voice_coil() -> AtFront {
    let ratio = coil::POSITION / LEVER;
    let wire = coil::ACTIVE + coil::ENDS;
    let per_watt = coil::FIELD * coil::ACTIVE / (wire * coil::RESISTIVITY * coil::DENSITY).sqrt();
    let force = |watts: f64| ratio * per_watt * watts.sqrt();
    AtFront {
        mass: lever_mass() + (wire + coil::FORMER) * ratio * ratio,
        held: force(coil::RISE / coil::THERMAL),
        peak: force(coil::PULSE),
    }
}

/// Computes both designs: the capstan for a forte, the coil for a fortissimo, both within the mass
/// of `limits`.
pub fn run(
    folder: &mut Folder,
    report: &mut Report,
    limits: &DynamicsCompensation,
    [forte, fortissimo]: [RequiredForce; 2],
) -> Result<()> {
    let radius = DRUM * LEVER / SECTOR;
    let designs = [
        ("capstan", capstan(radius), "forte", forte),
        ("voice coil", voice_coil(), "fortissimo", fortissimo),
    ];
    for (name, front, touch, required) in designs {
        let target = format!("≤ {}", short(limits.mass * 1e3));
        let quantity = format!("{name}: moving mass at the front, g");
        report.check(&quantity, &target, TargetBand::AtMost(limits.mass * 1e3), front.mass * 1e3);
        for (what, least, available) in [
            (&*format!("force held after a {touch}"), required.held, front.held),
            ("force of repetition, rms", required.rms, front.held),
            (&*format!("force of a {touch}"), required.peak, front.peak),
        ] {
            let target = format!("≥ {}", short(least));
            let quantity = format!("{name}: {what}, N");
            report.check(&quantity, &target, TargetBand::AtLeast(least), available);
        }
    }
    let step = radius * 2.0 * PI / motor::COUNTS;
    report.check(
        "capstan: step of the sensor at the front, µm",
        &format!("≤ {}", short(STEP * 1e6)),
        TargetBand::AtMost(STEP * 1e6),
        step * 1e6,
    );
    let warm = coil::PULSE * 0.02 / ((coil::ACTIVE + coil::ENDS) * coil::HEAT);
    report.note(&format!(
        "Lever {} g at the front; effective radius of the capstan there {} mm; a blow of 20 ms warms \
         the coil by {} K.",
        short(lever_mass() * 1e3),
        short(radius * 1e3),
        short(warm)
    ));
    rule(folder)?;
    folder.sketch("key-capstan", &capstan_drawing())?;
    report.figure("key-capstan.svg");
    folder.sketch("key-voice-coil", &coil_drawing())?;
    report.figure("key-voice-coil.svg");
    Ok(())
}

/// Writes force and mass over the radius for the ironless motor and for a gimbal motor.
fn rule(folder: &mut Folder) -> Result<()> {
    // A gimbal motor of 50 mm (chosen, typical of the class).
    let (gimbal_held, gimbal_inertia) = (0.15, 5e-5);
    let mut csv = DataTable::new(&[
        "radius_m",
        "ironless_held_n",
        "ironless_peak_n",
        "ironless_mass_kg",
        "gimbal_held_n",
        "gimbal_mass_kg",
    ]);
    for mm in [5u32, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50] {
        let r = f64::from(mm) * 1e-3;
        let [held, peak, gimbal] = [motor::HELD, motor::PEAK, gimbal_held].map(|t| t / r);
        let [mass, heavy] = [motor::INERTIA, gimbal_inertia].map(|j| j / (r * r));
        csv.numbers(&r, &[held, peak, mass, gimbal, heavy]);
    }
    folder.table("key-capstan.csv", &csv)
}

const WOOD: RGBColor = RGBColor(160, 120, 70);
const FAINT: RGBColor = RGBColor(222, 210, 194);

/// Height of the key frame's top relative to the key's axis, m.
const FRAME: f64 = -0.048;

fn pen(colour: RGBColor, width: u32) -> Ink {
    Ink { colour, width }
}

/// A closed rectangle from `low` to `high`, m.
fn frame(sketch: &mut Sketch, low: Vec2, high: Vec2, ink: Ink) {
    let corners = [low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y), low];
    sketch.line(&corners, ink);
}

/// Draws the lever turned by `turn` rad about the balance pin, front downwards.
fn lever(sketch: &mut Sketch, turn: f64, ink: Ink) {
    let half = 0.5 * STICK[0];
    let corners = [
        Vec2::new(-LEVER, -half),
        Vec2::new(TAIL, -half),
        Vec2::new(TAIL, half),
        Vec2::new(-LEVER + 50e-3, half),
        Vec2::new(-LEVER + 50e-3, half + 2.5e-3),
        Vec2::new(-LEVER - 2e-3, half + 2.5e-3),
        Vec2::new(-LEVER - 2e-3, half),
        Vec2::new(-LEVER, half),
        Vec2::new(-LEVER, -half),
    ];
    sketch.line(&corners.map(|p| p.turned(Vec2::unit(turn))), ink);
}

/// The key with its pin and felt at rest and pressed; the front is on the left, the balance pin is the
/// origin.
fn key(title: &str) -> Sketch {
    let mut sketch = Sketch::new(title);
    let half = 0.5 * STICK[0];
    lever(&mut sketch, DIP / LEVER, pen(FAINT, 2));
    lever(&mut sketch, 0.0, pen(WOOD, 3));
    sketch.line(&[Vec2::new(0.0, FRAME), Vec2::new(0.0, half + 8e-3)], pen(INK, 3));
    sketch.label(Vec2::new(0.0, half + 8e-3), "balance pin", INK);
    let felt = Vec2::new(-LEVER + 12e-3, -half - DIP);
    let (low, high) = (Vec2::new(felt.x - 8e-3, FRAME), Vec2::new(felt.x + 8e-3, felt.y));
    frame(&mut sketch, low, high, pen(palette(2), 3));
    sketch.label(Vec2::new(-LEVER - 25e-3, felt.y + 1e-3), "front felt,", INK);
    sketch.label(Vec2::new(-LEVER - 25e-3, felt.y - 6e-3), "dip 10 mm", INK);
    sketch.line(&[Vec2::new(-LEVER - 30e-3, FRAME), Vec2::new(TAIL + 95e-3, FRAME)], pen(INK, 5));
    sketch.label(Vec2::new(40e-3, FRAME + 1e-3), "key frame", INK);
    // Lengths.
    let y = half + 30e-3;
    for (from, to, text) in [
        (-LEVER, 0.0, format!("{} mm", short(LEVER * 1e3))),
        (0.0, TAIL, format!("{} mm", short(TAIL * 1e3))),
    ] {
        sketch.line(&[Vec2::new(from, y), Vec2::new(to, y)], pen(INK, 1));
        for x in [from, to] {
            sketch.line(&[Vec2::new(x, y - 2e-3), Vec2::new(x, y + 2e-3)], pen(INK, 1));
        }
        sketch.label(Vec2::new(0.5 * (from + to) - 10e-3, y), &text, INK);
    }
    sketch
}

fn capstan_drawing() -> Sketch {
    let mut sketch = key("A key with a capstan, to scale, at rest and (faint) pressed");
    // The key turns by 2.6°: an arc about the balance pin of that length, with ends for the cable.
    let end = 1.5 * DIP / LEVER + 0.06;
    let arc: Vec<Vec2> =
        (0..=12).map(|i| Vec2::unit(end * (f64::from(i) / 6.0 - 1.0)) * SECTOR).collect();
    let root = Vec2::new(TAIL - 25e-3, 0.0);
    sketch.line(&[&[root], &arc[..], &[root]].concat(), pen(palette(0), 3));
    let at = Vec2::new(SECTOR + DRUM, 0.0);
    sketch.circle(at, DRUM, pen(palette(1), 3));
    sketch.circle(at, 0.5 * motor::DIAMETER, pen(palette(1), 2));
    let beside = at.x + 0.5 * motor::DIAMETER;
    let millimetres = |m: f64| short(m * 1e3);
    for (y, text) in [
        (11e-3, format!("ironless motor, {} mm,", millimetres(motor::DIAMETER))),
        (3e-3, "encoder on its axle,".into()),
        (-5e-3, format!("drum of {} mm", millimetres(2.0 * DRUM))),
    ] {
        sketch.label(Vec2::new(beside, y), &text, INK);
    }
    let text = format!("sector, radius {} mm; cable 0.3 mm", millimetres(SECTOR));
    sketch.label(Vec2::new(20e-3, -24e-3), &text, INK);
    sketch
}

fn coil_drawing() -> Sketch {
    let mut sketch = key("A key with a voice coil, to scale, at rest and (faint) pressed");
    let (x, half) = (-coil::POSITION, 0.5 * STICK[0]);
    // The coil moves vertically; its two horizontal sides are in the field.
    let (top, low) = (-half - 1e-3, -half - 31e-3);
    let side = 7e-3;
    let corners = |inset: f64| {
        (Vec2::new(x - 18e-3 + inset, low + inset), Vec2::new(x + 18e-3 - inset, top - inset))
    };
    for (inset, width) in [(0.0, 3), (side, 2)] {
        let (low, high) = corners(inset);
        frame(&mut sketch, low, high, pen(palette(1), width));
    }
    let travel = DIP * coil::POSITION / LEVER;
    for y in [top - side, low] {
        let (low, high) = (Vec2::new(x - 20e-3, y - travel), Vec2::new(x + 20e-3, y + side));
        frame(&mut sketch, low, high, pen(palette(0), 2));
    }
    let wire = short((coil::ACTIVE + coil::ENDS) * 1e3);
    let beside = x + 21e-3;
    sketch.label(
        Vec2::new(beside, -28e-3),
        &format!("flat coil, {wire} g of aluminium wire;"),
        INK,
    );
    sketch.label(Vec2::new(beside, -35e-3), "north and south magnets on both sides of it", INK);
    sketch.line(&[Vec2::new(TAIL, -half), Vec2::new(TAIL, half)], pen(palette(4), 6));
    sketch.label(Vec2::new(TAIL + 3e-3, -2e-3), "scale of a linear encoder", INK);
    sketch
}
