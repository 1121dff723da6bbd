//! The wippen.

use crate::grand::design::sources::{CLOSED_LOOPS, LAYOUT, LET_OFF, NO_EFFECT, USUAL_SIZE};
use crate::grand::design::table::{Number, Point, part};
use touchback_core::math::vec2::Vec2;

part! {
    /// The wippen, which turns on its flange.
    pub struct Wippen, WippenNumbers: "wippen", c, t {
        /// Centre pin P2.
        pivot: Vec2 as Point, "m";
            concert Vec2::new(0.186, 0.06), LAYOUT;
            thesis t.wippen_pivot, CLOSED_LOOPS;

        /// Distance below the centre pin of the line, along the wippen, on which the capstan's centre slides.
        heel: f64 as Number, "m";
            concert 0.03, LAYOUT;
            thesis t.heel, "[Gillespie 1996] L17, a reading: the figure is lost";

        /// Centre pin JJ of the jack, in the wippen's frame.
        jack_pivot: Vec2 as Point, "m";
            concert Vec2::new(-0.0945, 0.004),
                "near [Gillespie 1996] L6; adjusted to the ratio of a concert grand";
            thesis t.jack_pivot,
                ("[Gillespie 1996] L6", "[Gillespie 1996] L7, a reading: the figure is lost");

        /// Centre pin RR of the repetition lever, in the wippen's frame.
        lever_pivot: Vec2 as Point, "m";
            concert Vec2::new(-0.0605, 0.036), LET_OFF;
            thesis t.lever_pivot,
                (
                "[Gillespie 1996] L13, a reading: the figure is lost",
                "[Gillespie 1996] L5, a reading: the figure is lost"
            );

        /// Mass without jack and lever.
        mass: f64, "kg";
            concert 9e-3,
                "radius weight of 18 g at the capstan with jack and lever [Stanwood tables]";
            // Massless but for m3 at RR and m4 at JJ.
            thesis 0.0, "[Gillespie 1996]: masses sit at the pins of jack and lever";

        /// Centre of mass without jack and lever, in the wippen's frame.
        centre: Vec2, "m";
            concert Vec2::new(-0.022, 0.0), USUAL_SIZE;
            thesis Vec2::default(), NO_EFFECT;

        /// Inertia about the centre pin without jack and lever.
        inertia: f64, "kg·m²", positive;
            concert 1.5e-5, USUAL_SIZE;
            thesis 1e-7, "chosen: as good as none";
    }
}
