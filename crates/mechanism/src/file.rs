//! What a file holds, as it is written.

use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// A number, or an expression.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Raw {
    Number(f64),
    Text(String),
}

/// A number or an expression with its place.
pub(crate) type Scalar = Spanned<Raw>;
/// A text with its place.
pub(crate) type Text = Spanned<String>;

/// A number of the file by itself, or over the keys.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Quantity {
    Scalar(Raw),
    Table {
        /// Key number and value.
        table: Vec<[f64; 2]>,
        /// Whether the logarithm of the value is interpolated.
        #[serde(default)]
        logarithmic: bool,
    },
}

/// A value that the player sets.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameter {
    pub name: Text,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub unit: String,
    #[serde(default)]
    pub about: String,
    pub min: f64,
    pub max: f64,
    pub default: f64,
}

/// A rigid body, or a point on the frame if it has neither pin nor slide.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Body {
    pub name: Text,
    /// The body that carries it; the frame if none.
    pub on: Option<Text>,
    pub pin: Option<[Scalar; 2]>,
    pub slide: Option<[Scalar; 2]>,
    /// Origin of the slide.
    pub at: Option<[Scalar; 2]>,
    pub free: Option<[Scalar; 2]>,
    pub angle: Option<Scalar>,
    pub mass: Option<Scalar>,
    pub inertia: Option<Scalar>,
    pub centre: Option<[Scalar; 2]>,
    pub start: Option<Scalar>,
    #[serde(default)]
    pub points: BTreeMap<String, [Scalar; 2]>,
    #[serde(default)]
    pub outline: Vec<Text>,
}

/// The frame: points and what is drawn of it.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Frame {
    #[serde(default)]
    pub points: BTreeMap<String, [Scalar; 2]>,
    #[serde(default)]
    pub outlines: BTreeMap<String, Vec<Text>>,
}

/// What the finger moves.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Port {
    pub body: Text,
    pub arm: Option<Scalar>,
}

/// The law of a contact.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Law {
    #[default]
    Felt,
    Spring,
    Rigid,
}

/// A contact, spring, drag or rigid coupling: a force along a compression.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Contact {
    pub name: Text,
    #[serde(default)]
    pub law: Law,
    pub compression: Option<Scalar>,
    pub between: Option<[Text; 2]>,
    pub direction: Option<[Scalar; 2]>,
    pub gap: Option<Scalar>,
    /// The points at which it is drawn; those of `between` if none.
    pub at: Option<[Text; 2]>,
    pub stiffness: Option<Scalar>,
    pub exponent: Option<Scalar>,
    pub damping: Option<Scalar>,
    pub hysteresis: Option<Scalar>,
    pub reversal_speed: Option<Scalar>,
    pub reversal_growth: Option<Scalar>,
    #[serde(default)]
    pub pushes_only: bool,
    #[serde(default)]
    pub torque: bool,
    /// Submodels in which it acts; all if empty.
    #[serde(default, rename = "in")]
    pub within: Vec<Text>,
    #[serde(default)]
    pub impact: bool,
    #[serde(default)]
    pub split: bool,
    pub mass: Option<Scalar>,
    /// Coordinate that a rigid contact determines.
    pub closes: Option<Text>,
}

/// A constant force along a measure, or the forces of a potential energy.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Load {
    #[serde(default)]
    pub name: String,
    pub along: Option<Scalar>,
    pub force: Option<Scalar>,
    pub energy: Option<Scalar>,
}

/// Coulomb friction along a measure.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Friction {
    pub name: Text,
    pub along: Scalar,
    pub bound: Scalar,
    #[serde(default)]
    pub torque: bool,
}

/// A submodel: what it holds rigidly.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Submodel {
    pub name: Text,
    #[serde(default)]
    pub holds: Vec<Text>,
    pub substeps: Option<u32>,
}

/// What becomes of the speeds in a transition.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Map {
    #[default]
    Unchanged,
    Momentum,
}

/// A transition between submodels.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Transition {
    pub from: Text,
    pub to: Text,
    pub when: Text,
    #[serde(rename = "if")]
    pub only_if: Option<Text>,
    #[serde(rename = "else")]
    pub otherwise: Option<Text>,
    #[serde(default)]
    pub map: Map,
}

/// An event: at a transition, or where a condition begins to hold.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Event {
    pub kind: Text,
    pub when: Text,
    #[serde(rename = "if")]
    pub only_if: Option<Text>,
    pub value: Option<Scalar>,
}

/// What is shown.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Readings {
    pub contact_force: Option<Scalar>,
    pub hammer: Option<Scalar>,
    #[serde(default)]
    pub q: Vec<Scalar>,
}

/// What a player and the sound need to know.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Play {
    pub dip: Option<Scalar>,
    pub repeat_depth: Option<Scalar>,
    pub hold: Option<Scalar>,
    pub mass: Option<Scalar>,
    pub ratio: Option<Scalar>,
    pub throw: Option<Scalar>,
    pub flight: Option<Scalar>,
    pub bed: Option<bool>,
    pub plucks: Option<Scalar>,
    pub damper: Option<Scalar>,
    pub damper_depth: Option<Scalar>,
    pub bend: Option<Scalar>,
    pub valve: Option<Scalar>,
    pub pressure: Option<Scalar>,
    pub rod: Option<Scalar>,
}

/// A state to begin with, given by its coordinates and speeds.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beginning {
    pub submodel: Text,
    #[serde(rename = "if")]
    pub only_if: Option<Text>,
    #[serde(rename = "else")]
    pub otherwise: Option<Text>,
    #[serde(default)]
    pub set: BTreeMap<String, Scalar>,
}

/// A number that is solved for at load.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Regulation {
    pub number: Text,
    pub between: [Scalar; 2],
    pub meets: Text,
    #[serde(default)]
    pub set: BTreeMap<String, Scalar>,
    pub holds: Option<Spanned<Closed>>,
}

/// Contacts that a regulation closes.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Closed {
    /// Rigid contacts, each by the coordinate that it `closes`.
    Rigid(Vec<String>),
    /// Contacts of any law by coordinate.
    By(BTreeMap<String, String>),
}

/// A whole file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub name: Text,
    #[serde(default)]
    pub about: String,
    #[serde(default)]
    pub sources: Vec<String>,
    #[serde(default)]
    pub substeps: Option<u32>,
    /// False: the key rests at the values of `start`, though forces may not be in balance there.
    pub balance: Option<bool>,
    #[serde(default)]
    pub parameter: Vec<Parameter>,
    #[serde(default)]
    pub numbers: BTreeMap<String, Spanned<Quantity>>,
    #[serde(default)]
    pub frame: Frame,
    pub body: Vec<Body>,
    pub port: Port,
    #[serde(default)]
    pub contact: Vec<Contact>,
    #[serde(default)]
    pub load: Vec<Load>,
    #[serde(default)]
    pub friction: Vec<Friction>,
    #[serde(default)]
    pub submodel: Vec<Submodel>,
    #[serde(default)]
    pub transition: Vec<Transition>,
    #[serde(default)]
    pub event: Vec<Event>,
    #[serde(default)]
    pub regulation: Vec<Regulation>,
    #[serde(default)]
    pub readings: Readings,
    #[serde(default)]
    pub play: Play,
    pub strike: Option<Beginning>,
    pub rise: Option<Beginning>,
}
