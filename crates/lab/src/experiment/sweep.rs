//! `touchback lab sweep`: one quantity of a key over one parameter of its regulation or model.

mod quantity;

use std::time::Instant;

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;

use quantity::{QUANTITIES, Quantity};
use touchback_action::MechanismFile;
use touchback_action::grand::design::concert::Built;
use touchback_action::grand::key::rest;
use touchback_action::grand::key::weigh::{FIGURES, Weighed};
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params::Parameter;
use touchback_models::catalogue::Model;
use touchback_offline::bench::key_source::{self, MIDDLE, OwnNumbers};
use touchback_offline::bench::manifest::Finished;
use touchback_offline::bench::session::{Session, wrote};
use touchback_offline::bench::test_bench::TestBench;
use touchback_offline::bench::{DataTable, Folder, KeySource, Report, short};
use touchback_offline::model::named::NamedModel;
use touchback_offline::output::{self, progress};
use touchback_offline::paths::OutputFolder;
use touchback_offline::plot::{Axis, Figure, Series, Subplot, palette};
use touchback_offline::{controls, parallel};

/// Options of `touchback lab sweep`.
#[derive(clap::Args, Debug)]
pub struct SweepOptions {
    /// A parameter (`touchback params`), or a parameter of the model such as `hammer.mass`
    #[arg(value_name = "ID")]
    id: String,
    /// First value, in its unit
    #[arg(value_name = "FROM", allow_negative_numbers = true)]
    from: f64,
    /// Last value
    #[arg(value_name = "TO", allow_negative_numbers = true)]
    to: f64,
    /// Measured quantity; `touchback lab help sweep` lists the quantities
    #[arg(long, value_name = "QUANTITY")]
    measure: String,
    /// Number of values
    #[arg(long, value_name = "N", default_value_t = 21,
          value_parser = clap::value_parser!(u32).range(2..=1000))]
    steps: u32,
    #[command(flatten)]
    own: OwnNumbers,
    /// Folder for data and figure
    #[arg(long, value_name = "DIR", default_value = "touchback-lab-own")]
    out: OutputFolder,
    /// Prints the record of the sweep as JSON
    #[arg(long)]
    json: bool,
}

/// The swept parameter.
enum Swept {
    Parameter(&'static Parameter),
    /// A parameter of the model, in SI units.
    Number(String),
}

impl Swept {
    fn find(id: &str) -> Result<Self> {
        if id.contains('.') {
            return Ok(Self::Number(id.into()));
        }
        Ok(Self::Parameter(controls::parameter("lab sweep", id)?))
    }

    /// Key `number` with the swept value.
    fn bench(&self, keys: &KeySource, number: u8, value: f64) -> Result<TestBench> {
        match self {
            Self::Parameter(parameter) => {
                let mut settings = keys.settings().clone();
                parameter.set(&mut settings, parameter.checked(value)?);
                Ok(keys.with(&settings).bench(number))
            }
            Self::Number(name) => {
                let Built { spec, regulated } = keys.built(number);
                let model = Model::grand(&rest::pose(&spec, &regulated.rest), spec);
                let mut named = NamedModel::of(&model)?;
                named.set(name, value)?;
                let Model::Grand { model, .. } = named.model()? else {
                    bail!("{name}: the model is not a grand's")
                };
                Ok(TestBench::at_rest(key_source::levelled(Built { spec: *model, regulated })))
            }
        }
    }

    /// Name of the column, and label of the axis.
    fn names(&self) -> (String, String) {
        match self {
            Self::Parameter(p) if p.unit().is_empty() => (p.id.into(), p.name.into()),
            Self::Parameter(p) => (p.id.into(), format!("{}, {}", p.name, p.unit())),
            Self::Number(name) => (name.clone(), format!("{name}, SI")),
        }
    }
}

/// The sweep as JSON.
#[derive(Serialize)]
struct Record<'a> {
    swept: &'a str,
    swept_name: &'a str,
    quantity: &'a str,
    about: &'a str,
    key: u8,
    own_numbers: Option<&'a str>,
    /// Swept value and measured value; `null` where the quantity does not exist.
    points: Vec<(f64, Option<f64>)>,
}

/// Sweeps, measures, and writes table, record and figure.
///
/// # Errors
/// An unknown id or quantity, a value out of range, or a model that cannot be a key's; then no file is
/// written.
pub fn run(options: &SweepOptions) -> Result<()> {
    let begin = Instant::now();
    let keys = KeySource::open(&options.own)?;
    let number = keys.one(MIDDLE);
    if let Some(file) = keys.mechanism() {
        let own = keys.own_numbers().map(ToOwned::to_owned);
        return write(options, &of_file(options, file, number, own)?, begin);
    }
    let swept = Swept::find(&options.id)?;
    let quantity = quantity::find(&options.measure)?;
    let points = measured(&swept, quantity, &keys, number, &values(options))?;
    let (column, label) = swept.names();
    let own = keys.own_numbers().map(ToOwned::to_owned);
    let (name, about) = (quantity.name, quantity.about.to_owned());
    write(options, &Curve { column, label, quantity: name, about, number, own, points }, begin)
}

/// What a sweep has found.
struct Curve {
    /// Name of the swept column, and label of the axis.
    column: String,
    label: String,
    quantity: &'static str,
    about: String,
    number: u8,
    /// Differences from the standard piano, or the mechanism.
    own: Option<String>,
    /// Swept value and measured value.
    points: Vec<(f64, f64)>,
}

/// Sweeps a parameter of the mechanism in `file`, whose keys are weighed by their answers.
fn of_file(
    options: &SweepOptions,
    file: &MechanismFile,
    number: u8,
    own: Option<String>,
) -> Result<Curve> {
    let Some(figure) = FIGURES.iter().find(|figure| figure.id == options.measure) else {
        let names: Vec<&str> = FIGURES.iter().map(|figure| figure.id).collect();
        bail!("--measure {}: of a mechanism one of {}", options.measure, names.join(", "))
    };
    let Some(key) = KeyNumber::from_number(number) else { bail!("--key {number}: 1 to 88") };
    let at = |value: f64| {
        let changed = file.with(&options.id, value).map_err(|e| anyhow!("lab sweep: {e}"))?;
        Ok((value, (figure.get)(&Weighed::of_any(&*changed.key(key)))))
    };
    let found = parallel::map(&values(options), |value| at(*value));
    let points = found.into_iter().collect::<Result<Vec<_>>>()?;
    let swept = file.parameters().iter().find(|own| own.id == options.id);
    let label = swept.map_or_else(String::new, |own| format!("{}, {}", own.name, own.unit));
    let about = format!("{} of the {}", figure.name, file.title());
    Ok(Curve { column: options.id.clone(), label, quantity: figure.id, about, number, own, points })
}

/// The quantity `measure` of key `number` at each of `values` of the parameter or model number `id`; NaN where
/// the key does not have it.
///
/// # Errors
/// An unknown id or quantity, a value out of range, or a model that cannot be a key's.
pub fn points(
    id: &str,
    values: &[f64],
    measure: &str,
    keys: &KeySource,
    number: u8,
) -> Result<Vec<(f64, f64)>> {
    let swept = Swept::find(id)?;
    measured(&swept, quantity::find(measure)?, keys, number, values)
}

/// Names and descriptions of the quantities that can be measured.
pub fn quantities() -> impl Iterator<Item = (&'static str, &'static str)> {
    QUANTITIES.iter().map(|quantity| (quantity.name, quantity.about))
}

/// Checks both ends of `values`, then measures on all cores.
fn measured(
    swept: &Swept,
    quantity: &Quantity,
    keys: &KeySource,
    number: u8,
    values: &[f64],
) -> Result<Vec<(f64, f64)>> {
    let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
        return Ok(Vec::new());
    };
    if let Swept::Parameter(p) = swept {
        if keys.action().is_none() {
            bail!(
                "lab sweep {}: a model file has numbers such as hammer.mass instead of parameters",
                p.id
            );
        }
        let [mut low, mut high] = [(); 2].map(|()| keys.settings().clone());
        p.set(&mut low, p.checked(first)?);
        p.set(&mut high, p.checked(last)?);
        if first != last && low.action == high.action {
            bail!("lab sweep {}: values from {first} to {last} change nothing in a key", p.id);
        }
    }
    for value in [first, last] {
        swept.bench(keys, number, value).context("lab sweep")?;
    }
    let bar = progress(values.len() as u64, "sweeping");
    let found = parallel::map(values, |value| {
        let found = swept.bench(keys, number, *value).map(|rig| (quantity.measure)(&rig));
        bar.inc(1);
        found.map(|found| (*value, found)).with_context(|| format!("lab sweep, at {value}"))
    });
    bar.finish_and_clear();
    found.into_iter().collect()
}

/// The swept values.
fn values(options: &SweepOptions) -> Vec<f64> {
    let last = f64::from(options.steps - 1);
    let at = |i: u32| options.from + (options.to - options.from) * f64::from(i) / last;
    (0..options.steps).map(at).collect()
}

/// Writes table, record, figure, and their entry in the folder's manifest.
fn write(options: &SweepOptions, curve: &Curve, begin: Instant) -> Result<()> {
    let Curve { column, label, quantity, about, number, own, points } = curve;
    let own = own.as_deref();
    let mut session = Session::open(&options.out)?;
    let name = format!("sweep-{}-{quantity}", column.replace('.', "-"));
    let mut folder = Folder::of(&options.out, own);
    let mut csv = DataTable::new(&[column, quantity]);
    let mut lines = format!("{column},{quantity}\n");
    for (value, found) in points {
        // The file has all digits.
        let [text, rounded] = match found.is_finite() {
            true => [found.to_string(), short(*found)],
            false => [String::new(), String::new()],
        };
        csv.row(&[value, &text]);
        lines += &format!("{},{rounded}\n", short(*value));
    }
    folder.table(&format!("{name}.csv"), &csv)?;
    let point = |(x, y): &(f64, f64)| (*x, y.is_finite().then_some(*y));
    let record = Record {
        swept: column,
        swept_name: label,
        quantity,
        about,
        key: *number,
        own_numbers: own,
        points: points.iter().map(point).collect(),
    };
    let record = serde_json::to_string_pretty(&record)? + "\n";
    folder.write(&format!("{name}.json"), record.as_bytes())?;
    let title = format!("{about}, key {number}");
    let figure = Figure {
        title: title.clone(),
        x: Axis::new(label),
        bands: Vec::new(),
        marks: Vec::new(),
        panels: vec![Subplot::new(
            Axis::new(quantity),
            vec![Series::line("", points.to_vec(), palette(0))],
        )],
    };
    let is_drawn = points.iter().any(|(_, found)| found.is_finite());
    if is_drawn {
        folder.draw(&name, &figure, &mut Report::default())?;
    }
    let files = folder.keep()?;
    let range = format!("{column} from {} to {}", short(options.from), short(options.to));
    let own = own.map_or_else(|| range.clone(), |own| format!("{own}; {range}"));
    session.enter(&Finished {
        name: &name,
        about: &format!("{title}."),
        own_numbers: Some(&own),
        seconds: begin.elapsed().as_secs_f64(),
        count: (0, 0),
        files: &files,
    })?;
    let written = wrote(files.iter().chain(&session.finish(&[])?));
    output::print(&if options.json { record } else { format!("{lines}\n{written}") })
}

/// The help page of `lab sweep`.
#[must_use]
pub fn page() -> String {
    let width = QUANTITIES.iter().map(|q| q.name.len()).max().unwrap_or(0);
    let each = |q: &Quantity| format!("  {:width$}  {}\n", q.name, q.about);
    let quantities: String = QUANTITIES.iter().map(each).collect();
    let middle = KeyNumber::from_number(MIDDLE);
    let numbers = middle.and_then(|key| {
        let standard = touchback_action::ActionSettings::default();
        let model = Model::of(touchback_action::ActionKind::Grand, key, &standard);
        NamedModel::of(&model).ok().map(|named| named.names().join(" "))
    });
    format!(
        "sweep ID FROM TO --measure QUANTITY\n\nMeasures one quantity of a key of the grand while one \
         parameter of its regulation, or one number of its model, takes {} values; a key with other \
         weights is levelled again. A gap in the curve means that the quantity does not exist: no let-off, no \
         strike.\n\nquantities\n{quantities}\nids: those of \
         `touchback params` that change a key, or a number of the model\n  {}\n\ncustom parameters: \
         --preset NAME, --set ID=VALUE, --key N; or --model FILE.toml, --key N; or --mechanism \
         FILE.mechanism.toml, --key N\nfiles: \
         sweep-ID-QUANTITY .csv, .json, .png, .svg, into --out\n\n  touchback lab sweep let_off_mm 1 6 \
         --measure softest_m_s\n",
        21,
        numbers.unwrap_or_default(),
    )
}
