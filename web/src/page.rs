//! The window, and its messages from and to the piano.

use egui::{Context, Ui};

use crate::address;
use crate::computer_keys::ComputerKeys;
use crate::dropped::{self, Dropped};
use crate::reader::Reader;
use touchback_action::ActionKind;
use touchback_instrument::host::mechanism::{LoadedMechanism, MechanismText};
use touchback_instrument::host::midi::controller;
use touchback_instrument::host::params::{all, find};
use touchback_instrument::watch::monitor::remote::{self, RemoteSettings, ToPiano, ToWindow};
use touchback_instrument::watch::monitor::tape::{CAPACITY, TimedMessage};
use touchback_instrument::{Event, Settings};
use touchback_sound::tuning::scala::Texts;
use touchback_window::faces::face::Face;
use touchback_window::faces::page_bar::{PageBar, PageOrder};
use touchback_window::state::controls::{Controls as _, DetachedControls};
use touchback_window::window::Window;

/// Share of the time that the piano may need before the page chooses *Economy*, and for how long, s.
const BUSY: f64 = 0.85;
const BUSY_FOR: f64 = 2.0;

/// The page's piece.
const PRELUDE: &[u8] = include_bytes!("../../docs/manual/examples/prelude.mid");

/// Sets of messages of the piano, 60 a second, for which keys stay down that were let go before it was there.
const HELD: u32 = 30;

/// The page.
pub struct Page {
    window: Window,
    controls: DetachedControls,
    keys: ComputerKeys,
    /// Whether text is typed, which plays nothing.
    is_typing: bool,
    play: Vec<Event>,
    /// Messages for the piano.
    outgoing: Vec<ToPiano>,
    /// The settings that the piano has.
    sent: Option<Settings>,
    is_previewing: bool,
    /// The recorded performance.
    take: Vec<TimedMessage>,
    /// Position and length of the played file, s.
    position: Option<(f64, f64)>,
    /// Share of the time that the piano needs.
    busy: f64,
    /// Since when the piano needs too much time, s of the context's clock.
    busy_since: Option<f64>,
    /// Whether the page has chosen *Economy*; the user's choice stays after that.
    has_eased: bool,
    /// Sentences for the user that are not shown yet, oldest first.
    told: Vec<String>,
    /// What only the page's script can do.
    orders: Vec<PageOrder>,
    /// Releases that came before the piano was there, and how many sets of messages they still wait: the first touch,
    /// which starts the sound, is heard as a note.
    late: Option<(u32, Vec<ToPiano>)>,
    /// Whether the piano has received anything.
    is_begun: bool,
    reader: Reader,
    is_themed: bool,
}

impl Page {
    /// The page with the settings of `address`.
    #[must_use]
    pub fn new(address: &str) -> Self {
        let address::Linked { piano, settings, told } = address::read(address);
        let mut window = Window::default();
        if let Some(piano) = piano {
            piano.clone_into(&mut window.session.history.piano);
        }
        window.page = Some(PageBar::default());
        Self {
            window,
            controls: DetachedControls::of(settings),
            keys: ComputerKeys::default(),
            is_typing: false,
            play: Vec::new(),
            outgoing: Vec::new(),
            sent: None,
            is_previewing: false,
            take: Vec::new(),
            position: None,
            busy: 0.0,
            busy_since: None,
            has_eased: false,
            told,
            orders: Vec::new(),
            late: None,
            is_begun: false,
            reader: Reader::default(),
            is_themed: false,
        }
    }

    /// Draws one frame.
    pub fn ui(&mut self, ui: &mut Ui) {
        let context = ui.ctx().clone();
        if !std::mem::replace(&mut self.is_themed, true) {
            self.window.apply_theme(&context);
            context.add_plugin(self.reader.clone());
        }
        if (context.zoom_factor() - self.window.appearance.zoom).abs() > f32::EPSILON {
            context.set_zoom_factor(self.window.appearance.zoom);
        }
        self.is_typing = context.text_edit_focused();
        self.show_messages();
        self.window.ui(ui, &mut self.controls, &mut self.play);
        self.obey();
        if self.window.wants_performance() {
            self.window.save_performance(self.take.clone());
        }
        self.controls.changes.clear();
        self.watch_load(&context);
    }

    /// Passes new sentences and the state of the performance to the window's row.
    fn show_messages(&mut self) {
        let Some(bar) = &mut self.window.page else { return };
        bar.is_playing = self.position.is_some();
        if !self.told.is_empty() {
            bar.message = std::mem::take(&mut self.told).join(" ");
        }
    }

    /// Does what the window's row was asked for, or leaves it to the page's script.
    fn obey(&mut self) {
        let orders = self.window.page.as_mut().map(|bar| std::mem::take(&mut bar.orders));
        for order in orders.unwrap_or_default() {
            match order {
                PageOrder::Perform if self.position.is_some() => self.stop(),
                PageOrder::Perform => self.perform(PRELUDE.to_vec()),
                PageOrder::FindAFault => self.find_a_fault(),
                order => self.orders.push(order),
            }
        }
    }

    /// Turns what was changed and played since the last call into messages; the settings come first.
    fn pass_on(&mut self) {
        let settings = &self.controls.settings;
        if self.sent.as_ref() != Some(settings) {
            let remote = RemoteSettings::of(settings, self.controls.texts());
            self.outgoing.insert(0, ToPiano::Set(Box::new(remote)));
            self.sent = Some(settings.clone());
        }
        let wanted = self.window.preview.is_up();
        if std::mem::replace(&mut self.is_previewing, wanted) != wanted {
            self.outgoing.push(ToPiano::Preview(wanted));
        }
        self.outgoing.extend(self.play.drain(..).map(ToPiano::Play));
    }

    /// Chooses *Economy* once the piano has needed nearly all of the time for a while.
    fn watch_load(&mut self, context: &Context) {
        let now = context.input(|input| input.time);
        let Ok(economy) = find("economy") else { return };
        let is_eased = self.has_eased || self.controls.value(economy) != 0.0;
        if self.busy_since.is_some_and(|since| now - since > BUSY_FOR) && !is_eased {
            self.controls.put(economy, 1.0);
            self.has_eased = true;
            self.told.push("This machine is slow: Economy was chosen under Voice.".into());
        }
    }

    /// Receives a list of messages of the piano at `now` s; of another build's messages it receives none.
    pub fn receive(&mut self, bytes: &[u8], now: f64) {
        let settings = &self.controls.settings.action;
        for message in remote::message::<Vec<ToWindow>>(bytes).unwrap_or_default() {
            match message {
                ToWindow::Keyboard(snapshot) => self.window.show(&snapshot),
                ToWindow::Steps(steps) => {
                    steps.iter().for_each(|step| self.window.absorb(step, settings));
                }
                ToWindow::Played(messages) => {
                    self.window.messages().extend_from_slice(&messages);
                    self.take.extend(messages);
                    let beyond = self.take.len().saturating_sub(CAPACITY);
                    self.take.drain(..beyond);
                }
                ToWindow::Levels(levels) => {
                    self.window.raise_levels(levels.peaks);
                    self.window.limit_levels(levels.limited);
                    self.window.measure(&levels.meter, levels.worst, now);
                    self.busy = levels.meter.busy;
                    let is_busy = self.busy > BUSY;
                    self.busy_since = is_busy.then(|| self.busy_since.unwrap_or(now));
                }
                ToWindow::Position(at, length) => self.position = at.map(|at| (at, length)),
                ToWindow::Warning(text) => self.told.push(text),
            }
        }
        if let Some((left, _)) = &mut self.late {
            *left = left.saturating_sub(1);
        }
        if let Some((_, releases)) = self.late.take_if(|(left, _)| *left == 0) {
            self.outgoing.extend(releases);
        }
    }

    /// The messages for the piano since the last call, as bytes; none without one.
    #[must_use]
    pub fn take(&mut self) -> Option<Vec<u8>> {
        self.pass_on();
        let mut messages = std::mem::take(&mut self.outgoing);
        if !std::mem::replace(&mut self.is_begun, true) {
            let is_release = |m: &mut ToPiano| matches!(m, ToPiano::Play(Event::NoteOff { .. }));
            let releases: Vec<_> = messages.extract_if(.., is_release).collect();
            self.late = (!releases.is_empty()).then_some((HELD, releases));
        }
        (!messages.is_empty()).then(|| remote::bytes(&messages))
    }

    /// Receives the press or release of the computer's key `code`, at once and not with the next frame. Returns
    /// whether the key played; while text is typed it is only released.
    pub fn key(&mut self, code: &str, is_pressed: bool) -> bool {
        if self.is_typing && is_pressed {
            return false;
        }
        self.keys.turn(code, is_pressed, &mut self.play) && !self.is_typing
    }

    /// Releases the computer's keys: the page has lost them.
    pub fn release_keys(&mut self) {
        self.keys.release(&mut self.play);
    }

    /// Receives a message of a MIDI keyboard.
    pub fn midi(&mut self, bytes: [u8; 3]) {
        if bytes[0] >> 4 == 0xb {
            self.control_change(bytes[1], bytes[2]);
        }
        self.outgoing.push(ToPiano::Midi(bytes));
    }

    /// A controller moves the parameter that it is assigned to, or the parameter that waits for one learns it.
    fn control_change(&mut self, number: u8, value: u8) {
        if controller::is_heard(number) {
            return;
        }
        if let Some(parameter) = self.controls.learning_parameter {
            let before = self.controls.midi;
            if self.controls.midi.assign(number, parameter).is_ok() {
                self.controls.learning_parameter = None;
                self.window.session.history.push_midi([before, self.controls.midi]);
            }
        }
        let moved = self.controls.midi.parameter(number).and_then(|index| all().nth(index));
        if let Some(parameter) = moved {
            self.controls.put(parameter, parameter.plain(f64::from(value) / 127.0));
        }
    }

    /// Opens a file that was dropped on the page.
    pub fn open(&mut self, name: &str, bytes: Vec<u8>) {
        match dropped::read(name, bytes) {
            Ok(Dropped::Midi(file)) => self.perform(file),
            Ok(Dropped::Preset(piano, told)) => {
                if let Some(source) = piano.mechanism {
                    self.controls.set_mechanism(LoadedMechanism::of(source));
                }
                self.controls.recall(&piano.settings, Some(&piano.name));
                self.window.session.history.piano.clone_from(&piano.name);
                self.told.extend(told);
            }
            Ok(Dropped::Scale(texts)) => self.tune(name, texts),
            Ok(Dropped::Map(map)) => match self.controls.texts() {
                Some(texts) => self.tune(name, Texts { map: Some(map), ..texts }),
                None => self.told.push(format!("{name}: first drop the scale, a file .scl")),
            },
            Ok(Dropped::Mechanism(text)) => {
                let name = name.to_owned();
                let loaded =
                    LoadedMechanism::of(MechanismText { name, text, ..Default::default() });
                match &loaded.fault {
                    Some(fault) => self.told.push(fault.clone()),
                    None => {
                        self.controls.set_mechanism(loaded);
                        self.controls.choose_action(ActionKind::File);
                    }
                }
            }
            Ok(Dropped::Keys(sheet)) => self.controls.set_keys(&sheet),
            Err(error) => self.told.push(error),
        }
    }

    /// Tunes by `texts`, of which the file `name` is a part.
    fn tune(&mut self, name: &str, texts: Texts) {
        if let Err(error) = self.controls.tune(Some(texts)) {
            self.told.push(format!("{name}: {error}"));
        }
    }

    /// Plays a MIDI file from its beginning.
    pub fn perform(&mut self, file: Vec<u8>) {
        self.outgoing.push(ToPiano::Perform(file));
    }

    /// Ends the performance; everything falls silent.
    pub fn stop(&mut self) {
        self.outgoing.push(ToPiano::Stop);
    }

    /// Position in the played file and its length, s; none while no file is played.
    #[must_use]
    pub const fn position(&self) -> Option<(f64, f64)> {
        self.position
    }

    /// Share of the time that the piano needs, averaged over 0.3 s.
    #[must_use]
    pub const fn busy(&self) -> f64 {
        self.busy
    }

    /// Hides a fault in the chosen key and shows the exercise.
    pub fn find_a_fault(&mut self) {
        self.window.find_a_fault(&mut self.controls);
    }

    /// Shows `face`.
    pub const fn show(&mut self, face: Face) {
        self.window.face = face;
        self.window.list_open = false;
    }

    /// The present settings as an address, without `#`.
    #[must_use]
    pub fn address(&self) -> String {
        let mut settings = self.controls.settings.clone();
        if let Some(before) = self.controls.exercised() {
            // A link does not tell the fault of an exercise.
            settings.set_key_sheet(before);
        }
        address::write(&self.window.session.history.piano, &settings)
    }

    /// What the window's row says: the state of the sound, and messages.
    #[must_use]
    pub fn status(&mut self) -> String {
        self.show_messages();
        let bar = self.window.page.as_ref();
        let texts = bar.map(|bar| [bar.state.as_str(), bar.message.as_str()]).unwrap_or_default();
        texts.join(" ").trim().to_owned()
    }

    /// Shows `text` as the state of the sound, or as words on how to play.
    pub fn set_state(&mut self, text: &str) {
        if let Some(bar) = &mut self.window.page {
            text.clone_into(&mut bar.state);
        }
    }

    /// Shows `text` as a message.
    pub fn tell(&mut self, text: &str) {
        self.told.push(text.to_owned());
    }

    /// What only the page's script can do, since the last call.
    pub fn orders(&mut self) -> Vec<PageOrder> {
        std::mem::take(&mut self.orders)
    }

    /// Leaves out of the row what a page in a frame of another one has not.
    pub const fn embed(&mut self) {
        if let Some(bar) = &mut self.window.page {
            bar.is_embedded = true;
        }
    }

    /// Shows changes at once instead of in motion, if `is_still`.
    pub const fn keep_still(&mut self, is_still: bool) {
        self.window.is_still = is_still;
    }

    /// Whether changes are shown at once.
    #[must_use]
    pub const fn is_still(&self) -> bool {
        self.window.is_still
    }

    /// The window's controls, for screen readers.
    #[must_use]
    pub const fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Pixels of the page to a point of the window.
    #[must_use]
    pub const fn zoom(&self) -> f32 {
        self.window.appearance.zoom
    }

    /// Sets a parameter by its id and value, as in an address.
    ///
    /// # Errors
    /// A sentence: no such parameter, or a value that it does not have.
    pub fn set(&mut self, id: &str, value: &str) -> Result<(), String> {
        let parameter = find(id).map_err(|error| error.to_string())?;
        let value = parameter.parse(value).map_err(|error| error.to_string())?;
        self.controls.put(parameter, value);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
