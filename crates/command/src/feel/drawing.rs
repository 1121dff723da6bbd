//! Drawing of key and hammer on the terminal: one line that is written again 25 times a second.

use touchback_haptics::sidecar::SidecarReport;

/// Travel of a key front, m, and of a hammer up to the string, m, that fill a bar.
const TRAVEL: (f64, f64) = (10.5e-3, 48e-3);
/// Cells of a bar; a cell has eight steps.
const CELLS: u32 = 20;

/// The line for the deepest of the first ten keys of every port: its depth and force, and the distance of its hammer from
/// the string.
#[must_use]
pub fn line<'a>(reports: impl Iterator<Item = &'a SidecarReport>) -> String {
    let keys = reports.flat_map(|report| (0..).zip(&report.keys).map(move |key| (report, key)));
    let deepest = keys.max_by(|(_, a), (_, b)| a.1[0].total_cmp(&b.1[0]));
    let Some((report, (i, [depth, force]))) = deepest else {
        return String::new();
    };
    let i: usize = i;
    let number = report.status.hello.map_or(0, |hello| usize::from(hello.first_key) + i);
    let mut text =
        format!("key {number:2} {} {:5.2} mm {force:5.2} N", bar(depth / TRAVEL.0), depth * 1e3);
    if let Some(height) = report.hammers.get(i).copied().flatten() {
        text += &format!("  hammer {} {:5.1} mm", bar(1.0 + height / TRAVEL.1), height * 1e3);
    }
    text
}

/// A bar that is filled to this share.
fn bar(share: f64) -> String {
    const PARTS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let steps =
        touchback_core::math::cast::count((share.clamp(0.0, 1.0) * 8.0 * f64::from(CELLS)).round());
    let cell = |i: u32| match steps.saturating_sub(8 * i) {
        left @ 0..=7 => PARTS[left as usize],
        _ => '█',
    };
    format!("▕{}▏", (0..CELLS).map(cell).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_has_a_constant_width_and_grows_with_its_share() {
        let filled = |share: f64| bar(share).chars().filter(|c| *c == '█').count();
        for (share, full) in [(-1.0, 0), (0.0, 0), (0.5, 10), (1.0, 20), (9.0, 20), (f64::NAN, 0)] {
            assert_eq!((bar(share).chars().count(), filled(share)), (22, full), "{share}");
        }
        assert_eq!(bar(1.0 / 160.0).chars().nth(1), Some('▏'));
    }

    #[test]
    fn the_line_shows_the_deepest_key_and_its_hammer() {
        let mut report = SidecarReport::default();
        report.keys[3] = [6.2e-3, 1.25];
        assert!(
            line(std::iter::once(&report)).ends_with(" 6.20 mm  1.25 N"),
            "{}",
            line(std::iter::once(&report))
        );
        report.hammers[3] = Some(-24e-3);
        let text = line(std::iter::once(&report));
        assert!(text.ends_with("hammer ▕██████████          ▏ -24.0 mm"), "{text}");
    }
}
