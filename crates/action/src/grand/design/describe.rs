//! Every number of a key by name, with its unit and where it comes from: for tables and drawings.

mod concert;
mod thesis;

use crate::grand::design::spec::Spec;
use touchback_core::math::vec2::Vec2;
use touchback_core::mech::felt::Felt;

/// One number of a key.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// Name, as in the model files.
    pub name: String,
    /// Value in `unit`.
    pub value: f64,
    /// SI unit; empty for pure numbers.
    pub unit: &'static str,
    /// Measured, cited, fitted, regulated or chosen, and by whom.
    pub source: &'static str,
}

/// The numbers of a concert-grand key with their sources.
#[must_use]
pub fn concert(spec: &Spec) -> Vec<Entry> {
    sourced(spec, &concert::SOURCES)
}

/// The numbers of the thesis's key with their sources.
#[must_use]
pub fn thesis(spec: &Spec) -> Vec<Entry> {
    sourced(spec, &thesis::SOURCES)
}

/// What a set of sources says of a name: that of the longest entry the name begins with.
fn source(sources: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    let fits = |entry: &&(&str, &str)| {
        name.strip_prefix(entry.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    sources.iter().filter(fits).max_by_key(|entry| entry.0.len()).map(|entry| entry.1)
}

fn sourced(spec: &Spec, sources: &[(&'static str, &'static str)]) -> Vec<Entry> {
    let mut list = List { entries: Vec::new() };
    list.spec(spec);
    for entry in &mut list.entries {
        entry.source = source(sources, &entry.name).unwrap_or("unknown");
    }
    list.entries
}

/// Numbers collected in the order of the spec.
struct List {
    entries: Vec<Entry>,
}

impl List {
    fn add(&mut self, name: &str, value: f64, unit: &'static str) {
        self.entries.push(Entry { name: name.into(), value, unit, source: "" });
    }

    fn point(&mut self, name: &str, p: Vec2) {
        self.add(&format!("{name}.x"), p.x, "m");
        self.add(&format!("{name}.y"), p.y, "m");
    }

    /// A felt by stiffness, exponent, damping, hysteresis.
    fn felt(&mut self, name: &str, felt: &Felt, stiffness: &'static str, damping: &'static str) {
        self.add(&format!("{name}.stiffness"), felt.stiffness, stiffness);
        self.add(&format!("{name}.exponent"), felt.exponent, "");
        self.add(&format!("{name}.damping"), felt.damping, damping);
        self.add(&format!("{name}.hysteresis"), felt.hysteresis, "");
    }

    fn pad(&mut self, name: &str, felt: &Felt) {
        self.felt(name, felt, "N/m^p", "s/m");
    }

    fn spec(&mut self, s: &Spec) {
        let (k, w, j, l) = (&s.key, &s.wippen, &s.jack, &s.lever);
        self.add("key.front", k.front, "m");
        self.add("key.inertia", k.inertia, "kg·m²");
        self.add("key.lead_torque", k.lead_torque, "N·m");
        self.add("key.rest_angle", k.rest_angle, "rad");
        self.add("key.dip", k.dip, "m");
        self.point("key.capstan", k.capstan);
        self.pad("key.bed_felt", &k.bed_felt);
        self.pad("key.rest_felt", &k.rest_felt);
        self.add("key.rest_compression", k.rest_compression, "m");
        self.add("key.friction", k.friction, "N·m");
        self.add("key.capstan_friction", k.capstan_friction, "");

        self.point("wippen.pivot", w.pivot);
        self.add("wippen.heel", w.heel, "m");
        self.point("wippen.jack_pivot", w.jack_pivot);
        self.point("wippen.lever_pivot", w.lever_pivot);
        self.add("wippen.mass", w.mass, "kg");
        self.point("wippen.centre", w.centre);
        self.add("wippen.inertia", w.inertia, "kg·m²");

        self.add("jack.length", j.length, "m");
        self.add("jack.lean", j.lean, "rad");
        self.point("jack.toe", j.toe);
        self.add("jack.mass", j.mass, "kg");
        self.point("jack.centre", j.centre);
        self.add("jack.inertia", j.inertia, "kg·m²");
        self.add("jack.stop", j.stop, "rad");
        self.add("jack.spring_torque", j.spring_torque, "N·m");
        self.add("jack.spring_rate", j.spring_rate, "N·m/rad");
        self.add("jack.button_height", j.button_height, "m");
        self.add("jack.button_x", j.button_x, "m");
        self.add("jack.button_friction", j.button_friction, "");
        self.add("jack.corner", j.corner, "m");
        self.add("jack.corner_radius", j.corner_radius, "m");
        self.add("jack.window", j.window, "rad");
        self.felt("jack.stop_felt", &j.stop_felt, "N·m/rad^p", "s/rad");
        self.pad("jack.button_felt", &j.button_felt);

        self.add("lever.surface_angle", l.surface_angle, "rad");
        self.add("lever.surface_height", l.surface_height, "m");
        self.add("lever.mass", l.mass, "kg");
        self.point("lever.centre", l.centre);
        self.add("lever.inertia", l.inertia, "kg·m²");
        self.add("lever.stop", l.stop, "rad");
        self.add("lever.travel", l.travel, "rad");
        self.felt("lever.stop_felt", &l.stop_felt, "N·m/rad^p", "s/rad");
        self.add("lever.spring_torque", l.spring_torque, "N·m");
        self.add("lever.spring_rate", l.spring_rate, "N·m/rad");
        self.add("lever.damping", l.damping, "N·m·s/rad");
        self.add("lever.friction", l.friction, "N·m");
        self.pad("lever.knuckle_felt", &l.knuckle_felt);
        self.add("lever.knuckle_friction", l.knuckle_friction, "");
        self.add("lever.drop_reach", l.drop_reach, "m");
        self.add("lever.drop_height", l.drop_height, "m");
        self.pad("lever.drop_felt", &l.drop_felt);
        self.hammer_and_rest(s);
    }

    fn hammer_and_rest(&mut self, s: &Spec) {
        let (h, c, d) = (&s.hammer, &s.check, &s.damper);
        self.point("hammer.pivot", h.pivot);
        self.add("hammer.crown", h.crown, "m");
        self.add("hammer.knuckle", h.knuckle, "m");
        self.add("hammer.knuckle_depth", h.knuckle_depth, "m");
        self.add("hammer.knuckle_radius", h.knuckle_radius, "m");
        self.add("hammer.knuckle_edge", h.knuckle_edge, "m");
        self.add("hammer.mass", h.mass, "kg");
        self.point("hammer.centre", h.centre);
        self.add("hammer.inertia", h.inertia, "kg·m²");
        self.add("hammer.friction", h.friction, "N·m");
        self.pad("hammer.knuckle_felt", &h.knuckle_felt);
        self.add("hammer.knuckle_friction", h.knuckle_friction, "");
        self.add("hammer.slide_damping", h.slide_damping, "N·s/m");
        self.add("hammer.rail", h.rail, "m");
        self.pad("hammer.rail_felt", &h.rail_felt);
        self.add("hammer.shank.stiffness", h.shank.stiffness, "N·m/rad");
        self.add("hammer.shank.damping", h.shank.damping, "N·m·s/rad");
        self.add("hammer.shank.hinge", h.shank.hinge, "m");
        self.add("hammer.shank.butt", h.shank.butt, "");

        self.point("check.face", c.face);
        self.add("check.normal", c.normal, "rad");
        self.point("check.tail", c.tail);
        self.pad("check.felt", &c.felt);
        self.add("check.friction", c.friction, "");

        self.add("damper.arm", d.arm, "m");
        self.add("damper.pickup", d.pickup, "m");
        self.add("damper.mass", d.mass, "kg");
        self.add("damper.weight", d.weight, "N");
        self.add("damper.damping", d.damping, "N·s/m");
        self.add("damper.friction", d.friction, "N");
        self.pad("damper.lift_felt", &d.lift_felt);
        self.pad("damper.seat_felt", &d.seat_felt);
        self.add("damper.clear", d.clear, "m");
        self.add("damper.tray", d.tray, "m");
        self.add("damper.top", d.top, "m");
        self.pad("damper.top_felt", &d.top_felt);

        self.pad("string", &s.string);
        self.add("coupling.stiffness", s.coupling[0], "N·m/rad");
        self.add("coupling.damping", s.coupling[1], "N·m·s/rad");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ActionSettings;
    use crate::grand::design::concert::Design;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn every_number_has_a_source_and_every_source_a_number() {
        let middle =
            Design::new(KeyNumber::from_midi(60).unwrap()).build(&ActionSettings::default());
        let old = crate::grand::design::thesis::build();
        let sets: [(_, &[(&str, &str)]); 2] =
            [(concert(&middle.spec), &concert::SOURCES), (thesis(&old.spec), &thesis::SOURCES)];
        for (entries, sources) in sets {
            for entry in &entries {
                assert!(entry.value.is_finite(), "{}", entry.name);
                assert_ne!(entry.source, "unknown", "{}", entry.name);
            }
            for (name, text) in sources {
                let used = entries.iter().any(|e| source(sources, &e.name) == Some(*text));
                assert!(used, "{name} names no number");
            }
        }
    }
}
