//! Keyboards: emulated, calibrated, certified, and what they report.

pub mod bench_load;
pub mod calibration;
pub mod certify;
pub mod emulator;
pub mod fault_message;
pub mod hello_message;
#[cfg(feature = "serial")]
pub mod live;
pub mod plant;
pub mod script;
#[cfg(feature = "serial")]
pub mod status_text;
pub mod symptom;
