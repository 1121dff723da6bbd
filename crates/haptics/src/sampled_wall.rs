//! Virtual walls as sampled controllers, and the finger and manipulandum that meet them.
//!
//! The sources are [Gillespie 1996, ch. 4]. Positions in m, positive into the wall, which fills
//! x > 0, as a key's depth (docs/notation.md); a wall's force in N acts against +x. The thesis counts
//! y = −x, away from the wall. Controllers neither allocate nor wait.
//!
//! | module | part |
//! | --- | --- |
//! | [`plant`] | manipulandum and finger: exact motion between samples |
//! | [`controller`] | walls: standard, hysteretic, predictive, placed poles, deadbeat |

pub mod controller;
pub mod plant;
