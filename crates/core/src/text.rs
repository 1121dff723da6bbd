//! Texts as people and spreadsheets write them: encodings, decimal commas, separators of tables, names of
//! notes, names misspelt.

pub mod encoding;
pub mod near;
pub mod note;
pub mod number;
pub mod table;
