//! A keyboard's history made from the bytes: messages, readings, gaps, and an end. Force must end with the fade
//! after any history.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchback_device::history::{Choices, run};

fuzz_target!(|bytes: &[u8]| {
    let outcome = run::<f32>(Choices::Bytes(bytes));
    assert!(outcome.excess <= 0.0, "{outcome:?}");
});
