//! The list of experiments: name, description, duration, accepted options.

use super::{
    action_cost, action_speeds, agreement, automation, ball, contact, efforts, energy, finger, fit,
    fit_recovery, geometry, haptics, haptics_campaign, haptics_cost, influence, instrument_load,
    key_design, lines, listening, look_ahead, models_ab, presets, sound, sound_cost, sound_torture,
    state_graphs, string_law, sweeps, thesis_run, unilateral, validate, wall_damping, wall_display,
    wall_map, walls, weight_drop, window_cost,
};
use crate::bench::runner::{Experiment, ExperimentKind, Work};

/// All experiments, in the order in which `all` runs them.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "geometry",
        about: "Draws the action's two parameter sets to scale and lists every number with its \
                source.",
        kind: ExperimentKind::Computed,
        detail: "Every pose comes from the kinematics the action runs on. The list names a source \
                for every number: measured, published, chosen.",
        seconds: 0.1,
        run: Work::Keys(geometry::run),
    },
    Experiment {
        name: "validate",
        about: "Compares the grand action with published measurements, target by target.",
        kind: ExperimentKind::Computed,
        detail: "Touch, travel, loudness, weights, let-off, check, return, repetition, against \
                Goebl, Bresin and Galembo 2005, Askenfelt and Jansson, Kinoshita and others \
                (docs/references.md). V1 to V34 number the published measurements; must: several \
                sources, should: one. The page is docs/validation.md.",
        seconds: 6.0,
        run: Work::Keys(validate::run),
    },
    Experiment {
        name: "fit",
        about: "Shows how well the fitted numbers of the action fit, and prints its tables ready \
                to paste.",
        kind: ExperimentKind::Computed,
        detail: "Moves each fitted number by 5 % and looks at the distance from the must targets \
                of `validate`; prints the tables of the pressed touch and of the constructed \
                strike. For numbers of a key of your own: `touchback fit`.",
        seconds: 1.5,
        run: Work::Fixed(fit::run),
    },
    Experiment {
        name: "fit-recovery",
        about: "Fits keys whose numbers are known from their own noisy data, and counts how often the \
                stated intervals hold.",
        kind: ExperimentKind::Computed,
        detail: "Ten keys with five numbers changed at random, twelve presses each, noise of 0.02 N and \
                 5 µm at 2 kHz; the same solver as `touchback fit`.",
        seconds: 15.0,
        run: Work::Fixed(fit_recovery::run),
    },
    Experiment {
        name: "efforts",
        about: "Compares the hammer speed that notes get under random regulations with the whole \
                press simulated, and moves each setting alone.",
        kind: ExperimentKind::Computed,
        detail: "1,000 presses under 250 regulations turned up to half way to the ends of their \
                ranges, and as many up to the ends. What notes get is interpolated in energy \
                among presses simulated under each. No measurement is compared: the whole press \
                is the truth. The page is docs/action-and-sound.md.",
        seconds: 40.0,
        run: Work::Fixed(efforts::run),
    },
    Experiment {
        name: "look-ahead",
        about: "Measures how near notes of look-ahead timing sound to their time, over keys, speeds and \
                latencies.",
        kind: ExperimentKind::Computed,
        detail: "Single notes of every seventh key and sixteen hammer speeds, played under each \
                latency by the scheduler that a host's notes go through; then the shortest travel \
                that each latency covers, and four other regulations under the longest. No \
                measurement is compared: the note's own time is the truth.",
        seconds: 30.0,
        run: Work::Fixed(look_ahead::run),
    },
    Experiment {
        name: "influence",
        about: "Moves every parameter to the ends of its range and tells what becomes of level, colour, \
                decay, time and weight.",
        kind: ExperimentKind::Long,
        detail: "One phrase of nine notes, in each timing and under each action, against the same phrase \
                with nothing moved. What is told to do nothing must not change a sample, and every \
                parameter of the grand's action must. It writes docs/influence.md.",
        seconds: 200.0,
        run: Work::Fixed(influence::run),
    },
    Experiment {
        name: "presets",
        about: "Plays one phrase on every factory piano: whether all are as loud, and what sets each apart.",
        kind: ExperimentKind::Computed,
        detail: "Loudness by EBU R 128; level range from the phrase at 0.6 to that at 1.4 of its \
                velocities; colour by the centroid of the spectrum; decay by a chord under the pedal. \
                Two pianos are apart by 1 LU of range, 100 cents of colour or 15 % of decay. It writes \
                the table of levels, crates/instrument/src/preset/levels.rs.",
        seconds: 8.0,
        run: Work::Fixed(presets::run),
    },
    Experiment {
        name: "energy",
        about: "Audits the action's energy: work in, stored, dissipated, and done by moving screws.",
        kind: ExperimentKind::Computed,
        detail: "Work of the drive and heat of every felt, friction and impact are integrated \
                with the motion; what is left over is the integration's error. Also the order of \
                the method. No measurement is compared: the law is the conservation of energy.",
        seconds: 0.3,
        run: Work::Keys(energy::run),
    },
    Experiment {
        name: "sweeps",
        about: "Sweeps every regulation of the action under a trill: clicks in dB, strikes, keys that \
                stick.",
        kind: ExperimentKind::Computed,
        detail: "Clicks are content above 16 kHz, beside the note's peak; a click of −60 dB is \
                put in to see that it is found. Bands are chosen by what can be heard.",
        seconds: 19.0,
        run: Work::Piano(sweeps::run),
    },
    Experiment {
        name: "automation",
        about: "Moves every parameter of the action under music in every timing: clicks, block sizes.",
        kind: ExperimentKind::Computed,
        detail: "A second of notes in all registers at 96 kHz while one parameter goes over its \
                range and back, rendered in whole blocks and in pieces: the samples are equal, and \
                clicks are measured as in `sweeps`.",
        seconds: 60.0,
        run: Work::Piano(automation::run),
    },
    Experiment {
        name: "thesis-run",
        about: "Runs the published gesture on the published action and compares it with what the \
                thesis states.",
        kind: ExperimentKind::Computed,
        detail: "Times of let-off and strike, forces, and turning of the parts, against what \
                Gillespie 1996 states of figures 3.15 to 3.17.",
        seconds: 0.1,
        run: Work::Fixed(thesis_run::run),
    },
    Experiment {
        name: "weight-drop",
        about: "Drops a weight on the key, as the thesis did on a real action, and compares.",
        kind: ExperimentKind::Computed,
        detail: "The weight is the one that strikes after 0.2 s, as in the film; compared with \
                what Gillespie 1996, §3.7 states of figure 3.18.",
        seconds: 0.1,
        run: Work::Keys(weight_drop::run),
    },
    Experiment {
        name: "state-graphs",
        about: "Takes every transition of the actions' state machines and measures what jumps there.",
        kind: ExperimentKind::Computed,
        detail: "A random finger turns the key back everywhere in its travel, five minutes of the \
                grand, one of the others; transitions against figures 3.2, 3.4 and 3.9 and tables \
                3.1 and 3.2 of Gillespie 1996.",
        seconds: 3.0,
        run: Work::Keys(state_graphs::run),
    },
    Experiment {
        name: "ball",
        about: "Compares the events of a bouncing ball, and their order of convergence, with the \
                exact solution.",
        kind: ExperimentKind::Computed,
        detail: "Event times to 1e-9 s, order four between events, against a closed form.",
        seconds: 0.1,
        run: Work::Fixed(ball::run),
    },
    Experiment {
        name: "models-ab",
        about: "Repeats the experiment that made a rigid model of the action fail on a coarse \
                encoder and one with springs work.",
        kind: ExperimentKind::Computed,
        detail: "Both models see a known motion through a coarse encoder, then a device and a \
                finger: Gillespie and Cutkosky 1993, §§5 and 6.",
        seconds: 0.3,
        run: Work::Fixed(models_ab::run),
    },
    Experiment {
        name: "agreement",
        about: "Plays twelve gestures on the grand action in two formulations and compares \
                trajectories, strikes and forces.",
        kind: ExperimentKind::Computed,
        detail: "One formulation eliminates the constraints, the other joins free bodies by stiff \
                springs, three stiffnesses; strike times within 0.5 ms, speeds within 2 %. \
                Neither is a measurement: each checks the other's equations.",
        seconds: 13.0,
        run: Work::Keys(agreement::run),
    },
    Experiment {
        name: "string-law",
        about: "Compares contact and rebound of the action's own string with the sounding \
                strings, and fits its tables.",
        kind: ExperimentKind::Computed,
        detail: "Contact time and restitution of the action's one-sided spring against the sound \
                engine's strings, with hammers of other masses and felts too; prints the tables \
                of `string_law.rs`.",
        seconds: 0.5,
        run: Work::Fixed(string_law::run),
    },
    Experiment {
        name: "contact",
        about: "Compares contact time, peak force and spectrum of the sound engine's hammers, as they \
                are and changed, with independent solutions.",
        kind: ExperimentKind::Computed,
        detail: "Finite differences of the whole string, and a solution of every mode, stand \
                against the engine's contact; measured contact times of Askenfelt and Jansson \
                too. The page is docs/contact.md.",
        seconds: 1.6,
        run: Work::Fixed(contact::run),
    },
    Experiment {
        name: "sound",
        about: "Measures every target of the sound engine on what it plays: hammer contact, pitch, \
                decay, sympathetic resonance, spectrum, noises, timbre, invariance.",
        kind: ExperimentKind::Computed,
        detail: "Against published measurements of strings, decay, spectra and noises \
                (docs/references.md). The page is docs/sound.md.",
        seconds: 39.0,
        run: Work::Fixed(sound::run),
    },
    Experiment {
        name: "listening",
        about: "Renders a fixed set to listen to: scales, repetitions, a trill, pedals, silent \
                keys, the demonstration's piece.",
        kind: ExperimentKind::Computed,
        detail: "Sound files to judge by ear, with spectrograms; only their level is checked.",
        seconds: 18.0,
        run: Work::Piano(listening::run),
    },
    Experiment {
        name: "walls",
        about: "Bounces a ball on every sampled wall: standard, predictive, placed poles, deadbeat.",
        kind: ExperimentKind::Computed,
        detail: "The bouncing ball of Gillespie 1996, chapter 5: energy gained or lost in each \
                controller, exact times of contact.",
        seconds: 0.1,
        run: Work::Fixed(walls::run),
    },
    Experiment {
        name: "wall-damping",
        about: "Finds the damping that a sampled wall asks for: marginal, passive, late switching.",
        kind: ExperimentKind::Computed,
        detail: "Simulation against Colgate and Schenkel's passivity bound and the marginal \
                damping of Gillespie 1996, chapter 6.",
        seconds: 0.4,
        run: Work::Fixed(wall_damping::run),
    },
    Experiment {
        name: "wall-display",
        about: "Shows a virtual mass by impedance and admittance, over its coupling spring.",
        kind: ExperimentKind::Computed,
        detail: "Impedance and admittance control of a virtual mass: Gillespie 1996, chapter 4; \
                Gillespie and Cutkosky 1993.",
        seconds: 0.1,
        run: Work::Fixed(wall_display::run),
    },
    Experiment {
        name: "unilateral",
        about: "Compares criteria for one-sided springs in the Nyquist plane with brute force.",
        kind: ExperimentKind::Computed,
        detail: "Criteria in the Nyquist plane against the time domain, for Tsai's systems of \
                1996 as re-derived. The page is docs/unilateral.md.",
        seconds: 2.0,
        run: Work::Fixed(unilateral::run),
    },
    Experiment {
        name: "lines",
        about: "Joins bodies by transmission lines: masses, balls, planar joints, a double \
                pendulum.",
        kind: ExperimentKind::Computed,
        detail: "Wave variables over delays: momentum, energy, order; Tsai 1996, chapter 6 and \
                appendices B and D, as re-derived.",
        seconds: 0.7,
        run: Work::Fixed(lines::run),
    },
    Experiment {
        name: "finger",
        about: "Estimates the finger in play and keeps the predictive wall quiet when it stiffens.",
        kind: ExperimentKind::Computed,
        detail: "Recursive least squares of mass, damping and stiffness; the wall adapts: \
                Gillespie 1996, §7.2.",
        seconds: 0.1,
        run: Work::Fixed(finger::run),
    },
    Experiment {
        name: "wall-map",
        about: "Maps the largest quiet stiffness of every wall over sample period and delay.",
        kind: ExperimentKind::Computed,
        detail: "Brute force: each wall, sample period and delay, with the finger and the device \
                of the source.",
        seconds: 30.0,
        run: Work::Fixed(wall_map::run),
    },
    Experiment {
        name: "sound-cost",
        about: "Times the sound engine in silence and at work, on every kernel, with a hash of \
                its output.",
        kind: ExperimentKind::Timed,
        detail: "Times are this machine's; the hash must be the same on every run of a build.",
        seconds: 14.0,
        run: Work::Fixed(sound_cost::run),
    },
    Experiment {
        name: "action-cost",
        about: "Times the action with one, all and no keys moving, together with a hash of its \
                output.",
        kind: ExperimentKind::Timed,
        detail: "Times are this machine's; the targets are 1 µs a key-step alone and 0.35 µs \
                among 88.",
        seconds: 7.0,
        run: Work::Fixed(action_cost::run),
    },
    Experiment {
        name: "action-speeds",
        about: "Times a step of every action and formulation, together with a hash of its output.",
        kind: ExperimentKind::Timed,
        detail: "Times are this machine's; the hash must be the same on every run of a build.",
        seconds: 4.0,
        run: Work::Fixed(action_speeds::run),
    },
    Experiment {
        name: "instrument-load",
        about: "Measures when notes strike and what blocks, decay, starting and memory cost, with \
                a hash of the output.",
        kind: ExperimentKind::Timed,
        detail: "When notes sound after note-on against 20 to 230 ms of Askenfelt and Jansson; \
                blocks of 32 to 256 samples, start and memory on this machine.",
        seconds: 50.0,
        run: Work::Fixed(instrument_load::run),
    },
    Experiment {
        name: "window-cost",
        about: "Times a frame of the window, and what the audio thread does for an open and a \
                closed one.",
        kind: ExperimentKind::Timed,
        detail: "Times are this machine's, without a GPU.",
        seconds: 2.0,
        run: Work::Fixed(window_cost::run),
    },
    Experiment {
        name: "sound-torture",
        about: "Ten minutes of all keys, pedals and parameters at five sample rates in odd blocks.",
        kind: ExperimentKind::Long,
        detail: "No sample may be infinite, too loud or differ with the block size.",
        seconds: 300.0,
        run: Work::Fixed(sound_torture::run),
    },
    Experiment {
        name: "haptics",
        about: "Compares keys felt through the junction with welded ones, servo with twin, and \
                searches the hardest contact that can be felt.",
        kind: ExperimentKind::Long,
        detail: "A felt key against a key welded to the device, servo against twin bit for bit, \
                the stiffest contact that stays quiet.",
        seconds: 300.0,
        run: Work::Fixed(haptics::run),
    },
    Experiment {
        name: "key-design",
        about: "Lists what a motorized key must be to be felt as the grand's, works two designs and \
                draws them to scale.",
        kind: ExperimentKind::Computed,
        detail: "Mass, weight, friction, torque and heat of a motor, from the grand's own \
                strokes. The page is docs/build-a-key.md.",
        seconds: 0.5,
        run: Work::Fixed(key_design::run),
    },
    Experiment {
        name: "haptics-campaign",
        about: "Counts what thousands of random faults and strokes do to felt keys.",
        kind: ExperimentKind::Long,
        detail: "Lost, doubled, torn and late messages, fingers at random: force must end, states \
                must stay equal.",
        seconds: 600.0,
        run: Work::Fixed(haptics_campaign::run),
    },
    Experiment {
        name: "haptics-cost",
        about: "Times the servo's work, and plays the acceptance stroke by the wall clock.",
        kind: ExperimentKind::Timed,
        detail: "Times are this machine's.",
        seconds: 14.0,
        run: Work::Fixed(haptics_cost::run),
    },
];
