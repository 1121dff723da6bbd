//! The player's controls. Where a course ends inside its parameter's range, the ends are those of the factory
//! pianos, which are the range that was found to be musical; the workshop reaches the rest.

use super::{Course, Macro};

const fn course(id: &'static str, values: &'static [f64]) -> Course {
    Course { id, values }
}

/// The controls with a slider, in the order of the face.
pub(crate) static MACROS: [Macro; 10] = [
    Macro {
        name: "Tone",
        ends: ["dark", "bright"],
        doc: "Harder hammers that strike nearer to the strings' ends sound brighter.",
        // Felt has the softest hammers of the factory pianos, Saloon the hardest; Viennese strikes at 0.7.
        courses: &[
            course("hammer_hardness", &[-1.8, 0.0, 1.6]),
            course("strike_point", &[1.3, 1.0, 0.7]),
        ],
    },
    Macro {
        name: "Dynamics",
        ends: ["soft", "loud"],
        doc: "Speed of every hammer, relative to the speed that its velocity gives.",
        courses: &[course("dynamics", &[0.5, 1.0, 2.0])],
    },
    Macro {
        name: "Touch weight",
        ends: ["light", "heavy"],
        doc: "Weight of the keys under the finger, by mass at the hammers and lead in the keys.",
        // Chosen: at C4 the bench weighs 30 g down weight at the left end, 50 g in the middle and 72 g at the
        // right end, from lighter to heavier than technicians leave a grand.
        courses: &[
            course("strike_weight_g", &[-2.0, 0.0, 2.0]),
            course("key_lead_g", &[-10.0, 0.0, 10.0]),
        ],
    },
    Macro {
        name: "Wear",
        ends: ["even", "worn"],
        doc: "Differences of let-off, weights, felt, friction, unisons and dampers from key to key.",
        // The first half of the way reaches a used piano, the second a neglected one.
        courses: &[course("unevenness", &[0.0, 0.3, 1.0])],
    },
    Macro {
        name: "Resonance",
        ends: ["dry", "long"],
        doc: "Decay of the strings and reverberation of the soundboard.",
        // Dry as Parlour, long as Heavy and Hall.
        courses: &[course("sustain", &[0.55, 1.0, 1.7]), course("board", &[0.3, 1.0, 1.7])],
    },
    Macro {
        name: "Noises",
        ends: ["none", "loud"],
        doc: "Noises of keys and action.",
        courses: &[course("knocks", &[0.0, 1.0, 4.0])],
    },
    Macro {
        name: "Lid",
        ends: ["closed", "open"],
        doc: "Opening of the lid.",
        courses: &[course("lid", &[0.0, 1.0])],
    },
    Macro {
        name: "Distance",
        ends: ["near", "far"],
        doc: "Distance of the microphones: farther away, more of the room is heard.",
        courses: &[course("distance", &[0.5, 1.5, 10.0])],
    },
    Macro {
        name: "Room",
        ends: ["none", "hall"],
        doc: "Level, size and decay of the room together: none, a small room, a chamber, a hall.",
        // Felt's room, the concert grand's, and a little more than Hall's.
        courses: &[
            course("room_db", &[-60.0, -32.0, -18.0, -12.0]),
            course("room_size", &[3.0, 6.0, 9.0, 30.0]),
            course("room_time", &[0.3, 1.0, 1.8, 2.4]),
        ],
    },
    Macro {
        name: "Level",
        ends: ["silent", "loud"],
        doc: "Level of the output.",
        courses: &[course("output_db", &[-60.0, -24.0, -12.0, -6.0, 0.0, 6.0, 12.0])],
    },
];

/// The control called `name`.
#[must_use]
pub(crate) fn macro_named(name: &str) -> Option<&'static Macro> {
    MACROS.iter().find(|control| control.name == name)
}
