#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "results are compared with the system's functions")
)]
#![allow(clippy::neg_cmp_op_on_partial_ord, reason = "NaN must fail a check, too")]
#![allow(clippy::needless_range_loop, reason = "loops over rows and columns of several matrices")]

mod action;
mod assembler;
mod build;
mod dynamics;
mod element;
mod error;
mod events;
mod expression;
mod file;
mod friction;
mod geometry;
mod graph;
mod mechanism;
mod model;
mod names;
mod numbers;
mod program;
mod regulation;
mod scope;
mod settle;
mod submodel;
mod table;

pub use error::MechanismError;
pub use mechanism::{Description, open, read};
