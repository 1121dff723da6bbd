//! A time-line of the last note under the chosen timing: finger, key, hammer and string from the note-on.

use egui::{
    Align2, Color32, Rect, RichText, Sense, Shape, Stroke as Line, TextStyle, Ui, pos2, vec2,
};

use crate::state::controls::Controls;
use crate::state::stroke::{Row, Stroke};
use crate::views::keyboard::name;
use crate::widgets::theme;
use touchback_action::Drive;
use touchback_core::math::cast::single;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::settings::Timing;

/// Height of a lane, of its curve, and of the row of times, at usual size, points.
const LANE: f32 = 21.0;
const CURVE: f32 = 15.0;
const TIMES: f32 = 16.0;
/// Space for the lanes' names at usual size, points.
const NAMES: f32 = 54.0;
/// Hammer speed of the example before a note was played, m/s.
const EXAMPLE: f64 = 1.5;
/// Most points of a curve.
const POINTS: usize = 400;
/// Full travel of key and hammer in a lane, m.
const DIP: f64 = 0.010;
const BLOW: f64 = 0.047;
/// Shown time before the note-on, and after the strike, s.
const BEFORE: f64 = 0.02;
const AFTER: f64 = 0.15;
/// Time in which the drawn string decays to 1/e, s.
const RINGS: f64 = 0.12;

/// The time-line, with the example that it shows before a note was played.
#[derive(Default)]
pub struct TimeLine {
    example: Option<Stroke>,
}

/// Time of the strike after the note-on, s, and a sentence, for a press that strikes `press` s after its beginning.
fn strike(timing: Timing, press: f64, latency: f64) -> (f64, &'static str) {
    match timing {
        Timing::Immediate => (
            0.0,
            "Immediate: the note-on is the strike. No delay; the press before it is left out.",
        ),
        Timing::Natural => (
            press,
            "Natural: the finger starts at the note-on; soft notes sound up to 0.2 s later, as on a piano.",
        ),
        Timing::LookAhead => (
            latency,
            "Look-ahead: everything is late by the latency, which the host compensates; every strike is in time.",
        ),
    }
}

impl TimeLine {
    /// Draws the last stroke, or an example of `key`, and a sentence.
    pub fn ui(
        &mut self,
        ui: &mut Ui,
        key: KeyNumber,
        last: Option<&Stroke>,
        controls: &dyn Controls,
    ) {
        let settings = controls.settings();
        let stroke = if let Some(last) = last.filter(|stroke| stroke.strike().is_some()) {
            last
        } else {
            let is_same = |s: &Stroke| s.key == key && s.settings == settings.action;
            let kept = self.example.take().filter(is_same);
            let new = || Stroke::pressed(key, &settings.action, EXAMPLE);
            &*self.example.insert(kept.unwrap_or_else(new))
        };
        let touch = settings.touch;
        let (struck, text) = strike(touch.timing, -stroke.span().0, touch.latency.seconds());
        let title = match last {
            Some(_) => format!("the last note, {}", name(stroke.key)),
            None => format!("an example, {}: play a note to see it", name(stroke.key)),
        };
        draw(ui, stroke, struck, touch.timing == Timing::Immediate, &format!("{title}. {text}"));
        let faint = theme::faint(ui);
        ui.label(RichText::new(format!("Shown: {title}.")).small().color(faint));
        ui.label(RichText::new(text).color(faint));
    }
}

/// Draws `stroke`, which strikes `struck` s after the note-on; with `hidden` what comes before is faint.
fn draw(ui: &mut Ui, stroke: &Stroke, struck: f64, hidden: bool, label: &str) {
    let large = theme::size(ui);
    let size = vec2(ui.available_width(), large * (4.0 * LANE + TIMES));
    let (area, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, label));
    let painter = ui.painter_at(area);
    let room = area.with_min_x(area.min.x + large * NAMES);
    let (from, to) = ((struck + stroke.span().0).min(0.0) - BEFORE, struck.max(0.0) + AFTER);
    let x = |time: f64| room.min.x + single((time - from) / (to - from)) * room.width();
    let base = |lane: u8| area.min.y + large * LANE * (f32::from(lane) + 1.0) - 3.0;
    let font = TextStyle::Small.resolve(ui.style());
    let (faint, ink) = (theme::faint(ui), ui.visuals().text_color());
    for (lane, word) in (0..4u8).zip(["finger", "key", "hammer", "string"]) {
        painter.hline(room.x_range(), base(lane), Line::new(0.5, faint.gamma_multiply(0.5)));
        let at = pos2(area.min.x, base(lane));
        painter.text(at, Align2::LEFT_BOTTOM, word, font.clone(), theme::curve(ui, lane.into()));
    }
    let up = large * CURVE;
    let curve =
        |lane: u8, part: &dyn Fn(f64) -> bool, colour: Color32, of: &dyn Fn(&Row) -> f64| {
            let rows =
                stroke.thinned(POINTS).filter(|row| row.time + struck <= to && part(row.time));
            let point = |row: &Row| {
                pos2(x(row.time + struck), base(lane) - up * single(of(row).clamp(0.0, 1.0)))
            };
            painter.add(Shape::line(rows.map(point).collect(), Line::new(1.6, colour)));
        };
    let finger = |row: &Row| f64::from(u8::from(!matches!(row.drive, Drive::Free)));
    let key = |row: &Row| row.view.key / DIP;
    let hammer = |row: &Row| 1.0 + row.view.hammer / BLOW;
    let lanes: [&dyn Fn(&Row) -> f64; 3] = [&finger, &key, &hammer];
    for (lane, of) in (0u8..).zip(lanes) {
        let colour = theme::curve(ui, lane.into());
        let early = if hidden { colour.gamma_multiply(0.3) } else { colour };
        curve(lane, &|time| time <= 0.0, early, of);
        curve(lane, &|time| time >= 0.0, colour, of);
    }
    // The string's envelope from the strike.
    let ring: Vec<_> = (0..=40u8)
        .map(|i| AFTER * f64::from(i) / 40.0)
        .map(|t| pos2(x(struck + t), base(3) - up * single(libm::exp(-t / RINGS))))
        .collect();
    let start = pos2(x(struck), base(3));
    painter.add(Shape::line(
        std::iter::once(start).chain(ring).collect(),
        Line::new(1.6, theme::curve(ui, 3)),
    ));
    let foot = base(3) + 4.0;
    for (time, colour) in [(0.0, ink), (struck, theme::accent(ui))] {
        painter.vline(x(time), area.min.y..=foot, Line::new(1.2, colour));
    }
    // Two words that would lie on one another are one.
    let note = painter.text(pos2(x(0.0), foot), Align2::LEFT_TOP, "note-on", font.clone(), ink);
    let words = format!("strike {:.0} ms", 1e3 * struck);
    let galley = painter.layout_no_wrap(words, font, theme::accent(ui));
    let left = (x(struck) - 0.5 * galley.size().x).min(area.max.x - galley.size().x);
    let place = Rect::from_min_size(pos2(left, foot), galley.size());
    if !place.expand(3.0).intersects(note) {
        painter.galley(place.min, galley, ink);
    }
}
