//! The name that a misspelt one means, for the end of an error.

/// Least similarity (Jaro–Winkler, 0 to 1) at which a name is suggested.
const LEAST: f64 = 0.85;
/// Similarity of a name of which `wanted` is a word, as `hardness` of `hammer_hardness`.
const WORD: f64 = 0.9;

/// The name most similar to `wanted`, as the end of an error: `; is it …?`. Empty if none is similar.
#[must_use]
pub fn suggestion<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let wanted = wanted.trim().to_lowercase().replace(['-', ' '], "_");
    let similarity = |name: &str| {
        let is_word = name.split('_').any(|word| word == wanted);
        strsim::jaro_winkler(name, &wanted).max(if is_word { WORD } else { 0.0 })
    };
    let each = names.into_iter().map(|name| (similarity(name), name));
    let nearest = each.filter(|(similarity, _)| *similarity > LEAST);
    match nearest.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, name)) => format!("; is it `{name}`?"),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn misspelt_names_and_single_words_of_names_are_recognized() {
        let names = ["let_off_mm", "drop_mm", "hammer_hardness", "hammer_mass"];
        for (wanted, near) in [
            ("let_of_mm", "let_off_mm"),
            ("Let-off mm", "let_off_mm"),
            ("hardness", "hammer_hardness"),
            ("dropp_mm", "drop_mm"),
        ] {
            assert_eq!(suggestion(wanted, names), format!("; is it `{near}`?"));
        }
        assert_eq!(suggestion("room", names), "");
    }
}
