//! The finger's impedance estimated online, and a predictive wall that uses the estimate.
//!
//! The first extension proposed in [Gillespie 1996, §7.2]. M ÿ + B ẏ + k y = F₀ − f is linear
//! in (M, B, k, F₀), so recursive least squares finds them from position and force. Both are
//! passed through one low-pass λ²/(s + λ)², whose states give the filtered position with its two
//! derivatives without numerical differentiation. The force is constant between samples, the position
//! nearly linear; the filter is discretized exactly for each.
//!
//! | module | part |
//! | --- | --- |
//! | [`estimate`] | filter and least squares, with forgetting and a check of excitation |
//! | [`adaptive`] | the predictive wall with the present estimate |

pub mod adaptive;
pub mod estimate;

pub use adaptive::Adaptive;
pub use estimate::{Estimator, Tuning};
