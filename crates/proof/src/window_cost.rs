//! `window-cost`: computing time and allocations of a frame of the window without its GPU, and the audio
//! thread's cost of an open window.

use std::time::Instant;
use touchback_core::exchange::cancel;

use anyhow::{Context, Result};

use touchback_core::math::compass::KeyNumber;
use touchback_instrument::watch::monitor::link;
use touchback_instrument::{Event, Piano, Settings, Snapshot};
use touchback_offline::bench::{Folder, Report, TargetBand, short};
use touchback_offline::memory;
use touchback_window::faces::face::Face;
use touchback_window::offscreen::Offscreen;
use touchback_window::shot::Shot;
use touchback_window::state::controls::DetachedControls;

/// Frames of a run, and first frames that still build fonts and layouts.
const FRAMES: usize = 120;
const FIRST: usize = 10;
/// Frames of a face's run, drawn in software.
const DRAWN: usize = 25;
/// Blocks of a run: 2 s.
const BLOCKS: usize = 1500;
const BLOCK: usize = 64;
/// Repetitions; the quickest counts, because the others were disturbed.
const REPEATS: usize = 5;

/// Least computing time of the audio side per block, ns, and a hash of the sound.
fn audio(open: bool) -> Result<(f64, u64)> {
    let key = KeyNumber::from_midi(60).context("middle C is off the compass")?;
    let (mut best, mut hash) = (f64::INFINITY, 0);
    for _ in 0..REPEATS {
        let mut piano = Piano::new(48_000.0, &Settings::default());
        let (mut audio, mut window) = link();
        if open {
            window.open();
        }
        let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
        let mut spent = 0.0;
        hash = 0xcbf2_9ce4_8422_2325_u64;
        for block in 0..BLOCKS {
            cancel::check();
            if block % 300 == 0 {
                piano.handle(Event::NoteOn { key, velocity: 0.6 });
            }
            let begin = Instant::now();
            let _ = audio.before(&mut piano);
            spent += begin.elapsed().as_secs_f64();
            piano.process(&mut left, &mut right);
            let begin = Instant::now();
            audio.after(&mut piano, &left, &right);
            spent += begin.elapsed().as_secs_f64();
            while window.steps.receive().is_some() {}
            for sample in left.iter().chain(&right) {
                hash = (hash ^ u64::from(sample.to_bits())).wrapping_mul(0x0100_0000_01b3);
            }
        }
        best = best.min(1e9 * spent / BLOCKS as f64);
    }
    Ok((best, hash))
}

/// Least time in which the audio thread finds that a silent piano has not changed, and in which it reads all
/// poses of a piano whose 88 keys move, ns.
fn poses() -> [f64; 2] {
    let mut piano = Piano::new(48_000.0, &Settings::default());
    let mut snapshot = Snapshot::default();
    piano.show(&mut snapshot);
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    [false, true].map(|moves| {
        if moves {
            for key in KeyNumber::all() {
                piano.handle(Event::NoteOn { key, velocity: 0.6 });
            }
            piano.process(&mut left, &mut right);
        }
        let mut best = f64::INFINITY;
        for _ in 0..FRAMES {
            let begin = Instant::now();
            for _ in 0..BLOCK {
                if piano.has_changed(std::hint::black_box(&snapshot)) {
                    piano.show(std::hint::black_box(&mut snapshot));
                }
            }
            best = best.min(1e9 * begin.elapsed().as_secs_f64() / BLOCK as f64);
        }
        best
    })
}

/// Runs the window of `shot` for `count` frames; with `moves` the stroke is replayed. `watch` is called with each
/// frame's work before the GPU's, layout and conversion to meshes; with `draws` also with the GPU's, in software.
/// Returns the last frame's number of triangles, 0 with `draws`.
fn run_frames(
    shot: &Shot,
    count: usize,
    moves: bool,
    draws: bool,
    mut watch: impl FnMut(&mut dyn FnMut()),
) -> usize {
    let mut window = shot.window();
    let mut connection = DetachedControls::of(shot.settings.clone());
    let mut screen = Offscreen::default();
    window.apply_theme(&screen.context);
    window.transport.runs = moves;
    let (mut play, mut triangles) = (Vec::new(), 0);
    let mut frame = || {
        let output = screen.frame(shot.size, shot.scale, Vec::new(), |ui| {
            window.ui(ui, &mut connection, &mut play);
        });
        if draws {
            std::hint::black_box(screen.draw(output, shot.size, shot.scale));
        } else {
            triangles = screen.triangles(output);
        }
    };
    for _ in 0..count {
        watch(&mut frame);
    }
    triangles
}

/// Computing times of the frames of a face in slow motion, s, with `draws` drawn in software; triangles of the
/// last frame.
fn frame_times(face: Face, count: usize, draws: bool) -> (Vec<f64>, usize) {
    let mut times = Vec::new();
    let shot = Shot { face, ..Shot::default() };
    let triangles = run_frames(&shot, count, true, draws, |frame| {
        cancel::check();
        let begin = Instant::now();
        frame();
        times.push(begin.elapsed().as_secs_f64());
    });
    (times, triangles)
}

/// Least computing time of a frame of every face in slow motion, before the GPU's work and with it in software,
/// ms. The faces take turns, so that a disturbance meets all.
fn faces() -> [[f64; 2]; Face::ALL.len()] {
    let mut least = [[f64::INFINITY; 2]; Face::ALL.len()];
    for _ in 0..REPEATS {
        for (face, times) in Face::ALL.into_iter().zip(&mut least) {
            for (time, draws) in times.iter_mut().zip([false, true]) {
                let (all, _) = frame_times(face, DRAWN, draws);
                *time = all.into_iter().skip(FIRST).map(|s| 1e3 * s).fold(*time, f64::min);
            }
        }
    }
    least
}

/// Most allocations of a frame after the first ones over all pages of the window, at rest or in motion, and
/// the page; `None` where allocations are not counted.
fn allocations(moves: bool) -> Option<(u64, Face)> {
    let of = |face: Face| {
        let mut counts = Vec::new();
        let shot = Shot { face, ..Shot::default() };
        run_frames(&shot, FRAMES, moves, false, |frame| {
            cancel::check();
            counts.push(memory::allocations(frame));
        });
        let steady = counts.split_off(FIRST);
        steady.into_iter().max().flatten().map(|count| (count, face))
    };
    Face::ALL.into_iter().filter_map(of).max_by_key(|(count, _)| *count)
}

/// Measures all.
pub fn run(_folder: &mut Folder) -> Result<Report> {
    let mut report = Report::default();
    let (times, triangles) = frame_times(Face::Piano, FRAMES, false);
    let steady = times.iter().skip(FIRST).copied().fold(f64::INFINITY, f64::min);
    // Half a frame of a 60 Hz display.
    report.check("frame in slow motion, ms", "4", TargetBand::AtMost(8.0), 1e3 * steady);
    let first = times.first().copied().unwrap_or(f64::NAN);
    report.check("first frame with its fonts, ms", "50", TargetBand::AtMost(100.0), 1e3 * first);
    report.note(&format!("{triangles} triangles in a frame of 1180 × 760 points."));
    let costs = faces();
    let of = |face: Face| costs[Face::ALL.into_iter().position(|f| f == face).unwrap_or(0)];
    let ratio = of(Face::Piano)[1] / of(Face::Action)[1];
    let quantity = "frame of Piano over Action, drawn in software";
    report.check(quantity, "1", TargetBand::AtMost(1.0), ratio);
    for (face, [layout, drawn]) in Face::ALL.into_iter().zip(costs) {
        let (layout, drawn) = (short(layout), short(drawn));
        report
            .note(&format!("{}: {layout} ms a frame, {drawn} ms drawn in software.", face.name()));
    }
    for (state, moves) in [("at rest", false), ("in slow motion", true)] {
        if let Some((count, face)) = allocations(moves) {
            let quantity = format!("allocations a frame {state}");
            report.check(&quantity, "2000", TargetBand::AtMost(4000.0), count as f64);
            report.note(&format!("Face with the most allocations {state}: {}.", face.name()));
        } else {
            report.note("Allocations are counted in release builds.");
        }
    }

    let (closed, quiet) = audio(false)?;
    let (open, watched) = audio(true)?;
    // A block of 64 samples lasts 1 333 000 ns at 48 kHz.
    report.check("audio thread, window closed, ns a block", "0", TargetBand::AtMost(200.0), closed);
    report.check(
        "audio thread, window open, ns a block",
        "1000",
        TargetBand::AtMost(13_330.0),
        open,
    );
    let [silent, moving] = poses();
    report.check("silent piano, ns a snapshot", "50", TargetBand::AtMost(400.0), silent);
    // 0.3 % of a block of 64 samples; there are 120 snapshots a second.
    report.check("poses of 88 moving keys, ns", "2000", TargetBand::AtMost(4000.0), moving);
    report.holds("an open window changes no sample", quiet == watched);
    report.note(&format!(
        "Hash of the sound {quiet:016x}; reading the clock takes {} ns.",
        short({
            let begin = Instant::now();
            for _ in 0..1000 {
                std::hint::black_box(Instant::now());
            }
            begin.elapsed().as_secs_f64() * 1e6
        })
    ));
    Ok(report)
}
