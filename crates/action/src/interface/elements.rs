//! Elements of an action (contacts, springs, drag, friction): force and dissipated power of each.

use touchback_core::mech::felt::Contact;

/// Largest number of elements of an action.
const MOST: usize = 40;

/// An element of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Element {
    /// Name, without spaces.
    pub name: &'static str,
    /// Unit of its force, as the end of a column's name: `n` for N, `nm` for N·m.
    pub unit: &'static str,
    /// Whether it can dissipate energy.
    pub is_lossy: bool,
}

impl Element {
    /// An element with a force, N.
    #[must_use]
    pub const fn force(name: &'static str) -> Self {
        Self { name, unit: "n", is_lossy: true }
    }

    /// An element with a torque, N·m.
    #[must_use]
    pub const fn torque(name: &'static str) -> Self {
        Self { name, unit: "nm", is_lossy: true }
    }

    /// This element, which dissipates no energy.
    #[must_use]
    pub const fn lossless(self) -> Self {
        Self { is_lossy: false, ..self }
    }
}

/// Force and dissipated power of each element at one instant.
///
/// The force of a contact is positive where it presses, of drag and friction where it opposes positive sliding, of a
/// spring where it opposes positive travel. NaN: a rigid constraint stands in place of the element.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Elements {
    elements: &'static [Element],
    values: [Contact; MOST],
}

impl Elements {
    /// No elements.
    pub const NONE: Self =
        Self { elements: &[], values: [Contact { force: 0.0, loss: 0.0 }; MOST] };

    /// The `values` of `elements`, at most 40.
    #[must_use]
    pub fn new<const K: usize>(elements: &'static [Element; K], values: [Contact; K]) -> Self {
        const { assert!(K <= MOST) };
        Self::of(elements, &values)
    }

    /// The first `values` of `elements`, in their order; at most 40.
    #[must_use]
    pub fn of(elements: &'static [Element], values: &[Contact]) -> Self {
        let mut all = Self { elements, ..Self::NONE };
        all.values.iter_mut().zip(values).for_each(|(to, from)| *to = *from);
        all
    }

    /// Each element with force and dissipated power, in the order of the action.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Element, Contact)> {
        self.elements.iter().zip(self.values)
    }

    /// Names and values of the columns of a file of forces: `NAME_n` or `NAME_nm`, then `heat_NAME_w` for an
    /// element that dissipates energy.
    pub fn columns(&self) -> impl Iterator<Item = (String, f64)> {
        self.iter().flat_map(|(Element { name, unit, is_lossy }, Contact { force, loss })| {
            let heat = is_lossy.then(|| (format!("heat_{name}_w"), loss));
            std::iter::once((format!("{name}_{unit}"), force)).chain(heat)
        })
    }
}

/// Power dissipated by each lossy element at one instant, W.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Losses {
    elements: &'static [Element],
    watts: [f64; MOST],
}

impl Losses {
    /// Losses of an action without elements.
    pub const NONE: Self = Self { elements: &[], watts: [0.0; MOST] };

    /// The losses among the `values` of `elements`, at most 40.
    #[must_use]
    pub fn new<const K: usize>(elements: &'static [Element; K], values: &[Contact; K]) -> Self {
        const { assert!(K <= MOST) };
        Self::of(elements, values)
    }

    /// The losses among the first `values` of `elements`, in their order; at most 40.
    #[must_use]
    pub fn of(elements: &'static [Element], values: &[Contact]) -> Self {
        let mut losses = Self { elements, ..Self::NONE };
        losses.watts.iter_mut().zip(values).for_each(|(watts, value)| *watts = value.loss);
        losses
    }

    /// The name of each lossy element with its power, W, in the order of the action.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let all = self.elements.iter().zip(self.watts);
        all.filter(|(element, _)| element.is_lossy).map(|(element, watts)| (element.name, watts))
    }

    /// Sum of all elements, W.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.iter().map(|(_, watts)| watts).sum()
    }
}
