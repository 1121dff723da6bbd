//! The list of measurements: name, description, duration, accepted options.

use crate::{
    action_cost, action_speeds, bridge_stroke, fit_recovery, haptics_campaign, haptics_cost,
    influence, instrument_load, look_ahead, presets, sound_cost, sound_torture, window_cost,
};
use touchback_offline::bench::runner::{Experiment, ExperimentKind, Work};

/// All measurements, in the order in which `all` runs them.
pub const MEASUREMENTS: &[Experiment] = &[
    Experiment {
        name: "fit-recovery",
        about: "Fits keys with known parameters to their own noisy data and counts how often the \
                stated intervals hold.",
        kind: ExperimentKind::Computed,
        detail: "Ten keys with five parameters changed at random, twelve presses each, noise of \
                0.02 N and 5 µm at 2 kHz; the same solver as `touchback fit`.",
        seconds: 15.0,
        run: Work::Fixed(fit_recovery::run),
    },
    Experiment {
        name: "look-ahead",
        about: "Measures the timing errors of notes in look-ahead timing, over keys, speeds and \
                latencies.",
        kind: ExperimentKind::Computed,
        detail: "Single notes of every seventh key and sixteen hammer speeds, played under each \
                latency by the scheduler of host notes; then the shortest travel that each latency \
                covers, and four other regulations under the longest latency. The reference is the \
                note's own time, not a measurement.",
        seconds: 30.0,
        run: Work::Fixed(look_ahead::run),
    },
    Experiment {
        name: "influence",
        about: "Moves every parameter to the ends of its range and measures the change of level, \
                colour, decay, time and weight.",
        kind: ExperimentKind::Long,
        detail: "One phrase of nine notes, in each timing and under each action, compared with the \
                same phrase without a change. A parameter reported without effect must not change \
                a sample, and every parameter of the grand's action must. The page is \
                docs/influence.md.",
        seconds: 200.0,
        run: Work::Fixed(influence::run),
    },
    Experiment {
        name: "presets",
        about: "Plays a soft and a loud phrase on every factory piano: equal loudness, and \
                differences between the pianos.",
        kind: ExperimentKind::Computed,
        detail: "Loudness by EBU R 128 of a soft phrase and of dense loud chords, whose mean is to \
                be equal, and their peaks without the output guard; level range between a phrase \
                at 0.6 and at 1.4 of its velocities; centroid of the spectrum; decay of a chord under the pedal. The unit \
                of distance between two pianos is 1 LU of range, 100 cents of centroid or 15 % of \
                decay. Writes the table of levels, crates/instrument/src/host/preset/levels.rs.",
        seconds: 8.0,
        run: Work::Fixed(presets::run),
    },
    Experiment {
        name: "sound-cost",
        about: "Times the sound engine in silence and under load, on every kernel, with a hash of \
                its output.",
        kind: ExperimentKind::Timed,
        detail: "Times depend on the machine; the hash must be equal in every run of a build.",
        seconds: 14.0,
        run: Work::Fixed(sound_cost::run),
    },
    Experiment {
        name: "action-cost",
        about: "Times the action with one, all and no keys moving, with a hash of its output.",
        kind: ExperimentKind::Timed,
        detail: "Times depend on the machine; the targets are 1 µs a key-step for one key and 0.35 \
                µs for 88.",
        seconds: 7.0,
        run: Work::Fixed(action_cost::run),
    },
    Experiment {
        name: "action-speeds",
        about: "Times a step of every action and formulation, with a hash of its output.",
        kind: ExperimentKind::Timed,
        detail: "Times depend on the machine; the hash must be equal in every run of a build.",
        seconds: 4.0,
        run: Work::Fixed(action_speeds::run),
    },
    Experiment {
        name: "instrument-load",
        about: "Measures the strike times of notes, and the cost of blocks, decay, start and \
                memory, with a hash of the output.",
        kind: ExperimentKind::Timed,
        detail: "Time from note-on to strike compared with 20 to 230 ms of Askenfelt and Jansson; \
                blocks of 32 to 256 samples, start and memory on this machine.",
        seconds: 50.0,
        run: Work::Fixed(instrument_load::run),
    },
    Experiment {
        name: "window-cost",
        about: "Times a frame of the window, and the audio thread's work for an open and a closed \
                window.",
        kind: ExperimentKind::Timed,
        detail: "Times depend on the machine, without a GPU.",
        seconds: 2.0,
        run: Work::Fixed(window_cost::run),
    },
    Experiment {
        name: "sound-torture",
        about: "Plays ten minutes of random keys, pedals and parameters at five sample rates in \
                random block sizes.",
        kind: ExperimentKind::Long,
        detail: "Every sample must be finite and within full scale; without strikes the sound must \
                not grow.",
        seconds: 300.0,
        run: Work::Fixed(sound_torture::run),
    },
    Experiment {
        name: "haptics-campaign",
        about: "Plays thousands of random faults and strokes on motorized keys.",
        kind: ExperimentKind::Long,
        detail: "Lost, doubled, torn and late messages, random fingers: the force must end, and \
                states must stay equal.",
        seconds: 600.0,
        run: Work::Fixed(haptics_campaign::run),
    },
    Experiment {
        name: "bridge-stroke",
        about: "Plays a stroke on the emulated keyboard and on an emulated motor controller behind \
                the bridge.",
        kind: ExperimentKind::Computed,
        detail: "Virtual time; the same hand, key and largest force. The figure is that of \
                docs/build-a-key.md.",
        seconds: 2.0,
        run: Work::Fixed(bridge_stroke::run),
    },
    Experiment {
        name: "haptics-cost",
        about: "Times the servo's work, and plays the acceptance stroke in real time.",
        kind: ExperimentKind::Timed,
        detail: "Times depend on the machine.",
        seconds: 14.0,
        run: Work::Fixed(haptics_cost::run),
    },
];
