//! Form of a table in a text file: the line with the names of the columns, what separates its cells, and the units
//! of the columns.

/// Form of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form<'a> {
    /// Line of the header, from 1.
    pub line: usize,
    /// The header.
    pub header: &'a str,
    /// Separator of cells: a tab or a semicolon if the header has one, otherwise a comma, or blanks in a header without
    /// commas.
    pub separator: char,
}

impl<'a> Form<'a> {
    /// The form of the table in `text`, whose lines end with one of `ends`; `None` without a header. Lines
    /// that begin with `#` are comments. A comment that numbers follow is the header, as NumPy writes it.
    #[must_use]
    pub fn of(text: &'a str, ends: &[char]) -> Option<Self> {
        let (mut requested, mut comment) = (None, None);
        for (line, row) in (1..).zip(text.split(ends)) {
            let row = row.trim();
            if let Some(rest) = row.strip_prefix('#') {
                comment =
                    Some((line, rest.trim())).filter(|(_, rest)| !rest.is_empty()).or(comment);
                continue;
            }
            // Excel's own directive.
            if let (None, Some(separator)) = (requested, row.strip_prefix("sep=")) {
                requested = separator.chars().next();
                continue;
            }
            if row.is_empty() {
                continue;
            }
            let begins_with_number = row
                .split(['\t', ';', ',', ' '])
                .next()
                .is_some_and(|cell| super::number::number(cell).is_some());
            let (line, header) = comment.filter(|_| begins_with_number).unwrap_or((line, row));
            let found = ['\t', ';'].into_iter().find(|sign| header.contains(*sign));
            let has_blanks = !header.contains(',') && header.split_whitespace().nth(1).is_some();
            let plain = if has_blanks { ' ' } else { ',' };
            let separator = requested.or(found).unwrap_or(plain);
            return Some(Self { line, header, separator });
        }
        None
    }

    /// The cells of `row` without blanks and quotation marks around them.
    pub fn cells(self, row: &str) -> impl Iterator<Item = &str> {
        let are_blanks = self.separator == ' ';
        let is_end =
            move |c: char| if are_blanks { c.is_whitespace() } else { c == self.separator };
        let cells = row.split(is_end).filter(move |cell| !(are_blanks && cell.is_empty()));
        cells.map(|cell| {
            let cell = cell.trim();
            let inner = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"'));
            inner.map_or(cell, str::trim)
        })
    }
}

/// Units with which names of columns end, in lower case; `_` stands for `/` and `·`.
const UNITS: [&str; 29] = [
    "s", "ms", "us", "m", "mm", "um", "cm", "n", "mn", "g", "kg", "rad", "deg", "hz", "khz", "db",
    "cents", "octaves", "j", "w", "v", "mv", "a", "ma", "m_s", "mm_s", "m_s2", "rad_s", "n_m",
];

/// Spelled-out units.
const SPELLED: [(&str, &[&str]); 7] = [
    ("s", &["sec", "secs", "second", "seconds"]),
    ("ms", &["msec", "millisecond", "milliseconds"]),
    ("m", &["meter", "meters", "metre", "metres"]),
    ("mm", &["millimeter", "millimeters", "millimetre", "millimetres"]),
    ("n", &["newton", "newtons"]),
    ("g", &["gram", "grams"]),
    ("rad", &["radian", "radians"]),
];

/// The unit that is all of `cell`, also in brackets, as names of columns have it.
fn unit(cell: &str) -> Option<&'static str> {
    let cell = cell.trim().trim_start_matches(['[', '(']).trim_end_matches([']', ')']);
    let cell = cell.trim().to_lowercase().replace(['µ', 'μ'], "u").replace('²', "2");
    let cell = cell.replace("^-1", "").replace("⁻¹", "").replace(['/', '·', '*', ' '], "_");
    let spelled = SPELLED.iter().find(|(_, words)| words.contains(&&*cell)).map(|(unit, _)| *unit);
    spelled.or_else(|| UNITS.into_iter().find(|unit| *unit == cell))
}

/// The name of a column, which ends with the unit or gets it from brackets or from a row of units.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ColumnName {
    plain: String,
    unit: Option<&'static str>,
}

impl ColumnName {
    /// The name in a cell of the header: `force_n`, `force [N]` or `force (N)`.
    #[must_use]
    pub fn of(cell: &str) -> Self {
        let bracket = cell.find(['[', '(']).filter(|_| cell.ends_with([']', ')']));
        let parts = bracket.map(|at| cell.split_at(at)).and_then(|(name, end)| {
            Some((name.trim(), unit(end)?)).filter(|(name, _)| !name.is_empty())
        });
        let (name, unit) = parts.map_or((cell, None), |(name, unit)| (name, Some(unit)));
        let plain = Self { plain: name.to_owned(), unit: None };
        // `force_n [N]` names its unit twice.
        let unit = unit.filter(|unit| plain.own_unit() != Some(unit));
        Self { unit, ..plain }
    }

    /// Whether the column is called `name`, in any case, with or without its unit.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        self.plain.eq_ignore_ascii_case(name) || self.to_string().eq_ignore_ascii_case(name)
    }

    /// Whether the cell of the header is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.plain.is_empty()
    }

    /// The longest unit with which the name ends.
    fn own_unit(&self) -> Option<&'static str> {
        let name = self.plain.to_lowercase();
        let is_end = |unit: &&str| name.strip_suffix(unit).is_some_and(|rest| rest.ends_with('_'));
        UNITS.into_iter().filter(is_end).max_by_key(|unit| unit.len())
    }
}

impl std::fmt::Display for ColumnName {
    /// The name with its unit.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.plain)?;
        self.unit.map_or(Ok(()), |unit| write!(f, "_{unit}"))
    }
}

/// Whether `cells`, the row below the header of `columns`, are their units; columns without a unit then get it. In a
/// row of units at least one cell is the unit of its column's name, or no cell is anything but a unit.
///
/// # Errors
/// A cell of a row of units is another unit than that of its column.
pub fn take_units(columns: &mut [ColumnName], cells: &[&str]) -> Result<bool, String> {
    let agrees = |(column, cell): (&ColumnName, &&str)| {
        unit(cell).is_some_and(|unit| column.unit.or(column.own_unit()) == Some(unit))
    };
    let is_none = |cell: &str| matches!(cell, "" | "-" | "–" | "1");
    let only_units = cells.iter().all(|cell| is_none(cell) || unit(cell).is_some())
        && cells.iter().any(|cell| unit(cell).is_some());
    if !only_units && !columns.iter().zip(cells).any(agrees) {
        return Ok(false);
    }
    for (column, cell) in columns.iter_mut().zip(cells) {
        match (column.unit.or(column.own_unit()), unit(cell)) {
            (Some(own), Some(other)) if own != other => {
                return Err(format!("the unit of `{column}` is given as `{cell}`"));
            }
            (None, given) => column.unit = given,
            _ => {}
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the columns of `header` with the units that `row` gives them.
    fn named(header: &str, row: &str) -> Result<Option<Vec<String>>, String> {
        let mut columns: Vec<ColumnName> = header.split(',').map(ColumnName::of).collect();
        let is_units = take_units(&mut columns, &row.split(',').collect::<Vec<_>>())?;
        Ok(is_units.then(|| columns.iter().map(ToString::to_string).collect()))
    }

    #[test]
    fn a_row_of_units_is_recognized_and_names_the_columns() {
        let read = |header, row| named(header, row).unwrap().map(|names| names.join(","));
        for (header, row, names) in [
            ("t_s,force_n", "s,N", "t_s,force_n"),
            ("t_s,force_n", "[s],(N)", "t_s,force_n"),
            ("t_s,value", "seconds,-", "t_s,value"),
            ("t_s,v_m_s", "s,m/s", "t_s,v_m_s"),
            ("t_s,v_m_s", "s,m·s⁻¹", "t_s,v_m_s"),
            ("t,key", "ms,mm", "t_ms,key_mm"),
            ("t_s,C4,E4", "s,m,m", "t_s,C4_m,E4_m"),
            ("key,drop_mm,friction", "MIDI,mm,times", "key,drop_mm,friction"),
            ("t [s],Force (N)", "s,N", "t_s,Force_n"),
        ] {
            assert_eq!(read(header, row), Some(names.into()), "{header} / {row}");
        }
        for row in ["0,0", "a,b", "C4,", ",", "0,N"] {
            assert_eq!(read("t_s,value", row), None, "{row}");
        }
        let error = named("t_s,key_m", "s,mm").unwrap_err();
        assert_eq!(error, "the unit of `key_m` is given as `mm`");
        assert!(named("t [ms],x", "s,m").is_err());
    }

    #[test]
    fn a_name_has_the_unit_of_its_brackets() {
        for (cell, name) in [
            ("force [N]", "force_n"),
            ("Time(ms)", "Time_ms"),
            ("speed (m/s)", "speed_m_s"),
            ("force_n [N]", "force_n"),
            ("note (middle C)", "note (middle C)"),
            ("[N]", "[N]"),
        ] {
            assert_eq!(ColumnName::of(cell).to_string(), name);
        }
        assert!(
            ColumnName::of("force [N]").is("FORCE_N") && ColumnName::of("value [mm]").is("value")
        );
    }

    #[test]
    fn the_header_shows_the_separator() {
        let form = |text: &'static str| {
            Form::of(text, &['\n']).map(|form| (form.line, form.header, form.separator))
        };
        assert_eq!(form("t_s,value\n0,1\n"), Some((1, "t_s,value", ',')));
        assert_eq!(form("t_s;value\n0;1,5\n"), Some((1, "t_s;value", ';')));
        assert_eq!(form("\n# made by hand\nt_s\tvalue\n"), Some((3, "t_s\tvalue", '\t')));
        assert_eq!(form("sep=;\nkey;drop_mm\n"), Some((2, "key;drop_mm", ';')));
        assert_eq!(form("# x\n# t_s,key_m\n0.0,1\n"), Some((2, "t_s,key_m", ',')));
        assert_eq!(form("# t_s key_m\n0.0 1\n"), Some((1, "t_s key_m", ' ')));
        assert_eq!(form("t_s, key_m\n0, 1\n"), Some((1, "t_s, key_m", ',')));
        assert_eq!(form("# only a comment\n\n"), None);
        let blanks = Form::of("t_s  key_m", &['\n']).unwrap();
        assert_eq!(blanks.cells(" 0.0   1e-3 ").collect::<Vec<_>>(), ["0.0", "1e-3"]);
        let form = Form::of("\"key\";\"a b\"", &['\n']).unwrap();
        assert_eq!(form.cells("\"1\"; 2 ;\"\"").collect::<Vec<_>>(), ["1", "2", ""]);
    }
}
