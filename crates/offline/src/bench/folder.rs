//! The output files of one experiment, which appear in the folder together when it has finished.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::data::DataTable;
use super::report::Report;
use crate::output::Draft;
use crate::plot::grid::{self, Map};
use crate::plot::sketch::{self, Sketch};
use crate::plot::{self, Figure, spectrogram};

/// The output folder of one experiment.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    drafts: Vec<Draft>,
    /// Differences from the standard piano, appended to titles of figures.
    own_numbers: Option<String>,
}

impl Folder {
    /// Files in the existing folder `path`.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self::of(path, None)
    }

    /// Files in the existing folder `path`, of results that differ from the standard piano by
    /// `own_numbers`.
    #[must_use]
    pub fn of(path: &Path, own_numbers: Option<&str>) -> Self {
        let own_numbers = own_numbers.map(str::to_owned);
        Self { path: path.to_owned(), drafts: Vec::new(), own_numbers }
    }

    /// `title`, with the differences from the standard piano.
    #[must_use]
    pub fn titled(&self, title: &str) -> String {
        let own = self.own_numbers.as_ref();
        own.map_or_else(|| title.to_owned(), |own| format!("{title} [{own}]"))
    }

    /// Writes the file `name`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let draft = Draft::create(&self.path.join(name))?;
        draft.write_all(bytes)?;
        self.drafts.push(draft);
        Ok(())
    }

    /// Writes the table `name`.
    ///
    /// # Errors
    /// A row whose length differs from the header's; a file that cannot be written.
    pub fn table(&mut self, name: &str, table: &DataTable) -> Result<()> {
        let bytes = table.csv().with_context(|| name.to_owned())?;
        self.write(name, &bytes)
    }

    /// Creates the file `name` for a writer of the caller's.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn draft(&mut self, name: &str) -> Result<&Draft> {
        self.drafts.push(Draft::create(&self.path.join(name))?);
        self.drafts.last().ok_or_else(|| anyhow::anyhow!("{name}: not reserved"))
    }

    /// Writes the spectrogram of `samples` at `rate` Hz as the PNG file `name`.
    ///
    /// # Errors
    /// A file that cannot be written, or an error of the drawing library.
    pub fn spectrogram(&mut self, name: &str, samples: &[f32], rate: f64) -> Result<()> {
        spectrogram::draw(samples, rate, self.draft(name)?)
    }

    /// Draws the figure as `name`.png and `name`.svg and enters it in `report`. The report's current
    /// source is appended to the figure's title.
    ///
    /// # Errors
    /// A file that cannot be written, or an error of the drawing library.
    pub fn draw(&mut self, name: &str, figure: &Figure, report: &mut Report) -> Result<()> {
        let mut figure = figure.clone();
        if let Some(source) = report.current_source() {
            figure.title += &format!(" ({source})");
        }
        figure.title = self.titled(&figure.title);
        self.both(name, |draft| plot::draw(&figure, draft))?;
        report.figure(&format!("{name}.svg"));
        Ok(())
    }

    /// Draws the scale drawing as `name`.png and `name`.svg.
    ///
    /// # Errors
    /// A file that cannot be written, or an error of the drawing library.
    pub fn sketch(&mut self, name: &str, sketch: &Sketch) -> Result<()> {
        self.both(name, |draft| sketch::draw(sketch, draft))
    }

    /// Draws the map as `name`.png and `name`.svg and enters it in `report`.
    ///
    /// # Errors
    /// A file that cannot be written, or an error of the drawing library.
    pub fn map(&mut self, name: &str, map: &Map, report: &mut Report) -> Result<()> {
        self.both(name, |draft| grid::draw(map, draft))?;
        report.figure(&format!("{name}.svg"));
        Ok(())
    }

    fn both(&mut self, name: &str, draw: impl Fn(&Draft) -> Result<()>) -> Result<()> {
        for ending in ["png", "svg"] {
            draw(self.draft(&format!("{name}.{ending}"))?)?;
        }
        Ok(())
    }

    /// Renames all drafts to their final names; the paths.
    ///
    /// # Errors
    /// A rename fails.
    pub fn keep(self) -> Result<Vec<PathBuf>> {
        let mut names = Vec::with_capacity(self.drafts.len());
        for draft in self.drafts {
            names.push(draft.target().to_owned());
            draft.keep()?;
        }
        Ok(names)
    }
}
