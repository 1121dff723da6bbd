//! Pictures of the window in a scripted state: notes played on an instrument, drawn off screen.

use crate::faces::face::Face;
use crate::offscreen::{Offscreen, Picture};
use crate::state::controls::DetachedControls;
use crate::state::window_state::Appearance;
use crate::views::keyboard;
use crate::window::Window;
use touchback_core::math::cast::rounded_i32;
use touchback_core::math::compass::KeyNumber;
use touchback_haptics::action::Action;
use touchback_instrument::host::midi::controller::SUSTAIN;
use touchback_instrument::host::preset::user_presets::UserPresets;
use touchback_instrument::settings::Timing;
use touchback_instrument::watch::monitor::tape::TimedMessage;
use touchback_instrument::{Event, Piano, Settings, Snapshot};

/// Sample rate of the scripted piano, Hz.
pub const RATE: f64 = 48_000.0;
/// Block of the scripted piano, samples.
pub const BLOCK: usize = 240;
/// Blocks for which the chord is held, 0.3 s, and shown after its release, 0.16 s.
const HELD: usize = 60;
const LET_GO: usize = 32;

/// The script of a picture.
#[derive(Clone, Debug)]
pub struct Shot {
    /// Size of the window, points.
    pub size: (f32, f32),
    /// Pixels per point.
    pub scale: f32,
    /// Whether the colours are dark.
    pub dark: bool,
    /// The played key; a fifth and a tenth above sound with it.
    pub key: KeyNumber,
    /// Hammer speed, m/s.
    pub speed: f64,
    /// Shown time, s from the strike; none shows the key at rest before anything is played.
    pub time: Option<f64>,
    /// The face between bar and keys.
    pub face: Face,
    /// Whether the list of pianos is open.
    pub list_open: bool,
    /// The action of a motorized keyboard.
    pub haptic_action: Action,
    /// Whether the scope shows force over depth.
    pub over_depth: bool,
    /// Whether the states of the action are shown.
    pub states: bool,
    /// The instrument's settings.
    pub settings: Settings,
}

impl Default for Shot {
    fn default() -> Self {
        Self {
            size: crate::state::window_state::USUAL,
            scale: 1.0,
            dark: false,
            key: keyboard::Strip::default().chosen,
            speed: 1.5,
            time: Some(0.0),
            face: Face::Action,
            list_open: false,
            haptic_action: Action::default(),
            over_depth: false,
            states: false,
            settings: Settings::default(),
        }
    }
}

impl Shot {
    /// The window after the script.
    #[must_use]
    pub fn window(&self) -> Window {
        let mut window = Window::default();
        (window.face, window.list_open) = (self.face, self.list_open);
        window.appearance = Appearance {
            theme: if self.dark {
                egui::ThemePreference::Dark
            } else {
                egui::ThemePreference::Light
            },
            ..Appearance::default()
        };
        window.scope.over_depth = self.over_depth;
        window.states.is_shown = self.states;
        // Pictures must not show the own pianos of the user who draws them.
        window.show_pianos_of(UserPresets::at("Touchback/Presets".into()));
        #[cfg(feature = "serial")]
        {
            use touchback_haptics::connection::{Choice, KeyboardConnection};
            let connection = KeyboardConnection::default();
            connection.choose(Choice { action: self.haptic_action, ..Choice::default() });
            window.keyboard.connection = Some(connection.into());
        }
        let Some(time) = self.time else { return window };
        let mut settings = self.settings.clone();
        settings.touch.timing = Timing::Natural;
        let mut piano = Piano::new(RATE, &settings);
        piano.watch(true);
        let velocity = settings.touch.velocity(self.speed);
        let chord: Vec<KeyNumber> = [7, 16, 0]
            .iter()
            .filter_map(|up| KeyNumber::from_index(self.key.index() + up))
            .collect();
        piano.handle(Event::Sustain(0.6));
        window.messages().push(TimedMessage { time: 0.0, bytes: [0xb0, SUSTAIN, 76] });
        for key in &chord {
            piano.handle(Event::NoteOn { key: *key, velocity });
            let sent = u8::try_from(rounded_i32(127.0 * velocity)).unwrap_or(127).min(127);
            window.messages().push(TimedMessage { time: 0.0, bytes: [0x90, key.midi(), sent] });
        }
        let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
        let mut run = |piano: &mut Piano, window: &mut Window, blocks: usize| {
            for _ in 0..blocks {
                piano.process(&mut left, &mut right);
                window.raise_levels([&left, &right].map(|channel| {
                    f64::from(channel.iter().fold(0.0f32, |peak, s| peak.max(s.abs())))
                }));
                for sample in piano.trace() {
                    window.absorb(sample, &settings.action);
                }
                piano.trace_read();
            }
        };
        run(&mut piano, &mut window, HELD);
        let mut snapshot = Snapshot::default();
        piano.show(&mut snapshot);
        window.show(&snapshot);
        for key in &chord {
            piano.handle(Event::NoteOff { key: *key, velocity: 0.5 });
        }
        run(&mut piano, &mut window, LET_GO);
        let to_strike =
            window.memory.last.as_ref().and_then(|s| s.strike()).map_or(0.0, |row| row.time);
        window.transport.scrub(to_strike + time);
        window
    }

    /// The picture.
    #[must_use]
    pub fn take(&self) -> Picture {
        let mut window = self.window();
        let mut connection = DetachedControls::of(self.settings.clone());
        let mut screen = Offscreen::default();
        window.apply_theme(&screen.context);
        let mut play = Vec::new();
        let mut output = None;
        // Panels and plots need a few frames for their layout, hover animations to end, and folders to be
        // read.
        let mut left = 6;
        while left > 0 {
            left -= 1;
            if window.is_reading() && left < 3 {
                left = 3;
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            let frame = screen.frame(self.size, self.scale, Vec::new(), |ui| {
                window.ui(ui, &mut connection, &mut play);
            });
            if let Some(old) = output.replace(frame) {
                egui::FullOutput::drop_without_applying_deltas(old);
            }
        }
        output.map_or_else(
            || Picture::new(0, 0, [0; 4]),
            |output| screen.draw(output, self.size, self.scale),
        )
    }
}
