//! Arbitrary bytes as frames and messages, received by both ends of a line.
//!
//! The bytes go to the frame receiver; every payload that decodes must encode to the same bytes.
//! The same bytes then go to a keyboard that was armed and to a host, which must neither panic nor
//! give force beyond the limit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use touchback_haptics::emulator::{KeyboardDesign, build};
use touchback_haptics::servo::{Servo, ServoOptions};
use touchback_device::device::Device;
use touchback_device::frame::{FrameReceiver, MAX_FRAME, MAX_PAYLOAD};
use touchback_device::message::{KEYS, Message};

fuzz_target!(|bytes: &[u8]| {
    let mut receiver = FrameReceiver::new();
    for byte in bytes {
        if let Some(Ok(payload)) = receiver.push(*byte) {
            exact(payload);
        }
    }
    exact(bytes);

    let design = KeyboardDesign { keys: 2, ..KeyboardDesign::default() };
    let mut device: Device<KEYS> = Device::new(build(&design), 0);
    let mut servo = Servo::new(ServoOptions::default(), 0.0);
    let mut out = Vec::new();
    let mut frame = [0; MAX_FRAME];
    if let Some(length) = Message::Clear(1).frame(&mut frame) {
        frame[..length].iter().for_each(|b| device.receive(*b));
    }
    // The bytes themselves, and as the payload of a valid frame.
    let good =
        touchback_device::frame::encode(bytes.get(..MAX_PAYLOAD).unwrap_or(bytes), &mut frame);
    let framed = &frame[..good.unwrap_or(0)];
    let (mut forces, mut now_us) = ([0.0; KEYS], 0u32);
    for (i, part) in bytes.chunks(64).chain([framed]).enumerate() {
        part.iter().for_each(|b| device.receive(*b));
        servo.receive(1e-3 * i as f64, part, &mut out, &mut ());
        servo.tick(1e-3 * i as f64, &mut out);
        for _ in 0..8 {
            now_us = now_us.wrapping_add(125);
            device.tick(now_us, &[0; KEYS], &mut forces);
            assert!(forces.iter().all(|f| f.abs() <= 20.0));
        }
        let mut report = [0; MAX_FRAME];
        while device.report(&mut report) > 0 {}
    }
});

fn exact(payload: &[u8]) {
    if let Some(message) = Message::decode(payload) {
        let mut again = [0; MAX_PAYLOAD];
        let length = message.encode(&mut again);
        assert_eq!(length.map(|n| &again[..n]), Some(payload));
    }
}
