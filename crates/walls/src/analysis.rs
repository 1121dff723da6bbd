//! Damping required by a sampled wall, and energy created by it [Gillespie 1996, ch. 6].
//!
//! | module | part |
//! | --- | --- |
//! | [`high_speed`] | the return map at high speed: a random walk whose drift is downward |
//! | [`marginal`] | device damping at which a sampled spring is just stable, with or without finger |
//! | [`passivity`] | damping that makes the port passive for any finger (Colgate) |
//! | [`return_map`] | exit time and speed of a contact from those of the previous one, with late switching |
//! | [`worst_case`] | the same with the latest possible switching in every contact, in closed form |

pub mod high_speed;
pub mod marginal;
pub mod passivity;
pub mod return_map;
pub mod worst_case;
