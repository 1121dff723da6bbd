//! Tests without force: states, answers, refusals, the end of a session.

use super::exchange::{Exchange, between};
use super::{CertifyError, CertifyResult};
use crate::line::conversation::Line;
use touchback_device::device::safety::DeviceMode;
use touchback_device::frame;
use touchback_device::message::{ASKS, Config, Message, Play, fault};

/// A configuration that asks for nothing.
pub(crate) const OWN_LIMITS: Config = Config { report_us: 1000, ..Config::OWN };

/// A test on an exchange.
type Test<L> = fn(&mut Exchange<L>, &'static str) -> Result<CertifyResult, CertifyError>;

/// All tests without force, by their claims, and whether they need wave commands.
pub const fn tests<L: Line>() -> [(&'static str, bool, Test<L>); 12] {
    [
        ("send a state every report interval", false, states),
        ("count time in microseconds", false, clock),
        ("answer pings", false, pings),
        ("give no force to commands without a clear", true, idle),
        ("become ready by a clear and live by a command, and name the newest command", true, lives),
        ("report damaged frames and go on", true, noise),
        ("refuse a command that plays more than 50 ms ahead", true, ahead),
        ("end force by itself without commands", true, silence),
        (
            "fade at a stop, damp, obey no command until a clear, and be idle after a stop in ready",
            true,
            stop,
        ),
        ("answer a host of another version with its hello, and stop", false, foreign),
        ("speak the newest version that the host knows (from version 3 on)", false, versions),
        ("take the known beginning of longer messages (from version 3 on)", false, longer),
    ]
}

fn states<L: Line>(
    e: &mut Exchange<L>,
    claim: &'static str,
) -> Result<CertifyResult, CertifyError> {
    e.send(&Message::Config(OWN_LIMITS));
    e.collect(0.02)?;
    let seen = e.collect(0.5)?;
    let longest = seen.windows(2).map(|pair| between(&pair[0].1, &pair[1].1)).fold(0.0, f64::max);
    let lost = seen.windows(2).filter(|p| p[1].1.seq.wrapping_sub(p[0].1.seq) != 1).count();
    Ok(CertifyResult::new(
        claim,
        format!("{} states in 0.5 s, {lost} missing, longest {:.2} ms", seen.len(), longest * 1e3),
        "500 ± 25 states, none missing, at most 1.5 ms",
        (475..=525).contains(&seen.len()) && lost == 0 && longest <= 1.5e-3,
    ))
}

fn clock<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    let seen = e.collect(1.0)?;
    let rate = match (seen.first(), seen.last()) {
        (Some((t0, s0)), Some((t1, s1))) if t1 > t0 => between(s0, s1) / (t1 - t0),
        _ => 0.0,
    };
    Ok(CertifyResult::new(
        claim,
        format!("{rate:.4} s by its clock in 1 s"),
        "0.95 to 1.05 s",
        (0.95..=1.05).contains(&rate),
    ))
}

fn pings<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    e.pongs = 0;
    for token in 0..10 {
        e.send(&Message::Ping(token));
        e.collect(0.02)?;
    }
    let pongs = e.pongs;
    Ok(CertifyResult::new(claim, format!("{pongs} of 10"), "10 of 10", pongs == 10))
}

fn idle<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    e.rest()?;
    let play = e.command(0.5, 25.0);
    e.send(&Message::Wave(play));
    let seen = e.collect(0.05)?;
    let most = seen.iter().map(|(_, s)| Exchange::<L>::key(s).force.unsigned_abs()).max();
    let is_idle = e.mode() == DeviceMode::Idle;
    Ok(CertifyResult::new(
        claim,
        format!("mode {}, force {} units", e.mode().name(), most.unwrap_or(0)),
        "mode idle, 0",
        is_idle && most == Some(0),
    ))
}

fn lives<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    e.rest()?;
    e.ready(&OWN_LIMITS)?;
    let was = e.mode();
    e.hold(0.05, 0.0, 0.0)?;
    let (is, ack, seq) = (e.mode(), e.last.map_or(0, |s| s.ack), e.seq);
    let behind = seq.wrapping_sub(ack);
    Ok(CertifyResult::new(
        claim,
        format!("{}, then {}; the named command is {behind} behind", was.name(), is.name()),
        "ready, then live; at most 20",
        was == DeviceMode::Ready && is == DeviceMode::Live && behind <= 20,
    ))
}

fn noise<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    e.hold(0.02, 0.0, 0.0)?;
    // Bytes of every value, a damaged frame, an unknown message.
    let bytes: Vec<u8> = (0..=255).chain([0, 7, 1, 2, 3, 4, 0]).collect();
    e.send_bytes(&bytes);
    e.send_bytes(&[0]);
    e.hold(0.03, 0.0, 0.0)?;
    let (mode, faults) = (e.mode(), e.faults());
    Ok(CertifyResult::new(
        claim,
        format!(
            "mode {}, fault 32 {}",
            mode.name(),
            if faults & fault::FRAME != 0 { "set" } else { "missing" }
        ),
        "live, set",
        mode == DeviceMode::Live && faults & fault::FRAME != 0,
    ))
}

fn ahead<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    e.hold(0.02, 0.0, 0.0)?;
    let mut play = e.command(0.0, 0.0);
    play.play_us = play.play_us.wrapping_add(1_000_000);
    let refused = play.seq;
    e.send(&Message::Wave(Play { ..play }));
    e.collect(0.005)?;
    e.collect(0.005)?;
    let (faults, ack) = (e.faults(), e.last.map_or(0, |s| s.ack));
    let is_set = faults & fault::CLOCK != 0;
    Ok(CertifyResult::new(
        claim,
        format!("fault 64 {}, named {}", if is_set { "set" } else { "missing" }, ack == refused),
        "set, named false",
        is_set && ack != refused,
    ))
}

fn silence<L: Line>(
    e: &mut Exchange<L>,
    claim: &'static str,
) -> Result<CertifyResult, CertifyError> {
    e.rest()?;
    e.ready(&OWN_LIMITS)?;
    e.hold(0.05, 0.0, 0.0)?;
    let sent = e.last;
    let seen = e.collect(0.06)?;
    let ended = seen.iter().find(|(_, s)| {
        !matches!(DeviceMode::of(s.mode), Some(DeviceMode::Live | DeviceMode::Ready))
    });
    let after = match (sent, ended) {
        (Some(sent), Some((_, state))) => between(&sent, state) * 1e3,
        _ => f64::INFINITY,
    };
    let is_set = e.faults() & fault::TIMEOUT != 0;
    Ok(CertifyResult::new(
        claim,
        format!("after {after:.1} ms, fault 1 {}", if is_set { "set" } else { "missing" }),
        "10 to 30 ms, set",
        (10.0..=30.0).contains(&after) && is_set,
    ))
}

fn stop<L: Line>(e: &mut Exchange<L>, claim: &'static str) -> Result<CertifyResult, CertifyError> {
    e.rest()?;
    e.ready(&OWN_LIMITS)?;
    e.hold(0.05, 0.0, 0.0)?;
    let seq = e.next();
    e.send(&Message::Stop(seq));
    let seen = e.hold(0.06, 0.5, 25.0)?;
    let modes: Vec<u8> = seen.iter().map(|(_, s)| s.mode).collect();
    let damping = DeviceMode::Damping.number();
    let is_damping = modes.last() == Some(&damping);
    e.send(&Message::Clear(seq));
    e.collect(0.02)?;
    let is_ready = e.mode() == DeviceMode::Ready;
    e.send(&Message::Stop(seq));
    e.collect(0.02)?;
    let is_idle = e.mode() == DeviceMode::Idle;
    Ok(CertifyResult::new(
        claim,
        format!("damping {is_damping}, ready {is_ready}, idle {is_idle}"),
        "true, true, true",
        is_damping && is_ready && is_idle,
    ))
}

fn foreign<L: Line>(
    e: &mut Exchange<L>,
    claim: &'static str,
) -> Result<CertifyResult, CertifyError> {
    e.rest()?;
    e.ready(&OWN_LIMITS)?;
    e.hold(0.03, 0.0, 0.0)?;
    e.forget();
    e.send(&Message::Ask { newest: 100, oldest: 100 });
    e.collect(0.05)?;
    let (has_hello, faults) = (e.hello.is_some(), e.faults());
    let has_ended = !matches!(e.mode(), DeviceMode::Live | DeviceMode::Ready);
    e.forget();
    ASKS.iter().for_each(|ask| e.send(ask));
    e.collect(0.05)?;
    let is_back = e.hello.is_some();
    let is_set = faults & fault::VERSION != 0;
    Ok(CertifyResult::new(
        claim,
        format!("hello {has_hello}, force ended {has_ended}, fault 512 {is_set}, back {is_back}"),
        "true, true, true, true",
        has_hello && has_ended && is_set && is_back,
    ))
}

/// A result that does not apply to firmware of version 2.
fn of_version_2(claim: &'static str) -> CertifyResult {
    let observed = "version 2".into();
    CertifyResult { claim, observed, required: String::new(), is_passed: None }
}

fn versions<L: Line>(
    e: &mut Exchange<L>,
    claim: &'static str,
) -> Result<CertifyResult, CertifyError> {
    if e.description.version < 3 {
        return Ok(of_version_2(claim));
    }
    let mut spoken = [0; 2];
    for (ask, version) in ASKS.iter().zip(&mut spoken) {
        e.forget();
        e.send(ask);
        e.collect(0.05)?;
        *version = e.hello.map_or(0, |hello| hello.version);
    }
    Ok(CertifyResult::new(
        claim,
        format!("{} when asked for 2, {} when asked for 2 to 3", spoken[0], spoken[1]),
        "2, 3",
        spoken == [2, 3],
    ))
}

fn longer<L: Line>(
    e: &mut Exchange<L>,
    claim: &'static str,
) -> Result<CertifyResult, CertifyError> {
    if e.description.version < 3 {
        return Ok(of_version_2(claim));
    }
    e.rest()?;
    e.ready(&OWN_LIMITS)?;
    e.pongs = 0;
    let mut payload = [0; 8];
    let length = Message::Ping(77).encode(&mut payload).unwrap_or(0);
    let mut frame = [0; 16];
    // Three bytes more than a ping has.
    let whole = payload.get(..length + 3).and_then(|longer| frame::encode(longer, &mut frame));
    e.send_bytes(&frame[..whole.unwrap_or(0)]);
    e.collect(0.03)?;
    let (is_answered, is_fault) = (e.pongs == 1, e.faults() & fault::FRAME != 0);
    Ok(CertifyResult::new(
        claim,
        format!("answered {is_answered}, fault 32 {is_fault}"),
        "true, false",
        is_answered && !is_fault,
    ))
}
