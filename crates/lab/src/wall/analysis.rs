//! What a sampled wall costs in damping and energy [Gillespie 1996, ch. 6].
//!
//! | module | answer |
//! | --- | --- |
//! | [`marginal`] | device damping at which a sampled spring is just stable, with or without finger |
//! | [`passivity`] | damping that makes the port passive whatever holds it (Colgate) |
//! | [`return_map`] | exit time and speed of one visit from those of the last, switching late |
//! | [`worst_case`] | the same when every visit switches as late as it can, in closed form |

pub mod marginal;
pub mod passivity;
pub mod return_map;
pub mod worst_case;
