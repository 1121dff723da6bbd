//! Texts as people and spreadsheets write them: encodings, decimal commas, separators of tables, names of
//! notes, names misspelt; numbers that a function takes.

pub mod encoding;
pub mod near;
pub mod note;
pub mod number;
pub mod numbers;
pub mod table;
