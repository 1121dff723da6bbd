//! The first event inside a (sub)step: which indicator or guard changes sign first, and where.

use super::locate::Bracket;

/// An event inside a substep.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event {
    /// The indicator of this index reaches zero, or is overdue.
    Indicator(usize),
    /// A guard changes sign.
    Guard {
        /// Index of the guard.
        index: usize,
        /// From negative to positive.
        rising: bool,
    },
}

/// Whether an indicator goes from positive to not positive.
pub(super) fn crosses(before: &[f64], after: &[f64]) -> bool {
    before.iter().zip(after).any(|(b, a)| *b > 0.0 && *a <= 0.0)
}

/// The first indicator that was not positive before the substep and is negative after it: its transition
/// is overdue.
pub(super) fn overdue(before: &[f64], after: &[f64], epsilon: f64) -> Option<usize> {
    before.iter().zip(after).position(|(b, a)| *b <= 0.0 && *a < -epsilon)
}

/// Whether a guard changes sign. It counts as zero within `epsilon` of zero, at the end of a substep too: else
/// the next substep would begin at zero, and the change would be lost.
fn changed(before: f64, after: f64, epsilon: f64) -> bool {
    (before > epsilon && after <= epsilon) || (before < -epsilon && after >= -epsilon)
}

pub(super) fn changes(before: &[f64], after: &[f64], epsilon: f64) -> bool {
    before.iter().zip(after).any(|(b, a)| changed(*b, *a, epsilon))
}

/// Values of the indicators and guards of one system.
pub(super) type Functions<const G: usize, const S: usize> = ([f64; G], [f64; S]);

/// Search for the first event of one system in a substep, one evaluation at a time, so that several systems
/// can evaluate side by side. Each function that changes sign is located in turn.
#[derive(Clone, Copy)]
pub(super) struct EventSearch<const G: usize, const S: usize> {
    /// Values at the beginning and at the end of the substep.
    before: Functions<G, S>,
    after: Functions<G, S>,
    epsilon: f64,
    /// Indices of the functions to search: indicators from 0, guards from `G` on.
    next: usize,
    end: usize,
    /// The function that is being located.
    bracket: Option<Bracket>,
    /// The first event found so far.
    first: Option<Event>,
    /// Its place as a share of the substep; 1 without an event.
    share: f64,
}

impl<const G: usize, const S: usize> EventSearch<G, S> {
    /// A search among the indicators if `may_switch`, and among the guards if `may_split`.
    pub(super) const fn new(
        before: Functions<G, S>,
        after: Functions<G, S>,
        epsilon: f64,
        may_switch: bool,
        may_split: bool,
    ) -> Self {
        Self {
            before,
            after,
            epsilon,
            next: if may_switch { 0 } else { G },
            end: if may_split { G + S } else { G },
            bracket: None,
            first: None,
            share: 1.0,
        }
    }

    /// Share of the substep at which the functions are to be evaluated next, for [`Self::put`]; none when the
    /// first event is found.
    #[inline]
    pub(super) fn next_point(&mut self, tolerance: f64) -> Option<f64> {
        while self.next < self.end {
            if self.bracket.is_none() {
                self.bracket = self.begin();
            }
            if let Some(bracket) = &mut self.bracket {
                if let Some(point) = bracket.next_point(tolerance) {
                    return Some(point);
                }
                let share = bracket.upper;
                self.bracket = None;
                if self.first.is_none() || share < self.share {
                    (self.share, self.first) = (share, Some(self.event()));
                }
            }
            self.next += 1;
        }
        None
    }

    /// Bracket of the next function, if it changes sign.
    fn begin(&self) -> Option<Bracket> {
        if self.next < G {
            let (from, to) = (self.before.0[self.next], self.after.0[self.next]);
            return (from > 0.0 && to <= 0.0).then(|| Bracket::new(from, to));
        }
        let (before, after) = (self.before.1[self.next - G], self.after.1[self.next - G]);
        if !changed(before, after, self.epsilon) {
            return None;
        }
        let sign = before.signum();
        // A guard that ends before its zero, but within ε of it, changes sign at the end.
        let to = sign * after;
        Some(Bracket::new(sign * before, if to > 0.0 { 0.0 } else { to }))
    }

    fn event(&self) -> Event {
        if self.next < G {
            return Event::Indicator(self.next);
        }
        let index = self.next - G;
        Event::Guard { index, rising: self.before.1[index].is_sign_negative() }
    }

    /// The functions have the values `at` at the share returned last.
    #[inline]
    pub(super) fn put(&mut self, at: &Functions<G, S>) {
        let value = if self.next < G {
            at.0[self.next]
        } else {
            self.before.1[self.next - G].signum() * at.1[self.next - G]
        };
        if let Some(bracket) = &mut self.bracket {
            bracket.put(value);
        }
    }

    /// The first event, and its place as a share of the substep; 1 without an event.
    pub(super) const fn found(&self) -> (f64, Option<Event>) {
        (self.share, self.first)
    }
}
