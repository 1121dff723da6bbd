//! Messages for the faults that a keyboard reports.

use touchback_device::message::fault;

/// Message for the fault `bits` of a keyboard; never empty.
#[must_use]
pub fn fault_message(bits: u16) -> String {
    const MESSAGES: [(u16, &str); 10] = [
        (fault::TIMEOUT, "no command of this computer came in time"),
        (fault::SENSOR, "a position was read that no key can have"),
        (fault::THERMAL, "a motor is hot and its force reduced"),
        (fault::CLAMPED, "force was limited"),
        (fault::ENERGY, "a key gave out energy, and its force was taken away"),
        (fault::FRAME, "damaged messages came"),
        (fault::CLOCK, "a command was stamped too far ahead"),
        (fault::CONFIG, "it does less than the action needs (bed, damping or report interval)"),
        (fault::STOPPED, "this computer stopped it"),
        (fault::VERSION, "it speaks another version of the protocol"),
    ];
    let messages: Vec<&str> =
        MESSAGES.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, message)| *message).collect();
    let known = MESSAGES.iter().fold(0, |known, (bit, _)| known | bit);
    match (messages.is_empty(), bits & !known) {
        (true, 0) => "it names no cause".to_owned(),
        (true, _) => "it names a cause this version does not know".to_owned(),
        (false, _) => messages.join(", "),
    }
}
