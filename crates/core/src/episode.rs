//! EPISODEs: event-processing, interactively sequencing ordinary differential equations.
//!
//! A model is a set of submodels (*phases*), each an ODE x' = f(x, u) with indicator functions
//! g > 0 while the phase holds and transition functions to the phases that may follow
//! [Gillespie 1996, eqs. 3.7–3.14]. The engine is independent of the piano models: it integrates on a
//! fixed grid, locates the sign changes of indicators and guards inside a step, splits the step there,
//! and lets the model choose the next phase. It does not allocate and runs on any thread.

pub mod event;
pub mod exact;
pub mod lane_step;
pub mod locate;
pub(crate) mod model;
pub mod rk4;
pub(crate) mod step;

pub use model::{Begin, IgnoreEvents, Input, Model, Observer, Room};
pub use step::{Outcome, Progress, State, Stepper};
