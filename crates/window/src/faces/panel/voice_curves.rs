//! Tuning and decay of the 88 keys under the present settings.

use egui::{Align2, Shape, Stroke, TextStyle, Ui, pos2, vec2};

use crate::state::controls::Controls;
use crate::views::keyboard::name;
use crate::views::plot::{Axis, Plot};
use crate::widgets::theme;
use touchback_core::math::cast::{floor_index, single};
use touchback_core::math::compass::{KEYS, KeyNumber};
use touchback_sound::SoundSettings;
use touchback_sound::strings::unison::Unison;
use touchback_sound::tuning::scala::Texts;
use touchback_sound::tuning::stretch;

/// Least range of the tuning, cents: that of usual stretches and temperaments.
const CENTS: (f64, f64) = (-40.0, 100.0);
/// Range of the decay, s: every setting's.
const DECAY: (f64, f64) = (0.05, 200.0);
const DECAY_TICKS: [f64; 11] = [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0];
/// Intervals between the tuning's lines, cents, of which the first that gives few lines is taken.
const INTERVALS: [f64; 8] = [20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0];
/// Most lines of the tuning.
const LINES: f64 = 8.0;

/// The stages of the decay: name, and where it is from its curve, points.
const STAGES: [(&str, Align2, f32); 2] =
    [("at first", Align2::RIGHT_TOP, 24.0), ("aftersound", Align2::LEFT_BOTTOM, -14.0)];
/// Index of the key at which they are named.
const NAMED: usize = 48;

/// One key's figures.
#[derive(Clone, Copy, PartialEq, Debug)]
struct KeyFigures {
    /// Fundamental, cents from equal temperament at the set pitch of A4.
    cents: f64,
    /// Decay time (60 dB) of the first partial's quickest and slowest mode, s.
    decay: [f64; 2],
    /// Whether a scale leaves the key without a pitch.
    is_silent: bool,
}

impl KeyFigures {
    fn of(key: KeyNumber, settings: &SoundSettings) -> Self {
        let unison = Unison::new(key, settings);
        let poles = unison.group(1).poles;
        let rates = poles[..unison.string().strings].iter().map(|pole| -pole.re);
        let (slow, quick) =
            rates.fold((f64::INFINITY, 0.0f64), |(a, b), rate| (a.min(rate), b.max(rate)));
        let equal = settings.a4_hz * libm::exp2((f64::from(key.midi()) - 69.0) / 12.0);
        Self {
            cents: 1200.0 * libm::log2(stretch::fundamental(key, settings) / equal),
            decay: [quick, slow].map(|rate| libm::log(1000.0) / rate),
            is_silent: settings.scale.as_ref().is_some_and(|scale| scale.silent().contains(key)),
        }
    }
}

/// The figures of all keys, and the settings and scale they hold for.
#[derive(Clone, Debug, Default)]
pub struct VoiceCurves {
    of: Option<(SoundSettings, Option<Texts>)>,
    figures: Vec<KeyFigures>,
}

impl VoiceCurves {
    /// Draws both plots side by side, or below one another if `ui` is narrow, each `height` points high.
    pub fn ui(&mut self, ui: &mut Ui, height: f32, chosen: KeyNumber, controls: &dyn Controls) {
        let of = Some((controls.settings().sound, controls.texts()));
        if self.of != of
            && let Some((mut settings, texts)) = of.clone()
        {
            settings.scale = texts.and_then(|texts| texts.scale().ok()).into();
            self.figures = KeyNumber::all().map(|key| KeyFigures::of(key, &settings)).collect();
            self.of = of;
        }
        let count = super::fitting(ui, 2);
        ui.columns(count, |columns| {
            self.tuning(&mut columns[0], height, chosen);
            self.decay(&mut columns[count - 1], height, chosen);
        });
    }

    fn tuning(&self, ui: &mut Ui, height: f32, chosen: KeyNumber) {
        let sounding = self.figures.iter().filter(|key| !key.is_silent);
        let (low, high) =
            sounding.fold(CENTS, |(low, high), key| (low.min(key.cents), high.max(key.cents)));
        let few = |interval: &&f64| (high - low) / **interval <= LINES;
        let interval = INTERVALS.iter().find(few).copied().unwrap_or(10_000.0);
        let first = (low / interval).ceil();
        let count = floor_index((high / interval).floor() - first) + 1;
        let ticks: Vec<f64> = (0..count).map(|i| interval * (first + i as f64)).collect();
        let up = Axis::new((low, high), false, &ticks);
        let title = "tuning, cents from equal temperament";
        let plot = Plot::new(ui, height, title, compass(), up);
        let colour = theme::curve(ui, 0);
        let painter = ui.painter_at(plot.area);
        mark(ui, &plot, chosen);
        for (key, figures) in KeyNumber::all().zip(&self.figures) {
            if !figures.is_silent {
                let radius = if key == chosen { 4.0 } else { 2.2 };
                painter.circle_filled(plot.at(place(key), figures.cents), radius, colour);
            }
        }
        let text = |key: &KeyFigures| match key.is_silent {
            true => "silent".to_owned(),
            false => format!("{:+.1} cents", key.cents),
        };
        self.hint(&plot, text);
    }

    fn decay(&self, ui: &mut Ui, height: f32, chosen: KeyNumber) {
        let title = "decay by 60 dB of the first partial, s";
        let plot = Plot::new(ui, height, title, compass(), Axis::new(DECAY, true, &DECAY_TICKS));
        let painter = ui.painter_at(plot.area);
        mark(ui, &plot, chosen);
        for stage in [0, 1] {
            let keys = KeyNumber::all().zip(&self.figures);
            let line = keys.map(|(key, figures)| plot.at(place(key), figures.decay[stage]));
            let colour = theme::curve(ui, stage);
            painter.add(Shape::line(line.collect(), Stroke::new(1.8, colour)));
            let (text, align, away) = STAGES[stage];
            let Some(figures) = self.figures.get(NAMED) else { continue };
            let at =
                plot.at(NAMED as f64, figures.decay[stage]) + vec2(0.0, away * theme::size(ui));
            let font = TextStyle::Small.resolve(ui.style());
            painter.text(at, align, text, font, colour);
        }
        self.hint(&plot, |key| format!("{:.1} s, then {:.1} s", key.decay[0], key.decay[1]));
    }

    /// Shows the figures of the key under the pointer.
    fn hint(&self, plot: &Plot, text: impl Fn(&KeyFigures) -> String) {
        let Some(at) = plot.response.hover_pos() else { return };
        let share = f64::from((at.x - plot.area.min.x) / plot.area.width()).clamp(0.0, 1.0);
        let index = floor_index(share * KEYS as f64).min(KEYS - 1);
        if let Some(key) = KeyNumber::from_index(index) {
            let text = format!("{}: {}", name(key), text(&self.figures[index]));
            plot.response.clone().on_hover_text_at_pointer(text);
        }
    }
}

/// Place of a key on the axis of the compass.
fn place(key: KeyNumber) -> f64 {
    key.index() as f64 + 0.5
}

/// The axis of the 88 keys, with a line at every C.
fn compass() -> Axis {
    let all = KeyNumber::all().filter(|key| key.midi() % 12 == 0);
    let ticks = all.map(|key| (place(key), name(key))).collect();
    Axis { range: (0.0, KEYS as f64), is_logarithmic: false, ticks }
}

/// Marks the chosen key.
fn mark(ui: &Ui, plot: &Plot, chosen: KeyNumber) {
    let width = 0.5 * plot.area.width() / single(KEYS as f64);
    let x = plot.area.min.x + (2.0 * single(place(chosen))) * width;
    let band = egui::Rect::from_min_max(
        pos2(x - width, plot.area.min.y),
        pos2(x + width, plot.area.max.y),
    );
    ui.painter().rect_filled(band, 0.0, theme::accent(ui).gamma_multiply(0.15));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(midi: u8, settings: &SoundSettings) -> KeyFigures {
        KeyFigures::of(KeyNumber::from_midi(midi).unwrap(), settings)
    }

    #[test]
    fn figures_are_those_of_the_strings() {
        let settings = SoundSettings::default();
        assert!(figures(69, &settings).cents.abs() < 1e-9);
        // C8 of the median concert grand.
        assert!((figures(108, &settings).cents - 72.0).abs() < 1e-6);
        let plain = SoundSettings { stretch: 0.0, a4_hz: 415.0, ..settings.clone() };
        // The commas of the temperament have nine decimals.
        assert!(figures(108, &plain).cents.abs() < 1e-6, "against the set pitch of A4");
        // Of strings in tune the decay is proportional to sustain.
        let tuned = SoundSettings { unison_width_cents: 0.0, ..settings.clone() };
        let twice = SoundSettings { sustain: 2.0, ..tuned.clone() };
        for midi in [21, 60, 96] {
            let [quick, slow] = figures(midi, &tuned).decay;
            assert!(slow >= quick && quick > 0.1, "{midi}: {quick} {slow}");
            let ratio = figures(midi, &twice).decay[0] / quick;
            assert!((ratio / 2.0 - 1.0).abs() < 0.01, "{midi}: {ratio}");
        }
        let [quick, slow] = figures(60, &settings).decay;
        assert!(slow > 2.0 * quick, "{quick} {slow}");
    }
}
