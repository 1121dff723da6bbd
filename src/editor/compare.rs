//! Two settings to go back and forth between.

use egui::Ui;

use crate::editor::controls::Controls;
use crate::instrument::Settings;

/// Which of the two is in force, and the other one.
#[derive(Clone, Debug, Default)]
pub struct Compare {
    is_b: bool,
    other: Option<Settings>,
}

impl Compare {
    /// Buttons A and B, and a copy from one to the other.
    pub fn ui(&mut self, ui: &mut Ui, controls: &mut dyn Controls) {
        ui.horizontal(|ui| {
            for (is_b, name) in [(false, "A"), (true, "B")] {
                let label = ui.selectable_label(self.is_b == is_b, format!("  {name}  "));
                let hint = format!("Play with the settings {name}");
                if label.on_hover_text(hint).clicked() && self.is_b != is_b {
                    self.swap(controls);
                }
            }
            let text = if self.is_b { "Copy B to A" } else { "Copy A to B" };
            if ui.button(text).on_hover_text("Make both alike").clicked() {
                self.other = Some(controls.settings());
            }
        });
    }

    /// Switches to the other settings; equal to the present ones until they were set.
    pub fn swap(&mut self, controls: &mut dyn Controls) {
        let present = controls.settings();
        if let Some(other) = self.other.replace(present) {
            controls.recall(&other);
        }
        self.is_b = !self.is_b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::editor::controls::DetachedControls;
    use crate::params::find;

    #[test]
    fn both_settings_survive_going_back_and_forth() {
        let (mut desk, mut compare) = (DetachedControls::default(), Compare::default());
        let blow = find("blow_mm").unwrap();
        desk.put(blow, 44.0);
        compare.swap(&mut desk);
        assert_eq!(desk.value(blow), 44.0);
        desk.put(blow, 50.0);
        for expected in [44.0, 50.0, 44.0] {
            compare.swap(&mut desk);
            assert_eq!(desk.value(blow), expected);
        }
    }
}
