// A driver between a switch and an LED, with power management: a transfer to the LED takes time, and the device may
// lose power during a transfer. The driver does not handle the completion event after that.
// check: runtime 3

event eUp;
event eDown;
event eSwitched: bool;
event eSet: (driver: machine, lit: bool);
event eSetDone;

machine Led {
    start state Ready {
        on eSet do (order: (driver: machine, lit: bool)) { send order.driver, eSetDone; }
    }
}

machine Driver {
    var led: machine;

    start state Init {
        entry {
            led = new Led();
            goto Off;
        }
    }

    state Off {
        ignore eSwitched, eDown;
        on eUp goto On;
    }

    state On {
        ignore eUp;
        on eSwitched goto Transferring;
        on eDown goto Off;
    }

    state Transferring {
        defer eSwitched;
        ignore eUp;
        entry (lit: bool) { send led, eSet, (driver = this, lit = lit); }
        on eSetDone goto On;
        on eDown goto Off;
    }
}

machine Switch {
    start state Init {
        entry (driver: machine) {
            send driver, eSwitched, true;
            send driver, eSwitched, false;
        }
    }
}

machine Main {
    start state Init {
        entry {
            var driver: machine;
            driver = new Driver();
            new Switch(driver);
            send driver, eUp;
            send driver, eDown;
            send driver, eUp;
        }
    }
}

test Power [main=Main]: { Main, Driver, Led, Switch };
