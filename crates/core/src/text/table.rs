//! Form of a table in a text file: the line with the names of the columns, and what separates its cells.

/// Form of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form<'a> {
    /// Line of the header, from 1.
    pub line: usize,
    /// The header.
    pub header: &'a str,
    /// Separator of cells: a tab or a semicolon if the header has one, otherwise a comma.
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
            let separator = requested.or(found).unwrap_or(',');
            return Some(Self { line, header, separator });
        }
        None
    }

    /// The cells of `row` without blanks and quotation marks around them.
    pub fn cells(self, row: &str) -> impl Iterator<Item = &str> {
        row.split(self.separator).map(|cell| {
            let cell = cell.trim();
            let inner = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"'));
            inner.map_or(cell, str::trim)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(form("# only a comment\n\n"), None);
        let form = Form::of("\"key\";\"a b\"", &['\n']).unwrap();
        assert_eq!(form.cells("\"1\"; 2 ;\"\"").collect::<Vec<_>>(), ["1", "2", ""]);
    }
}
