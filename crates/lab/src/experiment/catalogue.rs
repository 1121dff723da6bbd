//! The list of experiments: name, description, duration, accepted options.

use super::{
    agreement, arpeggio, automation, ball, contact, control, dynamic_object, edges, efforts,
    energy, finger, fit, geometry, haptics, identifiability, impedance, key_design, lines,
    listening, long_run, mechanism, models_ab, pianissimo, position_sensors, press, sound,
    state_graphs, string_law, sweeps, thesis_run, touch, two_switches, unilateral, validate,
    wall_damping, wall_display, wall_map, walls, weight_drop,
};
use touchback_offline::bench::runner::{Experiment, ExperimentKind, Work};
use touchback_walls::ball as ball_run;
use touchback_walls::calculation::motion::{PADDLE, PRESS, SPRUNG};
use touchback_walls::calculation::{CRITERIA, DAMPING, LINE, RETURN_MAP};

/// All experiments, in the order in which `all` runs them.
pub const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "geometry",
        about: "Draws the action's two parameter sets to scale and lists every parameter with its \
                source.",
        kind: ExperimentKind::Computed,
        detail: "The poses follow from the action's own kinematics. The list has the source of \
                every parameter: measured, published or chosen.",
        seconds: 0.1,
        run: Work::Keys(geometry::run),
    },
    Experiment {
        name: "validate",
        about: "Compares the grand action with published measurements, target by target.",
        kind: ExperimentKind::Computed,
        detail: "Touch, travel, loudness, weights, let-off, check, return, repetition, compared \
                with Goebl, Bresin and Galembo 2005, Askenfelt and Jansson, Kinoshita and others \
                (docs/references.md). V1 to V34 number the published measurements; must: several \
                sources, should: one. The page is docs/validation.md. Of a mechanism from a file it gives weights, \
                repetition, and force over depth.",
        seconds: 6.0,
        run: Work::Any { usual: &Work::Keys(validate::run), of_mechanism: mechanism::weighed },
    },
    Experiment {
        name: "fit",
        about: "Evaluates the fitted parameters of the action and prints its tables as source \
                text.",
        kind: ExperimentKind::Computed,
        detail: "Changes each fitted parameter by 5 % and measures the distance from the must \
                targets of `validate`; prints the tables of the pressed touch and of the \
                constructed strike. `touchback fit` fits the parameters of your own key.",
        seconds: 1.5,
        run: Work::Fixed(fit::run),
    },
    Experiment {
        name: "identifiability",
        about: "Computes which gestures determine which numbers of a key, and how well.",
        kind: ExperimentKind::Computed,
        detail: "The Fisher information of six gestures on 17 numbers of C4, read at the key front by a \
                displacement sensor (5 µm) or a load cell (20 mN), and at the crown (50 µm), at 2 kHz. No \
                unbiased fit has smaller intervals; errors of the model come on top. Fits of noisy readings \
                check the intervals.",
        seconds: 12.0,
        run: Work::Fixed(identifiability::run),
    },
    Experiment {
        name: "efforts",
        about: "Compares the hammer speeds that notes get under random regulations with \
                simulations of the whole press, and moves each setting alone.",
        kind: ExperimentKind::Computed,
        detail: "1,000 presses under 250 regulations changed by up to half of their ranges, and as \
                many changed up to the ends. The speed of a note is interpolated in energy among \
                simulated presses. The reference is the simulation of the whole press, not a \
                measurement. The page is docs/action-and-sound.md.",
        seconds: 40.0,
        run: Work::Fixed(efforts::run),
    },
    Experiment {
        name: "touch",
        about: "Plays key strokes of equal speed and different acceleration at let-off, with their \
                hammers, noises and sounds.",
        kind: ExperimentKind::Computed,
        detail: "C4 at 0.15, 0.3 and 0.5 m/s, accelerating, even and decelerating over the last 4 mm \
                before let-off, then the decelerating stroke at equal hammer speed. The question is \
                that of Kuromiya and others, PNAS 2025, who measured keys but no hammers. Each cause \
                (hammer speed, shank, key bed, jack and backcheck) is rendered alone. Two WAV files a \
                pair.",
        seconds: 10.0,
        run: Work::Piano(touch::run),
    },
    Experiment {
        name: "arpeggio",
        about: "Plays four tones at equal hammer speeds, slurred and detached, and measures the timbre that the \
                timing makes.",
        kind: ExperimentKind::Computed,
        detail: "Spectral centroid and level from the last strike on, of the tone itself and of the tones before \
                it: Gillespie 1996, §2.1.3. No listener is asked. Two WAV files.",
        seconds: 2.0,
        run: Work::Numbered { run: arpeggio::run, numbers: arpeggio::NUMBERS },
    },
    Experiment {
        name: "energy",
        about: "Audits the action's energy: work in, stored, dissipated, and done by moving screws.",
        kind: ExperimentKind::Computed,
        detail: "Work of the drive and heat of every felt, friction and impact are integrated with \
                the motion; the residual is the integration error. Also the order of the method. \
                The reference is the conservation of energy, not a measurement.",
        seconds: 0.3,
        run: Work::Any { usual: &Work::Keys(energy::run), of_mechanism: energy::run },
    },
    Experiment {
        name: "edges",
        about: "Plays random gestures in standard and random regulations, and constant speeds: energy, \
                heat, strikes without a press, silent speeds.",
        kind: ExperimentKind::Computed,
        detail: "Presses, blows, weights, holds at let-off, glissandi, trills, standing forces, random \
                 forces and curves, 200 of each in each regulation, or as many as --count says; the \
                 seed of each is in edges.csv. Then 90 constant speeds and 60 constant accelerations of \
                 every fourth key. No measurement is compared: the laws are the conservation of \
                 energy, and that a faster key sounds louder.",
        seconds: 60.0,
        run: Work::Counted { run: edges::run, usual: edges::USUAL },
    },
    Experiment {
        name: "sweeps",
        about: "Sweeps every regulation of the action during a trill: clicks in dB, strikes, stuck \
                keys.",
        kind: ExperimentKind::Computed,
        detail: "Clicks are content above 16 kHz, relative to the note's peak; an inserted click of \
                −60 dB checks the measurement. Bands are chosen by audibility.",
        seconds: 19.0,
        run: Work::Piano(sweeps::run),
    },
    Experiment {
        name: "automation",
        about: "Moves every parameter of the action during music in every timing: clicks, block \
                sizes.",
        kind: ExperimentKind::Computed,
        detail: "One second of notes in all registers at 96 kHz while one parameter moves over its \
                range and back, rendered in whole blocks and in pieces: the samples must be equal; \
                clicks are measured as in `sweeps`.",
        seconds: 60.0,
        run: Work::Piano(automation::run),
    },
    Experiment {
        name: "thesis-run",
        about: "Runs the published gesture on the published action and compares it with the \
                statements of the thesis.",
        kind: ExperimentKind::Computed,
        detail: "Times of let-off and strike, forces and rotations of the parts, compared with the \
                statements of Gillespie 1996 on figures 3.15 to 3.17; --model gives another key, as it \
                starts. Writes thesis-numbers.md: tables 3.3 and 3.4 number by number, with the effect of \
                each on the run. Its author chose most of these numbers by trial and error.",
        seconds: 0.1,
        run: Work::Keys(thesis_run::run),
    },
    Experiment {
        name: "weight-drop",
        about: "Drops a weight on the key, as the thesis did on a real action, and compares.",
        kind: ExperimentKind::Computed,
        detail: "The weight is chosen to strike after 0.2 s, as in the film; comparison with the \
                statements of Gillespie 1996, §3.7 on figure 3.18.",
        seconds: 0.1,
        run: Work::Any {
            usual: &Work::Keys(weight_drop::run),
            of_mechanism: weight_drop::of_mechanism,
        },
    },
    Experiment {
        name: "control",
        about: "Measures until when a finger controls the hammer, and until when it feels it.",
        kind: ExperimentKind::Computed,
        detail: "A push added to a press at each moment, and the hammer's speed at the string; the press's motion \
                imposed on a key with a heavier hammer, and the force: Gillespie 1996, §2.6.",
        seconds: 1.0,
        run: Work::Any { usual: &Work::Fixed(control::run), of_mechanism: control::of_mechanism },
    },
    Experiment {
        name: "two-switches",
        about: "Compares the velocity that two switches measure with the hammer's speed over \
                gestures, and the grand without its let-off button with the simplified action.",
        kind: ExperimentKind::Computed,
        detail: "Keys pressed evenly, struck, accelerating and decelerating, timed from 4 to 8 mm: \
                Gillespie 1996, §2.2.2. A press of the grand with its button out of reach beside the \
                simplified action: Gillespie 1994, §6.",
        seconds: 1.0,
        run: Work::Any {
            usual: &Work::Keys(two_switches::run),
            of_mechanism: two_switches::of_mechanism,
        },
    },
    Experiment {
        name: "press",
        about: "Presses a key by a force that rises within a time, or the thesis's by its manipulandum.",
        kind: ExperimentKind::Computed,
        detail: "Key, hammer, forces and energy of C4 of five actions: Gillespie 1996, §§2.1.3, 2.3.4, and the \
                gesture of §3.6.3; Gillespie 1994, §4.",
        seconds: 1.0,
        run: Work::Any {
            usual: &Work::Numbered { run: press::run, numbers: PRESS.numbers },
            of_mechanism: mechanism::press,
        },
    },
    Experiment {
        name: "pianissimo",
        about: "Searches the soft press that survives the noise of a hand best, on a grand, a fortepiano, \
                and keys with two switches.",
        kind: ExperimentKind::Computed,
        detail: "Hammer speeds over a grid of muscle forces and rise times; the share of noisy presses that \
                come near the speed aimed at, and the gradient of the map: Gillespie 1996, §§2.1.3, 2.5. No \
                measurement of hands is compared; the noise is chosen.",
        seconds: 10.0,
        run: Work::Any {
            usual: &Work::Numbered { run: pianissimo::run, numbers: pianissimo::NUMBERS },
            of_mechanism: pianissimo::of_mechanism,
        },
    },
    Experiment {
        name: "state-graphs",
        about: "Takes every transition of the actions' state machines and measures jumps of \
                positions.",
        kind: ExperimentKind::Computed,
        detail: "A random finger reverses the key everywhere in its travel, five minutes on the \
                grand, one on the others; transitions are compared with figures 3.2, 3.4 and 3.9 \
                and tables 3.1 and 3.2 of Gillespie 1996.",
        seconds: 3.0,
        run: Work::Any {
            usual: &Work::Keys(state_graphs::run),
            of_mechanism: mechanism::state_graph,
        },
    },
    Experiment {
        name: "ball",
        about: "Compares the events of a bouncing ball, and their order of convergence, with the \
                exact solution.",
        kind: ExperimentKind::Computed,
        detail: "Event times to 1e-9 s, fourth order between events, compared with a closed form.",
        seconds: 0.1,
        run: Work::Numbered { run: ball::run, numbers: PADDLE.numbers },
    },
    Experiment {
        name: "impedance",
        about: "Imposes sines on the key of every action and reads its driving-point impedance: mass, \
                stiffness, resistance.",
        kind: ExperimentKind::Computed,
        detail: "The force that answers an imposed motion at 1 to 20 Hz, compared with closed forms for \
                the ball and the models of 1993; at 10 Hz over the depth, at 5 Hz over the amplitude.",
        seconds: 4.0,
        run: Work::Any {
            usual: &Work::Numbered { run: impedance::run, numbers: impedance::NUMBERS },
            of_mechanism: impedance::of_mechanism,
        },
    },
    Experiment {
        name: "models-ab",
        about: "Repeats the experiment in which a rigid model of the action fails with a coarse \
                encoder and a model with springs works.",
        kind: ExperimentKind::Computed,
        detail: "Both models get a known motion through a coarse encoder, then are coupled to a \
                device and a finger: Gillespie and Cutkosky 1993, §§5 and 6.",
        seconds: 0.3,
        run: Work::Fixed(models_ab::run),
    },
    Experiment {
        name: "agreement",
        about: "Plays twelve gestures on the grand action in two formulations and compares \
                trajectories, strikes and forces.",
        kind: ExperimentKind::Computed,
        detail: "One formulation eliminates the constraints, the other connects free bodies by \
                stiff springs of three stiffnesses; strike times within 0.5 ms, speeds within 2 %. \
                Neither is a measurement: each checks the other's equations.",
        seconds: 13.0,
        run: Work::Keys(agreement::run),
    },
    Experiment {
        name: "string-law",
        about: "Compares contact and rebound of the action's own string with the sounding strings, \
                and fits its tables.",
        kind: ExperimentKind::Computed,
        detail: "Contact time and restitution of the action's one-sided spring compared with the \
                sound engine's strings, also with hammers of other masses and felts; prints the \
                tables of `string_law.rs`.",
        seconds: 0.5,
        run: Work::Fixed(string_law::run),
    },
    Experiment {
        name: "contact",
        about: "Compares contact time, peak force and spectrum of the sound engine's hammers, \
                standard and changed, with independent solutions.",
        kind: ExperimentKind::Computed,
        detail: "Finite differences of the whole string, and a solution with every mode, are \
                compared with the engine's contact, as are contact times measured by Askenfelt and \
                Jansson. The page is docs/contact.md.",
        seconds: 1.6,
        run: Work::Fixed(contact::run),
    },
    Experiment {
        name: "sound",
        about: "Measures every target of the sound engine on its output: hammer contact, pitch, \
                decay, sympathetic resonance, spectrum, noises, timbre, invariance.",
        kind: ExperimentKind::Computed,
        detail: "Comparison with published measurements of strings, decay, spectra and noises \
                (docs/references.md). The page is docs/sound.md.",
        seconds: 39.0,
        run: Work::Fixed(sound::run),
    },
    Experiment {
        name: "listening",
        about: "Renders a fixed set of sound files: scales, repetitions, a trill, pedals, silent \
                keys, the demonstration's piece.",
        kind: ExperimentKind::Computed,
        detail: "Sound files for listening, with spectrograms; only their level is checked.",
        seconds: 18.0,
        run: Work::Piano(listening::run),
    },
    Experiment {
        name: "walls",
        about: "Bounces a ball on every sampled wall: standard, predictive, placed poles, deadbeat.",
        kind: ExperimentKind::Computed,
        detail: "The bouncing ball of Gillespie 1996, chapter 5: energy gained or lost with each \
                controller, exact times of contact.",
        seconds: 0.1,
        run: Work::Numbered { run: walls::run, numbers: ball_run::NUMBERS },
    },
    Experiment {
        name: "wall-damping",
        about: "Computes the damping that a sampled wall requires: marginal, passive, with late \
                switching.",
        kind: ExperimentKind::Computed,
        detail: "Simulation compared with Colgate and Schenkel's passivity bound and the marginal \
                damping of Gillespie 1996, chapter 6.",
        seconds: 0.4,
        run: Work::Numbered { run: wall_damping::run, numbers: DAMPING.numbers },
    },
    Experiment {
        name: "long-run",
        about: "Lets balls strike a sampled floor a million times, to see whether their energy grows without bound.",
        kind: ExperimentKind::Computed,
        detail: "The return map of Gillespie 1996, chapter 6, whose last question it answers: slow balls \
                over several starts, beside the speeds of a second program; fast balls beside a law of \
                their drift. --set strikes=1e8 --set every=1e4 runs a ball of your own.",
        seconds: 10.0,
        run: Work::Numbered { run: long_run::run, numbers: RETURN_MAP.numbers },
    },
    Experiment {
        name: "wall-display",
        about: "Displays a virtual mass by impedance and by admittance control, over its coupling \
                spring.",
        kind: ExperimentKind::Computed,
        detail: "Impedance and admittance control of a virtual mass: Gillespie 1996, chapter 4; \
                Gillespie and Cutkosky 1993.",
        seconds: 0.1,
        run: Work::Numbered { run: wall_display::run, numbers: SPRUNG.numbers },
    },
    Experiment {
        name: "dynamic-object",
        about: "Displays a bouncing ball, and whole keys, with and without compensation of their sampling.",
        kind: ExperimentKind::Computed,
        detail: "Ball and device move together through the coming period, whose mean force is held: the question \
                that Gillespie 1996, §5.8 leaves open. The reference is the conservation of energy.",
        seconds: 12.0,
        run: Work::Numbered { run: dynamic_object::run, numbers: dynamic_object::NUMBERS },
    },
    Experiment {
        name: "unilateral",
        about: "Compares criteria for one-sided springs in the Nyquist plane with brute force.",
        kind: ExperimentKind::Computed,
        detail: "Criteria in the Nyquist plane compared with the time domain, for the systems of \
                Tsai 1996 as re-derived. The page is docs/unilateral.md.",
        seconds: 2.0,
        run: Work::Numbered { run: unilateral::run, numbers: CRITERIA.numbers },
    },
    Experiment {
        name: "lines",
        about: "Connects bodies by transmission lines: masses, balls, planar joints, a double \
                pendulum.",
        kind: ExperimentKind::Computed,
        detail: "Wave variables over delays: momentum, energy, order; Tsai 1996, chapter 6 and \
                appendices B and D, as re-derived.",
        seconds: 0.7,
        run: Work::Numbered { run: lines::run, numbers: LINE.numbers },
    },
    Experiment {
        name: "finger",
        about: "Estimates the finger's impedance during play and keeps the predictive wall quiet \
                when the finger stiffens.",
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
        detail: "Brute force: each wall, sample period and delay, with the finger and the device of \
                the source.",
        seconds: 30.0,
        run: Work::Fixed(wall_map::run),
    },
    Experiment {
        name: "haptics",
        about: "Compares keys coupled by the junction with welded ones, and servo with twin; \
                searches the stiffest contact.",
        kind: ExperimentKind::Long,
        detail: "A key coupled by the junction compared with a key welded to the device, servo with \
                twin bit for bit, the stiffest contact that comes to rest.",
        seconds: 300.0,
        run: Work::Fixed(haptics::run),
    },
    Experiment {
        name: "key-design",
        about: "Lists the requirements on a motorized key that renders the grand's, computes two \
                designs and draws them to scale.",
        kind: ExperimentKind::Computed,
        detail: "Mass, weight, friction, torque and heat of a motor, from the grand's own strokes. \
                The page is docs/build-a-key.md.",
        seconds: 0.5,
        run: Work::Fixed(key_design::run),
    },
    Experiment {
        name: "position-sensors",
        about: "Measures hammer speed and ghost strikes of keys without motors against sensor noise and \
                report rate.",
        kind: ExperimentKind::Long,
        detail: "36 strokes on an emulated key with sensors of 5 µm, 0 to 80 µm of noise, 250 to 1000 \
                states a second. The page is firmware/positions/README.md.",
        seconds: 60.0,
        run: Work::Fixed(position_sensors::run),
    },
];
