// A sliding window protocol (go back N) over channels that lose messages.

event eData: (number: int, item: int);
event eAck: int;

param attempts: int;

machine Sender {
    var receiver: machine;
    var base: int;
    var next: int;
    var retries: int;

    start state Init {
        entry (r: machine) {
            receiver = r;
            goto Sending;
        }
    }

    state Sending {
        entry {
            while (next < base + 2 && next < 6) {
                if ($) {
                    send receiver, eData, (number = Modulo(next), item = next);
                }
                next = next + 1;
            }
        }
        on eAck do (ack: int) {
            base = base + Modulo(ack + 3 - Modulo(base));
            if (next < base) {
                next = base;
            }
            goto Sending;
        }
        on null do {
            if (retries < attempts && base < 6) {
                retries = retries + 1;
                next = base;
                goto Sending;
            }
            goto Done;
        }
    }

    state Done { ignore eAck; }
}

machine Receiver {
    var sender: machine;
    var expected: int;

    start state Receiving {
        entry { sender = new Sender(this); }
        on eData do (message: (number: int, item: int)) {
            if (message.number == Modulo(expected)) {
                assert message.item == expected, "an item is delivered out of order";
                expected = expected + 1;
            }
            if ($) {
                send sender, eAck, Modulo(expected);
            }
        }
    }
}

fun Modulo(n: int): int {
    return n - n / 3 * 3;
}

test param (attempts in [3, 7]) Window [main=Receiver]: { Receiver, Sender };
