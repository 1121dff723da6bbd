use super::*;

const RATE: f64 = 48_000.0;
const SPEC: RoomSpec = RoomSpec { level: 0.5, return_level: 1.0, size: 10.0, time: 0.8 };

/// Both channels after a click in both.
fn channels(room: &mut Room, seconds: f64) -> [Vec<f32>; 2] {
    let mut out = [Vec::new(), Vec::new()];
    for block in 0..floor_index(seconds * RATE / BLOCK as f64) {
        room.begin_block();
        let (mut l, mut r) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
        if block == 0 {
            (l[0], r[0]) = (1.0, 1.0);
        }
        let sent = (l, r);
        room.process(0, [&sent.0, &sent.1], &mut l, &mut r, None);
        out[0].extend(l);
        out[1].extend(r);
    }
    out
}

fn ring(room: &mut Room, seconds: f64) -> Vec<f32> {
    let [left, right] = channels(room, seconds);
    left.iter().zip(right).map(|(a, b)| a + b).collect()
}

#[test]
fn echoes_decay_at_the_requested_rate_and_end() {
    let mut room = Room::new(RATE, SPEC, Kernel::detect());
    let out = ring(&mut room, 3.0);
    let energy = |from: f64, to: f64| {
        let part = &out[floor_index(from * RATE)..floor_index(to * RATE)];
        part.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>()
    };
    let fall = 10.0 * (energy(0.1, 0.3) / energy(0.3, 0.5)).log10();
    // High frequencies decay faster than the 15 dB in 0.2 s.
    assert!((15.0..24.0).contains(&fall), "{fall} dB");
    assert!(room.is_silent());
    let all: f64 = out[1..].iter().map(|x| f64::from(*x).powi(2)).sum();
    // Most of a click's energy is at frequencies that the walls absorb.
    assert!((0.03..0.5).contains(&all), "{all}");
}

/// Ratio of the samples beyond one standard deviation in 20 ms around `time` to that of noise.
fn density(out: &[f32], time: f64) -> f64 {
    let window = &out[floor_index((time - 0.01) * RATE)..floor_index((time + 0.01) * RATE)];
    let power = window.iter().map(|x| x * x).sum::<f32>() / window.len() as f32;
    let beyond = window.iter().filter(|x| **x * **x > power).count();
    beyond as f64 / window.len() as f64 / 0.3173
}

/// Largest autocorrelation of `out`, its decay removed, at lags of 10–200 ms.
fn comb(out: &[f32], time: f64) -> f64 {
    let level =
        |(n, x): (usize, &f32)| f64::from(*x) * libm::pow(10.0, 3.0 * n as f64 / RATE / time);
    let flat: Vec<f64> = out.iter().enumerate().map(level).collect();
    let product = |lag: usize| {
        let late = &flat[lag..];
        flat.iter().zip(late).map(|(a, b)| a * b).sum::<f64>() / late.len() as f64
    };
    let lags = (480..9600).map(product).map(f64::abs);
    lags.fold(0.0, f64::max) / product(0)
}

/// Decay time at `hz`, s, between `from` and `to`.
fn decay(both: &[Vec<f32>; 2], hz: f64, from: f64, to: f64) -> f64 {
    let energy = |begin: f64| {
        let bin = |out: &Vec<f32>, hz: f64| {
            let part = &out[floor_index(begin * RATE)..][..4800];
            let step = TAU * hz / RATE;
            let sum = part.iter().enumerate().fold([0.0, 0.0], |[a, b], (n, x)| {
                let (sin, cos) = (step * n as f64).sin_cos();
                [a + f64::from(*x) * cos, b + f64::from(*x) * sin]
            });
            sum[0] * sum[0] + sum[1] * sum[1]
        };
        let bins = (-30..30).map(|i| hz * libm::exp2(f64::from(i) / 60.0));
        bins.map(|hz| bin(&both[0], hz) + bin(&both[1], hz)).sum::<f64>()
    };
    60.0 * (to - from) / (10.0 * (energy(from) / energy(to)).log10())
}

/// As far from a comb and from single echoes as falling noise nearly is; see the header for the reasons.
#[test]
fn echoes_are_dense_without_a_comb_and_highs_decay_sooner() {
    for (size, time) in [(3.0, 0.8), (9.0, 1.8), (18.0, 2.5), (30.0, 2.2), (40.0, 3.5)] {
        let spec = RoomSpec { size, time, ..SPEC };
        let both = channels(&mut Room::new(RATE, spec, Kernel::detect()), 2.0 * time);
        let out = &both[0];
        let tail = &out[4800..floor_index((0.1 + time) * RATE)];
        let windows = both.iter().flat_map(|out| [0.07, 0.08, 0.09].map(|t| density(out, t)));
        let density = windows.sum::<f64>() / 6.0;
        let comb = comb(tail, time);
        let [low, high] = [1000.0, 4000.0].map(|hz| decay(&both, hz, 0.15, 0.15 + 0.4 * time));
        assert!(density > 0.9 && comb < 0.15, "{size} m: {density}, {comb}");
        assert!((0.85..1.15).contains(&(low / time)), "{size} m: {low} s");
        assert!((0.6..0.8).contains(&(high / low)), "{size} m: {low} s, {high} s");
    }
}

#[test]
fn a_room_switched_off_adds_nothing_and_a_moved_wall_stays_bounded() {
    let mut room = Room::new(RATE, RoomSpec { level: 0.0, ..SPEC }, Kernel::detect());
    assert!(ring(&mut room, 0.5)[1..].iter().all(|x| *x == 0.0) && room.is_silent());
    let mut room = Room::new(RATE, SPEC, Kernel::detect());
    let _ = ring(&mut room, 0.1);
    room.set(RoomSpec { size: 40.0, ..SPEC });
    let loudest = |x: Vec<f32>| x.iter().skip(1).fold(0.0f32, |m, x| m.max(x.abs()));
    assert!(loudest(ring(&mut room, 0.5)) < 1.5);
    room.set(RoomSpec { size: 3.0, ..SPEC });
    assert!(loudest(ring(&mut room, 0.5)) < 1.5);
}

/// Echoes of a steady tone while the room is set to `of` each block, in portions of `portion` samples.
fn echoes(of: impl Fn(usize) -> RoomSpec, portion: usize) -> Vec<f32> {
    let mut room = Room::new(RATE, of(0), Kernel::detect());
    let mut out = Vec::new();
    for block in 0..1_500 {
        room.set(of(block));
        room.begin_block();
        let tone: [f32; BLOCK] = std::array::from_fn(|i| {
            single((TAU * 300.0 * (block * BLOCK + i) as f64 / RATE).sin())
        });
        for at in (0..BLOCK).step_by(portion) {
            let (mut l, mut r) = (vec![0.0; portion], vec![0.0; portion]);
            let sent = &tone[at..at + portion];
            room.process(at, [sent, sent], &mut l, &mut r, None);
            out.extend(l);
        }
    }
    // Without the tone's onset.
    out.split_off(750 * BLOCK)
}

/// The fourth difference of a tone of 300 Hz is 56 dB below it; a jump is as large in both.
#[test]
fn another_room_replaces_the_first_without_a_click() {
    /// What moves, and the room for a time, s.
    type Moved = (&'static str, fn(f64) -> RoomSpec);
    let moved: [Moved; 4] = [
        ("size", |x| RoomSpec { size: 9.0 + 20.0 * x, ..SPEC }),
        ("time", |x| RoomSpec { time: 0.3 + 3.0 * x, ..SPEC }),
        ("level", |x| RoomSpec { level: x, ..SPEC }),
        ("return level", |x| RoomSpec { return_level: 0.5 + x, ..SPEC }),
    ];
    for (name, of) in moved {
        let out = echoes(|block| of(f64::from(u8::from(block >= 900))), BLOCK);
        let loudest = out.iter().fold(0.0f32, |most, x| most.max(x.abs()));
        let fourth = |w: &[f32]| (w[0] - 4.0 * w[1] + 6.0 * w[2] - 4.0 * w[3] + w[4]).abs();
        let roughest = out.windows(5).map(fourth).fold(0.0, f32::max);
        assert!(roughest < 4e-3 * loudest, "{name}: {roughest} {loudest}");
    }
}

#[test]
fn portions_do_not_change_the_echoes_of_a_moving_room() {
    let of = |block: usize| {
        let x = (block / 100 % 2) as f64;
        RoomSpec { size: 5.0 + 10.0 * x, time: 0.5 + x, level: 0.5 + 0.1 * x, return_level: 1.0 }
    };
    let whole = echoes(of, BLOCK);
    assert!([1, 16].iter().all(|portion| echoes(of, *portion) == whole));
}
