//! Systems and figures of the source documents, each with the experiment that reproduces it or the reason
//! why none does.

use std::fmt::Write as _;

/// Text above the table of measured values.
pub const HEAD: &str = "\
# Systems of the source documents

Written by `touchback lab all --report`. Every line of the first table is a value of a system, equation or figure of a
source document that concerns simulation or control, with the command that computes it, the expected and the measured
value. The second table lists the systems of the documents, with the reason where none of the commands shows one.

000: Gillespie 1996, thesis. 001: chapter 3 of the thesis. 002: Gillespie 1994, the virtual piano action. 003:
Gillespie and Cutkosky 1993, interactive dynamics. 004: Tsai 1996; only its abstract and contents are public, so that
its systems are re-derived. T is a table.

| source | command | quantity | expected | measured | verdict | erratum in the source |
| --- | --- | --- | --- | --- | --- | --- |
";

/// The experiments that reproduce a system or figure.
#[derive(Clone, Copy, Debug)]
pub enum ShownBy {
    /// These experiments.
    By(&'static [&'static str]),
    /// None, with the reason.
    Not(&'static str),
}
use ShownBy::{By, Not};

/// A system or figure of a source document.
#[derive(Clone, Copy, Debug)]
pub struct System {
    /// Document, and section, equation, table or figure.
    pub source: &'static str,
    /// Description.
    pub description: &'static str,
    /// Experiments, or the reason for none.
    pub shown: ShownBy,
}

const fn system(source: &'static str, description: &'static str, shown: ShownBy) -> System {
    System { source, description, shown }
}

const APPARATUS: &str = "a measurement on the apparatus of 1996";
const ABSENT: &str = "no experiment has been written";
const PICTURE: &str = "a picture of hardware or software; no simulation or control law";

/// All systems, by document.
pub const SYSTEMS: &[System] = &[
    system("000 ch. 1, figs. 1.1, 2.1–2.3, 2.6", "history, roadmap", Not(PICTURE)),
    system(
        "000 §2.1.3, §2.5",
        "timing heard as timbre; a pianist as optimizing controller, motor noise",
        Not(ABSENT),
    ),
    system(
        "000 §2.2.2, §2.4.1, §2.4.2",
        "velocity from two switches; analog control, lookup tables, perceptual models",
        Not(ABSENT),
    ),
    system("000 §2.6", "controllability and observability of the action", Not(ABSENT)),
    system(
        "000 figs. 2.4, 2.5, 3.2; 002 §§4, 5, figs. 2, 3",
        "key, hammer and keybed, coupled and free",
        By(&["state-graphs"]),
    ),
    system(
        "000 fig. 3.1; 001",
        "formulations: springs at the contacts, independent coordinates",
        By(&["agreement"]),
    ),
    system(
        "000 §3.3, eqs. 3.1–3.3; 001",
        "repeated impulses, inverse dynamics, LCP and QP, dependent coordinates, partitioning",
        Not(ABSENT),
    ),
    system(
        "000 figs. 3.3, 3.4; 001",
        "harpsichord jack and its state machine",
        By(&["state-graphs"]),
    ),
    system(
        "000 §3.4.2; 001; 003 §3",
        "submodels, indicators, event times",
        By(&["ball", "energy"]),
    ),
    system(
        "000 figs. 3.5–3.8, T3.3, T3.4; 001",
        "parts, coordinates, dimensions, parameters",
        By(&["geometry"]),
    ),
    system("000 fig. 3.9, T3.1, T3.2; 001", "state graph of the action", By(&["state-graphs"])),
    system("000 figs. 3.10–3.13; 001; 003 fig. 3", "software of the simulator", Not(PICTURE)),
    system("000 fig. 3.14; 001", "dimensions measured on a photograph", Not(APPARATUS)),
    system(
        "000 figs. 3.15–3.17, T3.5; 001",
        "the published run of the action",
        By(&["thesis-run"]),
    ),
    system("000 fig. 3.18; 001", "weight dropped on a real key", By(&["weight-drop"])),
    system("000 figs. 4.1–4.3; 003 fig. 1", "impedance control", By(&["wall-display"])),
    system("000 fig. 4.4, eq. 4.1", "impedance display of a sprung mass", By(&["wall-display"])),
    system("000 fig. 4.5", "admittance display", By(&["wall-display"])),
    system(
        "000 figs. 4.6–4.11",
        "the keyboard with motors",
        Not("a picture of hardware; `haptics` measures the loop of this project"),
    ),
    system("000 T5.1, figs. 5.1–5.4; 004 fig. 1", "the sampled wall and its work", By(&["walls"])),
    system(
        "000 fig. 5.5",
        "chatter on the real keyboard",
        Not("the apparatus of 1996; simulated in `walls`"),
    ),
    system("000 T5.2, figs. 5.6–5.9", "the ball on a sampled floor", By(&["walls"])),
    system("000 T5.3, eqs. 5.5–5.11", "the ball in continuous time", By(&["walls"])),
    system("000 T5.4, figs. 5.10–5.12", "half-sample prediction", By(&["walls", "wall-map"])),
    system("000 figs. 5.13, 5.14", "design in the digital domain", By(&["walls", "wall-map"])),
    system("000 figs. 5.15–5.17", "deadbeat compensation", By(&["walls", "wall-map"])),
    system(
        "000 figs. 5.18, 5.19",
        "strikes on the real keyboard",
        Not("the apparatus of 1996; `wall-map` runs the walls with encoder and finger"),
    ),
    system("000 §5.6, §5.8", "damped wall, velocity from position", By(&["walls", "wall-map"])),
    system(
        "000 §5.8",
        "tables, band-limited agents, sensed force, dynamic objects, a target from energy",
        Not(ABSENT),
    ),
    system("000 figs. 6.1, 6.2", "marginal damping of the mass alone", By(&["wall-damping"])),
    system(
        "000 fig. 6.3, §6.2.1",
        "stability compared with Colgate's passivity",
        By(&["wall-damping"]),
    ),
    system("000 fig. 6.4", "marginal stability simulated", By(&["wall-damping"])),
    system("000 figs. 6.5–6.7", "marginal damping with a finger", By(&["wall-damping"])),
    system("000 figs. 6.8, 6.9", "full return map", By(&["wall-damping"])),
    system("000 figs. 6.10, 6.11", "energy of late and of timely switching", By(&["wall-damping"])),
    system("000 figs. 6.12–6.15", "worst case, its damping, with a bias", By(&["wall-damping"])),
    system("000 §6.4", "growth of the energy without bound", Not("`wall-damping` has 40 strikes")),
    system("000 §7.2", "the finger estimated online", By(&["finger"])),
    system(
        "000 §7.2",
        "psychophysics, fingers bounded otherwise, step bounds for driven systems, several users",
        Not(ABSENT),
    ),
    system("002 eqs. 1–10; 003 fig. 2", "ball on a paddle", By(&["ball"])),
    system("002 §6", "an action beside one without let-off", Not(ABSENT)),
    system("003 §3", "pendulum on a cart, colliding with walls", Not(ABSENT)),
    system("003 figs. 4, 5, T1, T2", "models A and B", By(&["models-ab"])),
    system("003 fig. 6", "a hammer thrown and caught", By(&["models-ab"])),
    system("000 §4.1.2; 003 §5", "the coupling spring", By(&["wall-display"])),
    system("004 figs. 2.1, 2.2", "haptic displays", Not(PICTURE)),
    system("004 figs. 3.1–3.3, 3.5, 3.6", "circle and Tsypkin criteria", By(&["unilateral"])),
    system("004 fig. 3.4", "Popov criterion", Not(ABSENT)),
    system(
        "004 fig. 3.7",
        "saturation arithmetic",
        Not("Mitra's own example, not a wall; `docs/unilateral.md` has the method"),
    ),
    system("004 figs. 3.8–4.4", "the criterion for one-sided springs", By(&["unilateral"])),
    system("004 fig. 4.5", "the criterion in a three-dimensional Nyquist plot", Not(ABSENT)),
    system(
        "004 figs. 4.6–4.10",
        "example of the criterion",
        Not("the plant is not public; `unilateral` compares the criteria on five other plants"),
    ),
    system("004 figs. 5.1–5.4", "A-stable mappings and passivity", By(&["unilateral"])),
    system(
        "004 fig. 5.5",
        "four-bar linkage",
        Not("an illustration of dependent variables; loops are closed in `agreement`"),
    ),
    system(
        "004 ch. 6",
        "simulation distributed over processors",
        Not("`lines` joins the bodies on one thread"),
    ),
    system("004 figs. 6.1–6.6", "1-junction; two masses on a line", By(&["lines"])),
    system("004 figs. 6.7, 6.8", "two balls, one-sided", By(&["lines"])),
    system("004 T6.1, figs. 6.10–6.16, B.1–B.5", "planar joints", By(&["lines"])),
    system("004 T6.2, fig. 6.9", "spatial joints", Not("listed only; its examples are planar")),
    system("004 figs. 6.17, 6.18, app. D", "double pendulum", By(&["lines"])),
    system(
        "004 app. A",
        "circulant matrices",
        Not("a tool of its derivation; the derivation here uses shifts (`docs/unilateral.md`)"),
    ),
    system(
        "004 app. C",
        "bond graphs of joints",
        Not("a notation; the joints themselves are in `lines`"),
    ),
];

/// The experiments, each name enclosed in `mark`, or the reason for none.
fn shown(system: &System, mark: &str) -> String {
    match system.shown {
        By(names) => {
            names.iter().map(|name| format!("{mark}{name}{mark}")).collect::<Vec<_>>().join(", ")
        }
        Not(why) => format!("not shown: {why}"),
    }
}

/// All systems as lines of text in columns.
pub fn list() -> String {
    let width = |of: fn(&System) -> &str| {
        SYSTEMS.iter().map(|s| of(s).chars().count()).max().unwrap_or_default()
    };
    let (source_width, system_width) = (width(|s| s.source), width(|s| s.description));
    let mut text = String::new();
    for s in SYSTEMS {
        let by = shown(s, "").replace('`', "");
        let _ = writeln!(text, "{:source_width$}  {:system_width$}  {by}", s.source, s.description);
    }
    text
}

/// All systems as a Markdown table with a heading.
pub fn table() -> String {
    let mut text = String::from(
        "\n## Systems and their experiments\n\n| source | system | experiment |\n| --- | --- | --- |\n",
    );
    for s in SYSTEMS {
        let _ = writeln!(text, "| {} | {} | {} |", s.source, s.description, shown(s, "`"));
    }
    text
}
