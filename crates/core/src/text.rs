//! Texts as people and spreadsheets write them: encodings, decimal commas, separators of tables, names of
//! notes.

pub mod encoding;
pub mod note;
pub mod number;
pub mod table;
