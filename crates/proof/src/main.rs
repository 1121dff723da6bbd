//! Developers' measurements: costs, torture, campaigns and the influence of every parameter, as further experiments of
//! the command: `touchback-proof lab NAME`. In no archive.

mod action_cost;
mod action_speeds;
mod bridge_stroke;
mod catalogue;
mod fit_recovery;
mod haptics_campaign;
mod haptics_cost;
mod influence;
mod instrument_load;
mod look_ahead;
mod presets;
mod sound_cost;
mod sound_torture;
mod window_cost;

fn main() -> std::process::ExitCode {
    touchback_command::cli::main(&[touchback_lab::experiment::EXPERIMENTS, catalogue::MEASUREMENTS])
}
