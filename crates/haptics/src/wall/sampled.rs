//! Virtual walls as sampled controllers, and the manipulandum and finger that touch them.
//!
//! The source is [Gillespie 1996, ch. 4]. Positions x, m, are positive into the wall, which fills x > 0, as a
//! key's depth (docs/notation.md); the force of a wall, N, acts against +x. The thesis uses y = −x, away from
//! the wall. Controllers neither allocate nor wait.
//!
//! | module | part |
//! | --- | --- |
//! | [`plant`] | manipulandum and finger: exact motion between samples |
//! | [`controller`] | walls: standard, hysteresis, prediction, pole placement, deadbeat |

pub mod controller;
pub mod plant;
