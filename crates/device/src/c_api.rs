//! Functions for firmware in C, in f32 and for up to 88 keys; `include/touchback_device.h` declares them.
//!
//! # Safety
//!
//! Every pointer must be valid for the type in the signature. A device must come from [`touchback_new`],
//! and no other code may use it during a call.
#![allow(
    clippy::missing_safety_doc,
    reason = "the module's documentation states the conditions for all functions"
)]

use crate::device::key_impedance::RenderedBed;
use crate::device::{Build, Device};
use crate::firmware::Homing;
use crate::frame::MAX_FRAME;
use crate::message::{Hello, KEYS, KeyFacts, VERSION};

/// The device behind `touchback_device` of the header.
pub type CDevice = Device<KEYS, f32>;

/// `touchback_build` of the header.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[allow(missing_docs, reason = "the header documents the fields")]
pub struct CBuild {
    pub keys: u8,
    pub first_key: u8,
    pub state_keys: u8,
    pub abilities: u16,
    pub rate_hz: u16,
    pub report_us: u16,
    pub force_max: u16,
    pub force_held: u16,
    pub step_nm: u32,
    pub timeout_us: u32,
    pub slew: f32,
    pub thermal_time: f32,
    pub bed_stiffness: f32,
    pub bed_damping: f32,
    pub bed_depth: f32,
    pub guard: f32,
    pub name: [u8; 16],
    pub serial: u64,
    pub firmware: [u8; 3],
    pub reset_cause: u8,
}

impl CBuild {
    fn build(&self, facts: [KeyFacts; KEYS]) -> Build<KEYS, f32> {
        Build {
            hello: Hello {
                version: VERSION,
                keys: self.keys,
                first_key: self.first_key,
                abilities: self.abilities,
                rate_hz: self.rate_hz,
                report_us: self.report_us,
                force_max: self.force_max,
                force_held: self.force_held,
                step_nm: self.step_nm,
                name: self.name,
                serial: self.serial,
                firmware: self.firmware,
                reset_cause: self.reset_cause,
            },
            facts,
            slew: self.slew,
            thermal_time: self.thermal_time,
            timeout_us: self.timeout_us,
            bed: RenderedBed {
                stiffness: self.bed_stiffness,
                damping: self.bed_damping,
                depth: self.bed_depth,
            },
            guard: self.guard,
            state_keys: self.state_keys,
        }
    }
}

/// Size of a device, bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn touchback_size() -> usize {
    size_of::<CDevice>()
}

/// Alignment of a device, bytes.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn touchback_alignment() -> usize {
    align_of::<CDevice>()
}

/// Creates a device, switched on at device time `now_us`, in `memory` of `size` bytes. Returns null where
/// the memory is too small or not aligned.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_new(
    memory: *mut CDevice,
    size: usize,
    build: &CBuild,
    facts: &[KeyFacts; KEYS],
    now_us: u32,
) -> *mut CDevice {
    if memory.is_null() || !memory.is_aligned() || size < size_of::<CDevice>() {
        return core::ptr::null_mut();
    }
    // SAFETY: checked above for null, alignment and size; the caller guarantees that it is writable.
    unsafe { memory.write(Device::new(build.build(*facts), now_us)) };
    memory
}

/// Handles a received byte.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_receive(device: &mut CDevice, byte: u8) {
    device.receive(byte);
}

/// Notes the present faults of the hardware, before a tick.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_hardware(device: &mut CDevice, faults: u16) {
    device.hardware(faults);
}

/// Notes the measured speed of a key, m/s, positive down, before a tick.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_speed(device: &mut CDevice, key: usize, speed: f32) {
    device.measured_speed(key, speed);
}

/// One tick at device time `now_us`: sensor counts in, forces out, N.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_tick(
    device: &mut CDevice,
    now_us: u32,
    counts: &[i32; KEYS],
    newtons: &mut [f32; KEYS],
) {
    device.tick(now_us, counts, newtons);
}

/// Writes the next frame to `out`. Returns its length in bytes, 0 where nothing is to be sent.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_report(
    device: &mut CDevice,
    out: &mut [u8; MAX_FRAME],
) -> usize {
    device.report(out)
}

/// Number of the mode.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_mode(device: &CDevice) -> u8 {
    device.mode().number()
}

/// Bits of the faults.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_faults(device: &CDevice) -> u16 {
    device.faults()
}

/// `touchback_homing` of the header: seven words that only these functions read.
const _: () = assert!(size_of::<Homing>() == 28 && align_of::<Homing>() == 4);

/// Begins the search for a sensor's zero at the raw count `raw`; a count is `step_nm` nm.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_home(homing: *mut Homing, raw: i32, step_nm: u32) {
    if !homing.is_null() {
        // SAFETY: the caller guarantees that it is writable and aligned.
        unsafe { homing.write(Homing::new(raw, step_nm)) };
    }
}

/// Count from the zero of the raw count `raw`, read `us` µs after the last.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_homed_count(
    homing: &mut Homing,
    raw: i32,
    us: u32,
) -> i32 {
    homing.position(raw, us)
}

/// Whether the zero is known: 0 or 1.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn touchback_is_homed(homing: &Homing) -> i32 {
    i32::from(homing.is_found())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::fault;
    use core::mem::{offset_of, size_of};

    /// The C compiler finds the sizes and offsets of Rust, and compiles a call of every function. A wrong
    /// size does not compile.
    #[test]
    fn the_c_header_agrees_with_rust() {
        let folder = std::env::temp_dir().join(format!("touchback-c-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let numbers = [
            ("TOUCHBACK_KEYS", KEYS),
            ("TOUCHBACK_FRAME", MAX_FRAME),
            ("sizeof(touchback_facts)", size_of::<KeyFacts>()),
            ("offsetof(touchback_facts, mass)", offset_of!(KeyFacts, mass)),
            ("offsetof(touchback_facts, weight)", offset_of!(KeyFacts, weight)),
            ("offsetof(touchback_facts, friction)", offset_of!(KeyFacts, friction)),
            ("offsetof(touchback_facts, damping)", offset_of!(KeyFacts, damping)),
            ("offsetof(touchback_facts, bed)", offset_of!(KeyFacts, bed)),
            ("sizeof(touchback_build)", size_of::<CBuild>()),
            ("offsetof(touchback_build, state_keys)", offset_of!(CBuild, state_keys)),
            ("offsetof(touchback_build, abilities)", offset_of!(CBuild, abilities)),
            ("offsetof(touchback_build, rate_hz)", offset_of!(CBuild, rate_hz)),
            ("offsetof(touchback_build, report_us)", offset_of!(CBuild, report_us)),
            ("offsetof(touchback_build, force_max)", offset_of!(CBuild, force_max)),
            ("offsetof(touchback_build, force_held)", offset_of!(CBuild, force_held)),
            ("offsetof(touchback_build, step_nm)", offset_of!(CBuild, step_nm)),
            ("offsetof(touchback_build, timeout_us)", offset_of!(CBuild, timeout_us)),
            ("offsetof(touchback_build, slew)", offset_of!(CBuild, slew)),
            ("offsetof(touchback_build, thermal_time)", offset_of!(CBuild, thermal_time)),
            ("offsetof(touchback_build, bed_stiffness)", offset_of!(CBuild, bed_stiffness)),
            ("offsetof(touchback_build, bed_damping)", offset_of!(CBuild, bed_damping)),
            ("offsetof(touchback_build, bed_depth)", offset_of!(CBuild, bed_depth)),
            ("offsetof(touchback_build, guard)", offset_of!(CBuild, guard)),
            ("offsetof(touchback_build, name)", offset_of!(CBuild, name)),
            ("offsetof(touchback_build, serial)", offset_of!(CBuild, serial)),
            ("offsetof(touchback_build, firmware)", offset_of!(CBuild, firmware)),
            ("offsetof(touchback_build, reset_cause)", offset_of!(CBuild, reset_cause)),
            ("sizeof(touchback_homing)", size_of::<Homing>()),
            ("_Alignof(touchback_homing)", align_of::<Homing>()),
        ];
        let mut source = String::from("#include \"touchback_device.h\"\n");
        for (expression, value) in numbers {
            source += &format!("_Static_assert({expression} == {value}, \"{expression}\");\n");
        }
        source += "void firmware(void *memory, const touchback_build *build, const touchback_facts \
                   *facts, const int32_t *counts, float *newtons, uint8_t *out) {\n\
                   touchback_device *d = touchback_new(memory, touchback_size() + \
                   touchback_alignment(), build, facts, 0u);\n\
                   touchback_receive(d, 0);\ntouchback_hardware(d, 0);\n\
                   touchback_speed(d, 0, 0.0f);\ntouchback_tick(d, 125u, counts, newtons);\n\
                   if (touchback_report(d, out) && touchback_mode(d)) touchback_faults(d);\n\
                   touchback_homing h;\ntouchback_home(&h, 7, 2000u);\n\
                   if (touchback_homed_count(&h, 7, 125u)) touchback_is_homed(&h);\n}\n";
        let include = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
        let compiles = |name: &str, source: &str| {
            let file = folder.join(name);
            std::fs::write(&file, source).unwrap();
            let mut cc = std::process::Command::new("cc");
            cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c", "-I", include]);
            cc.arg("-o").arg(folder.join("api.o")).arg(&file).output().unwrap()
        };
        let good = compiles("api.c", &source);
        let bad = compiles("wrong.c", &source.replace("== 88,", "== 87,"));
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(good.status.success(), "{}", String::from_utf8_lossy(&good.stderr));
        assert!(!bad.status.success());
    }

    /// The functions of C find the zero of a resting key after a second, as the Rust loop does.
    #[test]
    fn homing_through_the_c_functions_is_that_of_rust() {
        let mut memory = core::mem::MaybeUninit::<Homing>::uninit();
        let mut rust = Homing::new(70, 2000);
        // SAFETY: the memory has the size and alignment of a search, and nothing else uses it.
        unsafe {
            touchback_home(core::ptr::null_mut(), 0, 0);
            touchback_home(memory.as_mut_ptr(), 70, 2000);
            let homing = memory.assume_init_mut();
            for ms in 0..1001 {
                let raw = 70 + ms % 3;
                assert_eq!(touchback_homed_count(homing, raw, 1000), rust.position(raw, 1000));
                assert_eq!(touchback_is_homed(homing), i32::from(ms >= 999), "{ms}");
            }
        }
    }

    #[test]
    fn a_device_made_through_the_c_functions_ticks_and_answers() {
        let build = CBuild {
            keys: 1,
            first_key: 40,
            state_keys: 1,
            abilities: 1,
            rate_hz: 8000,
            report_us: 1000,
            ..CBuild::default()
        };
        let mut memory = Box::new(core::mem::MaybeUninit::<CDevice>::uninit());
        let (size, facts) = (touchback_size(), [KeyFacts::default(); KEYS]);
        // An array shows the stride and alignment of devices in memory.
        let devices = [CDevice::new(build.build(facts), 0), CDevice::new(build.build(facts), 0)];
        assert_eq!(size_of_val(&devices), 2 * size);
        assert_eq!(touchback_alignment(), align_of_val(&devices));
        let (counts, mut newtons, mut out) = ([0; KEYS], [1.0; KEYS], [0; MAX_FRAME]);
        // SAFETY: the memory has the size and alignment of a device, and nothing else uses it.
        unsafe {
            assert!(touchback_new(memory.as_mut_ptr(), size - 1, &build, &facts, 0).is_null());
            let device = touchback_new(memory.as_mut_ptr(), size, &build, &facts, 0).as_mut();
            let device = device.unwrap();
            for tick in 1..=8 {
                touchback_tick(device, 125 * tick, &counts, &mut newtons);
            }
            assert_eq!(newtons, [0.0; KEYS]);
            // One state with one key.
            assert_eq!(
                [touchback_report(device, &mut out), touchback_report(device, &mut out)],
                [28, 0]
            );
            touchback_receive(device, 5);
            touchback_receive(device, 0);
            touchback_hardware(device, fault::SUPPLY);
            touchback_speed(device, 0, 0.1);
            assert_eq!((touchback_mode(device), touchback_faults(device)), (0, 32 | 1024));
        }
    }
}
