//! `libtouchback_device_c.a`: the functions of `crates/device/include/touchback_device.h`.
#![no_std]

use panic_halt as _;
pub use touchback_device::c_api::*;

/// `example.c` has so much memory for the object.
const _: () = assert!(size_of::<CDevice>() <= 32 * 1024);
