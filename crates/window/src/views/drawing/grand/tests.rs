use super::*;
use touchback_action::ActionSettings;
use touchback_action::grand::Assembly;
use touchback_action::grand::design::concert::Design;
use touchback_core::math::compass::KeyNumber;
use touchback_instrument::host::params;

fn poses(key: KeyNumber) -> (Spec, [GrandState; 2]) {
    let parts = Assembly::new(Design::new(key).build(&ActionSettings::default()));
    (parts.spec, [parts.rest(), parts.strike(2.0).unwrap()])
}

/// Whether twice the signed area at each corner has one sign.
fn is_convex(o: &[Vec2]) -> bool {
    let n = o.len();
    let turn = |i: usize| (o[(i + 1) % n] - o[i]).cross(o[(i + 2) % n] - o[(i + 1) % n]);
    (0..n).all(|i| turn(i) >= -1e-10) || (0..n).all(|i| turn(i) <= 1e-10)
}

#[test]
fn every_piece_is_convex_and_in_the_picture() {
    for key in KeyNumber::all() {
        let (spec, poses) = poses(key);
        for state in poses {
            let drawing = draw(&GrandPose { spec: &spec, state });
            assert!(drawing.pieces.len() > 40);
            for piece in &drawing.pieces {
                assert!(is_convex(&piece.outline), "{}: {piece:?}", key.number());
                for p in &piece.outline {
                    let (low, high) = BOUNDS;
                    let inside = (low.x..=high.x).contains(&p.x) && (low.y..=high.y).contains(&p.y);
                    assert!(inside, "{}: {piece:?}", key.number());
                }
            }
        }
    }
}

#[test]
fn contacts_follow_the_pose() {
    let (spec, poses) = poses(KeyNumber::from_midi(60).unwrap());
    let names = |i: usize| -> Vec<&str> {
        draw(&GrandPose { spec: &spec, state: poses[i] }).touching.iter().map(|t| t.name).collect()
    };
    assert_eq!(names(0), ["knuckle on repetition lever"]);
    let struck = names(1);
    assert!(struck.contains(&"toe on let-off button"), "{struck:?}");
    assert!(!struck.contains(&"jack on knuckle"), "{struck:?}");
}

#[test]
fn screws_set_parameters_that_exist() {
    let (spec, poses) = poses(KeyNumber::from_midi(60).unwrap());
    let drawing = draw(&GrandPose { spec: &spec, state: poses[0] });
    assert_eq!(drawing.screws.len(), 6);
    for screw in &drawing.screws {
        assert!(params::find(screw.parameter).is_ok(), "{}", screw.parameter);
    }
}
