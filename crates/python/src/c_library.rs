//! Functions of the C library that got a new version in glibc 2.35, defined here: the module then needs the older
//! library of the systems on which wheels are installed (RHEL 8 has 2.28), whichever builds it.

/// √(x² + y²).
///
/// # Safety
/// None of its own: it takes and returns numbers, as the function of the C library.
#[unsafe(no_mangle)]
extern "C" fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// [`hypot`] in single precision.
#[unsafe(no_mangle)]
extern "C" fn hypotf(x: f32, y: f32) -> f32 {
    libm::hypotf(x, y)
}
