//! The two engines of a piano as traits, so that tests can replace both by predictable ones.
//!
//! The documentation of a trait method is that of the engine's own method of the same name.

use crate::watch::trace::Traced;
use touchback_action::interface::events::EventList;
use touchback_action::interface::press::{Effort, Press, Travel, Voice};
use touchback_action::{ActionSettings, Drive, SwitchableKeyboard};
use touchback_core::math::compass::KeyNumber;
use touchback_core::math::key_set::KeySet;
use touchback_core::mech::hammer::HammerSettings;
use touchback_sound::board::microphones::Distant;
use touchback_sound::{Knock, Sound, SoundSettings};

/// Declares a trait together with its implementation by one engine: first the methods that take
/// `&mut self`, then those that take `&self`. Each signature is written once, without the receiver.
macro_rules! engine {
    (
        $(#[$about:meta])*
        trait $name:ident: [$($base:path)?] for $engine:ty;
        change { $(fn $change:ident($($c_arg:ident: $c_type:ty),*) $(-> $c_result:ty)?;)* }
        read { $(fn $read:ident($($r_arg:ident: $r_type:ty),*) -> $r_result:ty;)* }
    ) => {
        $(#[$about])*
        pub trait $name $(: $base)? {
            $(fn $change(&mut self, $($c_arg: $c_type),*) $(-> $c_result)?;)*
            $(fn $read(&self, $($r_arg: $r_type),*) -> $r_result;)*
        }

        // `<$engine>::method` is the inherent method, which takes precedence over the trait's.
        impl $name for $engine {
            $(fn $change(&mut self, $($c_arg: $c_type),*) $(-> $c_result)? {
                <$engine>::$change(self, $($c_arg),*)
            })*
            $(fn $read(&self, $($r_arg: $r_type),*) -> $r_result {
                <$engine>::$read(self, $($r_arg),*)
            })*
        }
    };
}

engine! {
    /// The action of all keys.
    trait Keys: [Traced] for SwitchableKeyboard;
    change {
        fn reset();
        fn configure(settings: &ActionSettings);
        fn settle();
        fn touch(key: KeyNumber);
        fn drive(key: KeyNumber, drive: Drive);
        fn construct_strike(key: KeyNumber, speed: f64) -> bool;
        fn construct_release(key: KeyNumber, speed: f64);
        fn sustain(lift: f64);
        fn step_without(waiting: KeySet, events: &mut EventList);
        fn catch_up(behind: KeySet, events: &mut EventList);
    }
    read {
        fn awake() -> usize;
        fn are_asleep() -> bool;
        fn unbalanced() -> u64;
        fn awake_keys() -> KeySet;
        fn damper_lift(key: KeyNumber) -> f64;
        fn key_depth(key: KeyNumber) -> f64;
        fn key_speed(key: KeyNumber) -> f64;
        fn key_acceleration(key: KeyNumber, drive: Drive) -> Option<f64>;
        fn press(key: KeyNumber) -> Option<Press>;
        fn pressing(key: KeyNumber, hammer_speed: f64) -> Option<Effort>;
        fn travel(key: KeyNumber) -> Option<Travel>;
        fn voice(key: KeyNumber) -> Voice;
        fn ports(key: KeyNumber) -> [f64; 2];
        fn shank(key: KeyNumber) -> Option<[f64; 2]>;
        fn hammer_height(key: KeyNumber) -> Option<f64>;
        fn hammer_rise(key: KeyNumber) -> f64;
        fn tray() -> f64;
    }
}

engine! {
    /// Strings, board and room.
    trait Strings: [] for Sound;
    change {
        fn reset();
        fn set(settings: &SoundSettings);
        fn settle();
        fn set_hammer(key: KeyNumber, hammer: &HammerSettings);
        fn strike(key: KeyNumber, speed: f64, delay: f64);
        fn pluck(key: KeyNumber, displacement: f64, delay: f64);
        fn strike_rod(key: KeyNumber, mass: f64, speed: f64, delay: f64);
        fn blow(key: KeyNumber, pressure: f64);
        fn damper(key: KeyNumber, lift: f64);
        fn retune(key: KeyNumber, cents: f64);
        fn una_corda(amount: f64);
        fn knock(key: KeyNumber, knock: Knock, speed: f64);
        fn begin(waiting: usize);
        fn hold(waiting: usize);
        fn process_with(left: &mut [f32], right: &mut [f32], distant: Distant);
    }
    read {
        fn settings() -> &SoundSettings;
        fn is_silent() -> bool;
        fn is_at_rest() -> bool;
        fn longest_ring() -> f64;
    }
}
