//! A scale as a project stores it: the texts of its files, so that loading needs no other file.

use super::{KeyMap, Scale, notes};

/// Texts of a scale file and its keyboard map.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Texts {
    /// Displayed name: that of the file.
    pub name: String,
    /// Text of the `.scl` file.
    pub scale: String,
    /// Text of the `.kbm` file; without it the scale begins on middle C and A4 is at 440 Hz, or the pitch is that of
    /// an `.ascl` file, times the piano's pitch of A4 over 440 Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map: Option<String>,
}

impl Texts {
    /// The scale that the texts describe.
    ///
    /// # Errors
    /// File, line, and what would be right.
    pub fn scale(&self) -> Result<Scale, String> {
        let notes = notes(&self.scale).map_err(|e| format!("scale, {e}"))?;
        let map = match &self.map {
            Some(text) => KeyMap::read(text).map_err(|e| format!("keyboard map, {e}"))?,
            None => KeyMap::of_scale(&self.scale, &notes).map_err(|e| format!("scale, {e}"))?,
        };
        Scale::new(&notes, &map).map_err(|e| format!("scale and map, {e}"))
    }
}

/// An example of a scale file: twelve Pythagorean notes.
pub const PYTHAGOREAN: &str = "fifths\n12\n2187/2048\n9/8\n32/27\n81/64\n4/3\n729/512\n3/2\n\
                                 128/81\n27/16\n16/9\n243/128\n2/1\n";

#[cfg(test)]
mod tests {
    use super::*;
    use touchback_core::math::compass::KeyNumber;

    #[test]
    fn texts_are_the_scale_and_faults_name_file_and_line() {
        let scale =
            "even\n12\n100.\n200.\n300.\n400.\n500.\n600.\n700.\n800.\n900.\n1000.\n1100.\n2/1";
        let map = "0\n0\n127\n60\n69\n432.0\n0\n";
        let texts = Texts { name: "even.scl".into(), scale: scale.into(), map: Some(map.into()) };
        let read = texts.scale().unwrap();
        let flat = 1200.0 * (432.0f64 / 440.0).log2();
        assert!((read.cents(KeyNumber::from_midi(30).unwrap()) - flat).abs() < 1e-3);
        let bad = Texts { map: Some("x".into()), ..texts.clone() };
        assert!(bad.scale().unwrap_err().starts_with("keyboard map, line 1"));
        let bad = Texts { scale: "even\n0\n".into(), ..texts };
        assert!(bad.scale().unwrap_err().starts_with("scale, line 2"));
        let fifths = Texts { name: String::new(), scale: PYTHAGOREAN.into(), map: None };
        let fifth = fifths.scale().unwrap().cents(KeyNumber::from_midi(76).unwrap());
        assert!((fifth - 1200.0 * 1.5f64.log2() + 700.0).abs() < 0.1, "{fifth}");
    }
}
