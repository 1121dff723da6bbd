//! Marks the audio thread's work for the real-time sanitizer of LLVM, which then stops the process at a call
//! that may wait: heap, locks, files, system calls. Built by `tests/realtime.sh` only (`--cfg
//! realtime_sanitizer`); otherwise nothing of it exists at run time.

#[cfg(realtime_sanitizer)]
unsafe extern "C" {
    fn __rtsan_realtime_enter();
    fn __rtsan_realtime_exit();
}

/// Real-time work of this thread, until it is dropped.
pub(crate) struct Section(());

impl Section {
    /// Begins real-time work.
    pub(crate) fn enter() -> Self {
        #[cfg(realtime_sanitizer)]
        // SAFETY: the sanitizer's own function; `drop` has its counterpart on the same thread.
        unsafe {
            __rtsan_realtime_enter();
        }
        Self(())
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        #[cfg(realtime_sanitizer)]
        // SAFETY: follows `enter` on the same thread, as the value is not `Send` to others in use.
        unsafe {
            __rtsan_realtime_exit();
        }
    }
}

#[cfg(all(test, realtime_sanitizer))]
mod tests {
    use super::*;
    use std::hint::black_box;
    use std::process::Command;

    /// Name of the variable with the name of the fault.
    const FAULT: &str = "TOUCHBACK_REALTIME_FAULT";

    /// Runs this test alone in a process of its own, with a fault in its real-time section.
    fn ends_well(fault: &str) -> bool {
        let program = std::env::current_exe().unwrap();
        let name = "realtime::tests::faults_in_a_section_end_the_process";
        let mut command = Command::new(program);
        command.args([name, "--exact", "--test-threads=1"]).env(FAULT, fault);
        command.output().unwrap().status.success()
    }

    #[test]
    fn faults_in_a_section_end_the_process() {
        let Ok(fault) = std::env::var(FAULT) else {
            assert!(ends_well("none"));
            for fault in ["heap", "lock", "file"] {
                assert!(!ends_well(fault), "{fault} is not caught");
            }
            return;
        };
        let lock = std::sync::Mutex::new(1);
        let held = lock.lock().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let section = Section::enter();
                match &*fault {
                    "heap" => drop(black_box(vec![1u8; 100])),
                    "lock" => drop(black_box(lock.lock())),
                    "file" => drop(black_box(std::fs::File::open("/dev/null"))),
                    _ => {}
                }
                drop(section);
            });
            std::thread::sleep(std::time::Duration::from_millis(50));
            drop(held);
        });
    }
}
