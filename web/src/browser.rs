//! What the page's script calls: the window on a canvas.

use std::cell::RefCell;
use std::rc::Rc;

use eframe::{App, CreationContext, Frame, WebOptions, WebRunner};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsError, JsValue};
use web_sys::HtmlCanvasElement;

use crate::page::Page;
use touchback_window::faces::face::Face;
use touchback_window::faces::page_bar::PageOrder;
use touchback_window::state::downloads;

/// The page, shared by script and canvas. The browser calls both on one thread, one after the other.
type Shared = Rc<RefCell<Page>>;

/// The window on the canvas.
struct Canvas(Shared);

impl App for Canvas {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut Frame) {
        self.0.borrow_mut().ui(ui);
    }
}

/// The page as its script sees it.
#[wasm_bindgen]
pub struct TouchbackPage {
    page: Shared,
    context: Rc<RefCell<Option<egui::Context>>>,
    runner: WebRunner,
}

#[wasm_bindgen]
impl TouchbackPage {
    /// The page with the settings of `address`.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(address: &str) -> Self {
        let page = Rc::new(RefCell::new(Page::new(address)));
        Self { page, context: Rc::default(), runner: WebRunner::new() }
    }

    /// Draws the window on `canvas` from now on.
    ///
    /// # Errors
    /// The browser gives no picture.
    pub async fn start(&self, canvas: HtmlCanvasElement) -> Result<(), JsValue> {
        let (page, context) = (self.page.clone(), self.context.clone());
        let create = move |creation: &CreationContext<'_>| {
            context.replace(Some(creation.egui_ctx.clone()));
            let app: Box<dyn App> = Box::new(Canvas(page));
            Ok(app)
        };
        self.runner.start(canvas, WebOptions::default(), Box::new(create)).await
    }

    /// Runs `change` on the page and draws a frame.
    fn with<T>(&self, change: impl FnOnce(&mut Page) -> T) -> T {
        let result = change(&mut self.page.borrow_mut());
        if let Some(context) = &*self.context.borrow() {
            context.request_repaint();
        }
        result
    }

    /// Receives messages of the piano.
    pub fn receive(&self, bytes: &[u8]) {
        let now = self.context.borrow().as_ref().map_or(0.0, |context| context.input(|i| i.time));
        self.with(|page| page.receive(bytes, now));
    }

    /// The messages for the piano since the last call; empty without one.
    #[must_use]
    pub fn take(&self) -> Vec<u8> {
        self.page.borrow_mut().take().unwrap_or_default()
    }

    /// Receives the press or release of the computer's key `code`; returns whether it played.
    #[must_use]
    pub fn key(&self, code: &str, pressed: bool) -> bool {
        self.with(|page| page.key(code, pressed))
    }

    /// Releases the computer's keys.
    #[wasm_bindgen(js_name = releaseKeys)]
    pub fn release_keys(&self) {
        self.with(Page::release_keys);
    }

    /// Receives a message of a MIDI keyboard: status and data bytes.
    pub fn midi(&self, status: u8, first: u8, second: u8) {
        self.with(|page| page.midi([status, first, second]));
    }

    /// Opens a file that was dropped on the page.
    pub fn open(&self, name: &str, bytes: Vec<u8>) {
        self.with(|page| page.open(name, bytes));
    }

    /// Ends the performance.
    pub fn stop(&self) {
        self.with(Page::stop);
    }

    /// Whether a file is played.
    #[wasm_bindgen(js_name = isPlaying)]
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.page.borrow().position().is_some()
    }

    /// Share of the time that the piano needs.
    #[must_use]
    pub fn busy(&self) -> f64 {
        self.page.borrow().busy()
    }

    /// Hides a fault in the chosen key and shows the exercise.
    #[wasm_bindgen(js_name = findAFault)]
    pub fn find_a_fault(&self) {
        self.with(Page::find_a_fault);
    }

    /// Shows the face called `name`; another name shows nothing new.
    pub fn show(&self, name: &str) {
        if let Some(face) =
            Face::ALL.into_iter().find(|face| face.name().eq_ignore_ascii_case(name))
        {
            self.with(|page| page.show(face));
        }
    }

    /// Sets a parameter by its id.
    ///
    /// # Errors
    /// No such parameter, or a value that it does not have.
    pub fn set(&self, id: &str, value: &str) -> Result<(), JsError> {
        self.with(|page| page.set(id, value)).map_err(|error| JsError::new(&error))
    }

    /// The present settings as an address, without `#`.
    #[must_use]
    pub fn address(&self) -> String {
        self.page.borrow().address()
    }

    /// What the window says of the sound and of files and links.
    #[must_use]
    pub fn status(&self) -> String {
        self.page.borrow_mut().status()
    }

    /// Shows `text` as the state of the sound; empty shows none.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(&self, text: &str) {
        self.with(|page| page.set_state(text));
    }

    /// Shows `text` as a message.
    pub fn tell(&self, text: &str) {
        self.with(|page| page.tell(text));
    }

    /// What the user has asked for since the last call: `open`, `link` or `walks`.
    #[must_use]
    pub fn orders(&self) -> Vec<String> {
        let orders = self.page.borrow_mut().orders();
        let name = |order| match order {
            PageOrder::Open => Some("open"),
            PageOrder::CopyLink => Some("link"),
            PageOrder::ShowWalks => Some("walks"),
            PageOrder::Perform | PageOrder::FindAFault => None,
        };
        orders.into_iter().filter_map(name).map(str::to_owned).collect()
    }

    /// Leaves out of the window's row what a page in a frame of another one has not.
    pub fn embed(&self) {
        self.with(Page::embed);
    }

    /// Shows changes at once instead of in motion, if `is_still`.
    #[wasm_bindgen(js_name = keepStill)]
    pub fn keep_still(&self, is_still: bool) {
        self.with(|page| page.keep_still(is_still));
    }

    /// Whether changes are shown at once.
    #[wasm_bindgen(js_name = isStill)]
    #[must_use]
    pub fn is_still(&self) -> bool {
        self.page.borrow().is_still()
    }

    /// The window's controls as a JSON array.
    #[must_use]
    pub fn controls(&self) -> String {
        let page = self.page.borrow();
        page.reader().tree(page.zoom())
    }

    /// Clicks the control `id`.
    #[wasm_bindgen(js_name = clickControl)]
    pub fn click_control(&self, id: &str) {
        self.with(|page| page.reader().click(id));
    }

    /// Gives the focus to the control `id`.
    #[wasm_bindgen(js_name = focusControl)]
    pub fn focus_control(&self, id: &str) {
        self.with(|page| page.reader().focus(id));
    }

    /// Sets the slider or number `id`.
    #[wasm_bindgen(js_name = setControl)]
    pub fn set_control(&self, id: &str, value: f64) {
        self.with(|page| page.reader().set(id, value));
    }

    /// The next file to be downloaded: its name, then its bytes by `download_bytes`; none if there is none.
    #[must_use]
    pub fn downloads(&self) -> Vec<Download> {
        downloads::take().into_iter().map(|(name, bytes)| Download { name, bytes }).collect()
    }
}

/// A file to be downloaded.
#[wasm_bindgen]
pub struct Download {
    name: String,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Download {
    /// Its name.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Its bytes.
    #[wasm_bindgen(getter)]
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }
}
