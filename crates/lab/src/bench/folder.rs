//! Where an experiment writes: whole files, put in place together when it has finished.

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
    place: PathBuf,
    drafts: Vec<Draft>,
    /// What is not the standard piano's; titles of figures say it.
    told: Option<String>,
}

impl Folder {
    /// Of the existing folder `place`.
    #[must_use]
    pub fn new(place: &Path) -> Self {
        Self::of(place, None)
    }

    /// The same for results on numbers of one's own, `told` in words.
    #[must_use]
    pub fn of(place: &Path, told: Option<&str>) -> Self {
        Self { place: place.to_owned(), drafts: Vec::new(), told: told.map(str::to_owned) }
    }

    /// `title`, with what is not the standard piano's.
    #[must_use]
    pub fn titled(&self, title: &str) -> String {
        self.told.as_ref().map_or_else(|| title.to_owned(), |told| format!("{title} [{told}]"))
    }

    /// Writes the file `name`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let draft = Draft::create(&self.place.join(name))?;
        draft.write_all(bytes)?;
        self.drafts.push(draft);
        Ok(())
    }

    /// Writes the table `name`.
    ///
    /// # Errors
    /// A row of another length than the header; a disk that refuses.
    pub fn table(&mut self, name: &str, table: &DataTable) -> Result<()> {
        let bytes = table.csv().with_context(|| name.to_owned())?;
        self.write(name, &bytes)
    }

    /// Reserves the file `name` for a writer of its own.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn draft(&mut self, name: &str) -> Result<&Draft> {
        self.drafts.push(Draft::create(&self.place.join(name))?);
        self.drafts.last().ok_or_else(|| anyhow::anyhow!("{name}: not reserved"))
    }

    /// Writes the spectrogram of `samples` at `rate` Hz as the PNG file `name`.
    ///
    /// # Errors
    /// When the disk or the drawing library refuses.
    pub fn spectrogram(&mut self, name: &str, samples: &[f32], rate: f64) -> Result<()> {
        spectrogram::draw(samples, rate, self.draft(name)?)
    }

    /// Draws the figure `name`, without ending, as PNG and SVG, and enters it in `report`; its title
    /// goes on with the place in the source documents that the report is at.
    ///
    /// # Errors
    /// When the disk or the drawing library refuses.
    pub fn draw(&mut self, name: &str, figure: &Figure, report: &mut Report) -> Result<()> {
        let mut figure = figure.clone();
        if let Some(place) = report.place() {
            figure.title += &format!(" ({place})");
        }
        figure.title = self.titled(&figure.title);
        self.both(name, |draft| plot::draw(&figure, draft))?;
        report.figure(&format!("{name}.svg"));
        Ok(())
    }

    /// Draws the drawing to scale `name`, without ending, as PNG and SVG.
    ///
    /// # Errors
    /// When the disk or the drawing library refuses.
    pub fn sketch(&mut self, name: &str, sketch: &Sketch) -> Result<()> {
        self.both(name, |draft| sketch::draw(sketch, draft))
    }

    /// Draws the map `name`, without ending, as PNG and SVG, and enters it in `report`.
    ///
    /// # Errors
    /// When the disk or the drawing library refuses.
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

    /// Puts everything in its place and names it.
    ///
    /// # Errors
    /// When a rename fails.
    pub fn keep(self) -> Result<Vec<PathBuf>> {
        let mut names = Vec::with_capacity(self.drafts.len());
        for draft in self.drafts {
            names.push(draft.target().to_owned());
            draft.keep()?;
        }
        Ok(names)
    }
}
