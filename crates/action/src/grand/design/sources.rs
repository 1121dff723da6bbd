//! Sources that several numbers of a key share, as the pages print them.

/// Concert grand: positions that close the loops.
pub(crate) const LAYOUT: &str = "chosen: a layout of usual proportions that closes with the key, knuckle and crown lengths and \
     gives a hammer-to-key ratio of 5 to 6";
/// Concert grand: numbers of usual size.
pub(crate) const USUAL_SIZE: &str = "chosen: usual size; no published value was found";
/// Concert grand: [`Fitted`](super::fitted::Fitted).
pub(crate) const FITTED: &str =
    "fitted to the *must* targets of the validation (`touchback lab fit`)";
/// Concert grand: numbers that decide the let-off.
pub(crate) const LET_OFF: &str =
    "fitted with the rest of the let-off to V10, V17, V24 and V25 of the validation; of usual size";
/// Concert grand: leather over felt.
pub(crate) const LEATHER: &str =
    "chosen: leather over felt, stiff compared with the touch and soft compared with wood";
/// Concert grand: cloth at the jack.
pub(crate) const STIFF_CLOTH: &str = "chosen: stiff cloth, within the stability limit of the step";

/// Thesis: derived from the initial coordinates.
pub(crate) const CLOSED_LOOPS: &str =
    "derived: closes the loops at the initial coordinates [Gillespie 1996, Table 3.5]";
/// Thesis: dimensions whose figure is lost.
pub(crate) const LOST_FIGURE: &str = "chosen: the figure that names the dimensions is lost";
/// Thesis: numbers that the reference run does not reach.
pub(crate) const OUT_OF_REACH: &str = "chosen; not reached in the run";
/// Thesis: numbers without effect.
pub(crate) const NO_EFFECT: &str = "none in the thesis; without effect";
/// Thesis: numbers of a jack between felts.
pub(crate) const RIGID_JACK: &str = "none: rigid constraints carry the jack";
