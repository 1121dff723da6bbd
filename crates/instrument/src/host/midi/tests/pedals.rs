//! Pedals of channels and of the host.

use super::*;

#[test]
fn the_deepest_pedal_of_all_channels_counts_in_either_polarity() {
    let mut midi = Midi::default();
    assert_eq!(means(&mut midi, control(0, 64, 1.0)), [Event::Sustain(1.0)]);
    assert_eq!(means(&mut midi, control(1, 64, 0.5)), [Event::Sustain(1.0)]);
    assert_eq!(means(&mut midi, control(0, 64, 0.0)), [Event::Sustain(0.5)]);
    assert_eq!(means(&mut midi, control(1, 66, 1.0)), [Event::Sostenuto(1.0)]);
    assert_eq!(means(&mut midi, control(1, 67, 0.25)), [Event::UnaCorda(0.25)]);
    let mut settings = Settings::default();
    settings.pedals.pedal_polarity = Polarity::Inverted;
    let mut midi = Midi::default();
    assert_eq!(under(&mut midi, control(0, 64, 0.25), &settings), [Event::Sustain(0.75)]);
    assert_eq!(under(&mut midi, control(0, 67, 0.25), &settings), [Event::UnaCorda(0.25)]);
    let up = under(&mut midi, control(0, 121, 0.0), &settings);
    assert_eq!(up[0], Event::Sustain(0.0), "reset raises the pedal in either polarity");
}

#[test]
fn reset_raises_this_channels_pedals_and_centres_bend_and_expression() {
    let mut midi = Midi::default();
    means(&mut midi, control(0, 64, 1.0));
    means(&mut midi, control(1, 64, 0.5));
    assert_eq!(
        means(&mut midi, control(0, 121, 0.0)),
        [
            Event::Sustain(0.5),
            Event::Sostenuto(0.0),
            Event::UnaCorda(0.0),
            Event::Bend(0.0),
            Event::Expression(1.0),
        ]
    );
}

#[test]
fn half_pedals_of_channel_3_go_before_the_switch() {
    let mut midi = Midi::default();
    let half = 46.0 / 127.0;
    assert_eq!(means(&mut midi, control(0, 64, 1.0)), [Event::Sustain(1.0)]);
    assert_eq!(means(&mut midi, control(2, 64, half)), [Event::Sustain(half)]);
    assert_eq!(means(&mut midi, control(0, 64, 1.0)), [Event::Sustain(half)]);
    assert_eq!(means(&mut midi, control(3, 64, 0.5)), [Event::Sustain(0.5)], "a second player's");
    means(&mut midi, control(3, 64, 0.0));
    assert_eq!(means(&mut midi, control(2, 64, 0.0)), [Event::Sustain(0.0)]);
    // A continuous pedal on channel 1 counts, and so does a switch where channel 3 plays notes.
    assert_eq!(means(&mut midi, control(0, 64, 0.75)), [Event::Sustain(0.75)]);
    let mut midi = Midi::default();
    means(&mut midi, on(2, 60, 0.5));
    means(&mut midi, control(0, 64, 1.0));
    assert_eq!(means(&mut midi, control(2, 64, half)), [Event::Sustain(1.0)]);
    // Other pedals are not concerned.
    let mut midi = Midi::default();
    means(&mut midi, control(2, 64, half));
    means(&mut midi, control(0, 67, 1.0));
    assert_eq!(means(&mut midi, control(2, 67, half)), [Event::UnaCorda(1.0)]);
}

#[test]
fn a_pedal_of_the_host_replaces_those_of_channels_whatever_the_polarity() {
    let mut settings = Settings::default();
    settings.pedals.pedal_polarity = Polarity::Inverted;
    let moved = |pedal, travel| InputMessage::Pedal { pedal, travel };
    for (pedal, number) in Pedal::ALL.into_iter().zip([64, 66, 67]) {
        let mut midi = Midi::default();
        means(&mut midi, control(0, number, 1.0));
        means(&mut midi, control(1, number, 1.0));
        assert_eq!(under(&mut midi, moved(pedal, 0.25), &settings), [pedal.event(0.25)]);
        // The next message of a channel is the latest change.
        assert_eq!(means(&mut midi, control(1, number, 0.125)), [pedal.event(0.125)]);
        assert_eq!(means(&mut midi, moved(pedal, 7.0)), [pedal.event(1.0)]);
        assert_eq!(means(&mut midi, moved(pedal, f64::NAN)), []);
        assert_eq!(means(&mut midi, control(0, number, 0.0)), [pedal.event(0.0)]);
    }
}
