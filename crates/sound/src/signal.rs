//! Signals: convolution, transforms, gliding values, a slower sample rate.

pub(crate) mod convolve;
pub mod fourier;
pub(crate) mod glide;
pub mod slow_rate;
