//! `touchback-play`: the instrument as an application. `touchback play` starts it; a program of its own, so that
//! the command needs no library of the audio system.

use std::process::ExitCode;

fn main() -> ExitCode {
    let name = std::iter::once("touchback play".to_owned());
    if touchback::play(name.chain(std::env::args().skip(1))) {
        return ExitCode::SUCCESS;
    }
    eprintln!("touchback: the instrument did not start; the log above has the reason");
    ExitCode::from(2)
}
