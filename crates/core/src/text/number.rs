//! Numbers with a decimal point or comma, and numbers for readers.

/// The finite number `text`: `2.5`, `2,5`, `−0,5`, `1e-3`. Where both a point and a comma occur, the last one
/// is the decimal separator and the other groups digits by three.
#[must_use]
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let point = |text: &str| text.parse().ok().filter(|number: &f64| number.is_finite());
    if let Some(number) = point(text) {
        return Some(number);
    }
    if !text.contains([',', '−']) {
        return None;
    }
    // The minus sign of typography.
    let text = text.replace('−', "-");
    match (text.rfind(','), text.rfind('.')) {
        (Some(comma), Some(dot)) => {
            let (group, decimal) = if comma > dot { ('.', ',') } else { (',', '.') };
            let (whole, part) = text.rsplit_once(decimal)?;
            let mut groups = whole.split(group);
            let first = groups.next()?.trim_start_matches(['+', '-']);
            let is_grouped = (1..=3).contains(&first.len()) && groups.all(|g| g.len() == 3);
            if !is_grouped {
                return None;
            }
            point(&format!("{}.{part}", whole.replace(group, "")))
        }
        (Some(_), None) if text.matches(',').count() == 1 => point(&text.replace(',', ".")),
        (None, _) => point(&text),
        _ => None,
    }
}

/// Four significant figures, no trailing zeros; powers of ten where they are shorter.
#[must_use]
pub fn short(x: f64) -> String {
    if !x.is_finite() {
        return "none".into();
    }
    if x == 0.0 {
        return "0".into();
    }
    if x.abs() < 1e-4 || x.abs() >= 1e7 {
        return format!("{x:.2e}");
    }
    let whole = libm::log10(x.abs()).floor();
    let digits = crate::math::cast::floor_index((3.0 - whole).max(0.0));
    let text = format!("{x:.digits$}");
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').into();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn point_and_comma_are_decimal() {
        for (text, value) in [
            ("2.5", 2.5),
            ("2,5", 2.5),
            ("-0,5", -0.5),
            ("−0,5", -0.5),
            ("+3", 3.0),
            (" 1e-3 ", 1e-3),
            ("1,5e2", 150.0),
            (",5", 0.5),
            ("1.234,5", 1234.5),
            ("1,234.5", 1234.5),
            ("-1.234.567,25", -1_234_567.25),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", ",", "1,2,3", "1.2.3", "12.34,5", "1,,5", "nan", "inf", "1 5", "a,5", "−"]
        {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_printed_with_four_digits() {
        let cases = [(0.0, "0"), (1.0, "1"), (12.345_6, "12.35"), (-0.181_04, "-0.181")];
        for (x, text) in cases {
            assert_eq!(short(x), text);
        }
        assert_eq!(short(123_456.0), "123456");
        assert_eq!(short(1.5e-9), "1.50e-9");
        assert_eq!(short(f64::NAN), "none");
    }
}
