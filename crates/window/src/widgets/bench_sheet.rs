//! A key's measurements before and after a change, by weights, gauge and rule, as a CSV table and an SVG
//! picture.

use std::fmt::Write as _;

use touchback_action::grand::key::weigh::{FIGURES, Figure, Weighed};

/// Height of a row and x of the columns' right ends in the picture, px.
const ROW: usize = 22;
const COLUMNS: [usize; 4] = [300, 400, 500, 600];
const SIZE: (usize, usize) = (620, ROW * (FIGURES.len() + 3) + 8);

/// The cells before, after, difference, and turns of the screw if the figure is a screw's height. A cell
/// without a number is empty.
fn cells(
    figure: &Figure,
    before: Option<&Weighed>,
    after: &Weighed,
    decimals: usize,
) -> [String; 4] {
    let [was, is] = [before, Some(after)].map(|w| w.map_or(f64::NAN, figure.get));
    let difference = is - was;
    let turns = figure.pitch_mm.map_or(f64::NAN, |pitch| difference / pitch);
    let text = |value: f64, signed: bool| match (value.is_finite(), signed) {
        (false, _) => String::new(),
        (true, true) => format!("{value:+.decimals$}"),
        (true, false) => format!("{value:.decimals$}"),
    };
    [text(was, false), text(is, false), text(difference, true), text(turns, true)]
}

/// The table as CSV: `figure,unit,before,after,difference,turns`.
#[must_use]
pub fn csv(before: Option<&Weighed>, after: &Weighed) -> String {
    let mut text = String::from("figure,unit,before,after,difference,turns\n");
    for figure in &FIGURES {
        let [was, is, difference, turns] = cells(figure, before, after, 3);
        let (id, unit) = (figure.id, figure.unit);
        let _ = writeln!(text, "{id},{unit},{was},{is},{difference},{turns}");
    }
    text
}

/// The table as an SVG picture; `title` is plain text without markup.
#[must_use]
pub fn svg(title: &str, before: Option<&Weighed>, after: &Weighed) -> String {
    let (width, height) = SIZE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"16\" y=\"24\" font-size=\"16\">{title}</text>\n"
    );
    let row = |text: &mut String, line: usize, name: &str, cells: &[String; 4]| {
        let y = 28 + ROW * line;
        let _ = writeln!(text, "<text x=\"16\" y=\"{y}\">{name}</text>");
        for (cell, x) in cells.iter().zip(COLUMNS).filter(|(cell, _)| !cell.is_empty()) {
            let _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\">{cell}</text>");
        }
    };
    row(&mut text, 1, "", &["before", "after", "difference", "turns"].map(str::to_owned));
    let under = 34 + ROW;
    let right = width - 16;
    let _ = writeln!(text, "<path d=\"M16 {under}H{right}\" stroke=\"#888\"/>");
    for (line, figure) in (2..).zip(&FIGURES) {
        let unit =
            if figure.unit.is_empty() { String::new() } else { format!(", {}", figure.unit) };
        let name = format!("{}{unit}", figure.name);
        row(&mut text, line, &name, &cells(figure, before, after, 2));
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_action::ActionSettings;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn table_and_picture_contain_a_turned_screw() {
        let key = KeyNumber::from_midi(60).unwrap();
        let weighed = |let_off_mm| {
            Weighed::of(key, &ActionSettings { let_off_mm, ..ActionSettings::default() })
        };
        let (before, after) = (weighed(1.6), weighed(2.4));
        let table = csv(Some(&before), &after);
        let rows: Vec<Vec<&str>> = table.lines().map(|l| l.split(',').collect()).collect();
        assert!(rows.len() == FIGURES.len() + 1 && rows.iter().all(|row| row.len() == 6));
        let number = |id: &str, column: usize| -> f64 {
            rows.iter().find(|row| row[0] == id).unwrap()[column].parse().unwrap()
        };
        assert!((number("let_off_mm", 4) - 0.8).abs() < 0.1, "{table}");
        let turns = number("button_height_mm", 5);
        assert!((turns - number("button_height_mm", 4) / 0.7).abs() < 2e-3 && turns != 0.0);
        let picture = svg("Key C4", Some(&before), &after);
        assert!(
            picture.contains("Key C4") && picture.contains(&format!("{turns:+.2}")),
            "{picture}"
        );
        assert_eq!(picture.matches("<text").count(), picture.matches("</text>").count());
        // Without values from before there is one column.
        let alone = csv(None, &after);
        assert!(alone.lines().skip(1).all(|line| line.split(',').nth(2) == Some("")), "{alone}");
    }
}
