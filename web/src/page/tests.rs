use super::*;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::Snapshot;
use touchback_window::offscreen::Offscreen;

/// Draws one frame and returns the messages for the piano.
fn frame(page: &mut Page, screen: &mut Offscreen) -> Vec<ToPiano> {
    let output = screen.frame((1280.0, 800.0), 1.0, Vec::new(), |ui| page.ui(ui));
    output.drop_without_applying_deltas();
    page.take().map_or_else(Vec::new, |bytes| remote::message(&bytes).unwrap())
}

fn receive(page: &mut Page, messages: &[ToWindow], now: f64) {
    page.receive(&remote::bytes(&messages), now);
}

#[test]
fn settings_are_sent_once_and_after_each_change() {
    let (mut page, mut screen) = (Page::new("#piano=felt"), Offscreen::default());
    let sets =
        |messages: &[ToPiano]| messages.iter().filter(|m| matches!(m, ToPiano::Set(_))).count();
    assert_eq!(sets(&frame(&mut page, &mut screen)), 1);
    assert_eq!(sets(&frame(&mut page, &mut screen)), 0);
    page.set("let_off_mm", "3.5").unwrap();
    assert_eq!(sets(&frame(&mut page, &mut screen)), 1);
    assert_eq!(page.address(), "piano=felt&let_off_mm=3.5");
    assert!(page.set("let_off_mm", "300").is_err() && page.set("none", "1").is_err());
    assert_eq!(sets(&frame(&mut page, &mut screen)), 0);
}

#[test]
fn a_midi_keyboard_plays_and_its_controllers_move_what_learned_them() {
    let (mut page, mut screen) = (Page::new(""), Offscreen::default());
    let parameter = find("let_off_mm").unwrap();
    page.controls.learn(Some(parameter));
    page.midi([0xb0, 64, 127]);
    assert!(page.controls.learning_parameter.is_some(), "the pedal cannot be learned");
    page.midi([0xb0, 20, 127]);
    assert!(page.controls.learning_parameter.is_none());
    assert_eq!(page.controls.value(parameter), parameter.max());
    page.midi([0xb0, 20, 0]);
    assert_eq!(page.controls.value(parameter), parameter.min());
    page.midi([0x90, 60, 90]);
    let messages = frame(&mut page, &mut screen);
    assert!(messages.contains(&ToPiano::Midi([0x90, 60, 90])));
}

#[test]
fn what_the_piano_reports_is_shown_and_kept() {
    let (mut page, mut screen) = (Page::new(""), Offscreen::default());
    let key = KeyNumber::from_midi(72).unwrap();
    let snapshot = Snapshot { touched: Some(key), ..Snapshot::default() };
    let message = TimedMessage { time: 1.0, bytes: [0x90, 72, 80] };
    let sent = [
        ToWindow::Keyboard(Box::new(snapshot)),
        ToWindow::Played(vec![message; 3]),
        ToWindow::Position(Some(2.0), 8.0),
        ToWindow::Warning("the file: cut off".into()),
    ];
    receive(&mut page, &sent, 0.0);
    frame(&mut page, &mut screen);
    assert_eq!((page.window.snapshot.touched, page.take.len()), (Some(key), 3));
    assert_eq!(page.position(), Some((2.0, 8.0)));
    assert_eq!(page.status(), "the file: cut off");
    receive(&mut page, &[ToWindow::Position(None, 8.0)], 0.1);
    assert_eq!(page.position(), None);
    page.receive(b"another build", 0.0);
}

#[test]
fn a_slow_machine_gets_economy_once() {
    let mut page = Page::new("");
    let busy = remote::Levels {
        meter: touchback_instrument::watch::monitor::Meter { busy: 0.95, ..Default::default() },
        ..Default::default()
    };
    let context = Context::default();
    let at = |page: &mut Page, time: f64| {
        receive(page, &[ToWindow::Levels(busy)], time);
        let input = egui::RawInput { time: Some(time), ..egui::RawInput::default() };
        context.run_ui(input, |ui| page.watch_load(ui.ctx())).drop_without_applying_deltas();
    };
    let economy = find("economy").unwrap();
    at(&mut page, 1.0);
    at(&mut page, 2.5);
    assert_eq!(page.controls.value(economy), 0.0);
    at(&mut page, 3.5);
    assert_eq!(page.controls.value(economy), 1.0);
    assert!(page.status().contains("Economy"));
    page.controls.put(economy, 0.0);
    at(&mut page, 9.0);
    assert_eq!((page.controls.value(economy), page.told.len()), (0.0, 0));
}

#[test]
fn an_exercise_is_not_told_by_the_link() {
    let (mut page, mut screen) = (Page::new(""), Offscreen::default());
    page.find_a_fault();
    let faulty = page.controls.keys();
    assert!(faulty != touchback_action::interface::key_sheet::KeySheet::EVEN);
    assert_eq!(page.address(), "");
    frame(&mut page, &mut screen);
    assert_eq!(page.window.face, Face::Keys);
}

#[test]
fn dropped_files_play_load_and_tune() {
    let (mut page, mut screen) = (Page::new(""), Offscreen::default());
    page.open("a.mid", b"MThd".to_vec());
    assert!(frame(&mut page, &mut screen).contains(&ToPiano::Perform(b"MThd".to_vec())));
    page.open("k.kbm", b"".to_vec());
    assert!(page.status().contains("first drop the scale"));
    page.open("s.scl", touchback_sound::tuning::scala::texts::PYTHAGOREAN.as_bytes().to_vec());
    assert!(page.controls.texts().is_some());
    page.open("k.csv", b"key,drop_mm\n40,0.3\n".to_vec());
    assert_eq!(page.address(), "keys=key,drop_mm/40,0.3");
    page.open("x.png", Vec::new());
    assert!(page.status().starts_with("x.png: "));
}

#[test]
fn a_touch_before_the_piano_is_there_is_heard_as_a_note() {
    let (mut page, mut screen) = (Page::new(""), Offscreen::default());
    let is_release = |m: &ToPiano| matches!(m, ToPiano::Play(Event::NoteOff { .. }));
    let is_press = |m: &ToPiano| matches!(m, ToPiano::Play(Event::NoteOn { .. }));
    assert!(page.key("KeyQ", true) && page.key("KeyQ", false));
    let first = frame(&mut page, &mut screen);
    assert!(first.iter().any(is_press) && !first.iter().any(is_release));
    for _ in 1..HELD {
        receive(&mut page, &[], 0.0);
    }
    assert!(!frame(&mut page, &mut screen).iter().any(is_release));
    receive(&mut page, &[], 0.0);
    assert!(frame(&mut page, &mut screen).iter().any(is_release));
    // Later releases are sent at once.
    assert!(page.key("KeyQ", true) && page.key("KeyQ", false));
    assert!(frame(&mut page, &mut screen).iter().any(is_release));
}

#[test]
fn the_row_plays_begins_an_exercise_and_leaves_the_rest_to_the_script() {
    let (mut page, mut screen) = (Page::new("#let_off_mm=6"), Offscreen::default());
    frame(&mut page, &mut screen);
    assert!(page.status().contains("Let-off 6.00 mm instead of 1.50 mm"));
    let mut ask = |page: &mut Page, order| {
        page.window.page.as_mut().unwrap().orders.push(order);
        frame(page, &mut screen)
    };
    let began = ask(&mut page, PageOrder::Perform);
    assert!(began.iter().any(|m| matches!(m, ToPiano::Perform(file) if file == PRELUDE)));
    page.position = Some((0.0, 1.0));
    assert!(ask(&mut page, PageOrder::Perform).contains(&ToPiano::Stop));
    ask(&mut page, PageOrder::FindAFault);
    assert_eq!(page.window.face, Face::Keys);
    ask(&mut page, PageOrder::CopyLink);
    assert_eq!(page.orders(), [PageOrder::CopyLink]);
    assert!(page.orders().is_empty());
}
