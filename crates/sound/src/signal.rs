//! Signals: convolution, transforms, gliding values, a slower sample rate.

pub mod convolve;
pub mod fourier;
pub mod glide;
pub mod slow_rate;
