//! Random P programs: machines of several kinds that create each other, pass on references, `this` among
//! them, and send, raise, defer, ignore and receive events, handle `null`, halt, and are watched by
//! monitors.

use dally_testing::Random;

/// The events without a payload.
const PLAIN: [&str; 3] = ["eA", "eB", "eC"];
const REFS: [&str; 3] = ["r0", "r1", "r2"];
const KINDS: [&str; 3] = ["K0", "K1", "K2"];

struct Generator {
    random: Random,
    /// The chance of a statement that creates a machine, in percent.
    creates: u64,
    /// The chance of a state that handles `null`.
    defaults: u64,
    monitors: usize,
}

/// The program of a seed.
pub(crate) fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let creates = *random.pick(&[0, 3, 10]);
    let defaults = *random.pick(&[0, 0, 15]);
    let monitors = random.below(3) as usize;
    Generator { random, creates, defaults, monitors }.program()
}

impl Generator {
    fn program(&mut self) -> String {
        let mut text =
            "event eA; event eB; event eC; event eR: machine; event eS: (int, machine); event eT: set[machine]; event eM: int;\n"
                .to_owned();
        for monitor in 0..self.monitors {
            text += &self.monitor(monitor);
        }
        for kind in KINDS {
            text += &self.machine(kind);
        }
        text += &self.main();
        let monitors: Vec<String> = (0..self.monitors).map(|monitor| format!("M{monitor}")).collect();
        let asserts =
            if monitors.is_empty() { String::new() } else { format!("assert {} in ", monitors.join(", ")) };
        text + &format!("test T [main=Main]: {asserts}{{ Main, K0, K1, K2 }};\n")
    }

    fn monitor(&mut self, number: usize) -> String {
        let events = ["eA", "eB", "eM"];
        let observed = events.iter().filter(|_| self.random.chance(50)).collect::<Vec<_>>();
        let observed = if observed.is_empty() { vec![&"eM"] } else { observed };
        let names = observed.iter().map(|e| **e).collect::<Vec<_>>().join(", ");
        let mut text = format!("spec M{number} observes {names} {{ var n: int; start state S0 {{ ");
        for event in &observed {
            text += &match self.random.below(3) {
                0 => format!("on {event} do {{ n = n + 1; }} "),
                1 => format!("on {event} do {{ if (n < 4) {{ n = n * 2 + 1; }} }} "),
                _ => format!("on {event} goto S1; "),
            };
        }
        text += "} state S1 { ";
        for event in &observed {
            text += &match self.random.below(8) {
                0 => format!("on {event} do {{ assert n < 2; n = n + 1; }} "),
                1..4 => format!("on {event} do {{ n = n * 3 + 1; if (n > 20) {{ n = 0; }} }} "),
                4..6 => format!("on {event} goto S0; "),
                _ => format!("ignore {event}; "),
            };
        }
        text + "} }\n"
    }

    fn reference(&mut self) -> &'static str {
        let name = *self.random.pick(&REFS);
        if self.random.chance(25) { "this" } else { name }
    }

    fn send(&mut self) -> String {
        let to = self.reference();
        let send = match self.random.below(8) {
            7 => format!("send {to}, eT, all;"),
            0..4 => format!("send {to}, {};", self.random.pick(&PLAIN)),
            4 => format!("send {to}, eR, {};", self.reference()),
            5 => format!("send {to}, eS, (n, {});", self.reference()),
            _ if self.random.chance(20) => format!("send {to}, halt;"),
            _ => format!("if ($) {{ send {to}, {}; }}", self.random.pick(&PLAIN)),
        };
        if to == "this" {
            format!("if (n < 3) {{ n = n + 1; {send} }}")
        } else {
            format!("if ({to} != null) {{ {send} }}")
        }
    }

    /// Some statements; `depth` limits their nesting.
    fn block(&mut self, depth: u32, is_null_handler: bool) -> String {
        let mut text = String::new();
        for _ in 0..=self.random.below(2) {
            text += &self.stmt(depth, is_null_handler);
            text += " ";
        }
        text
    }

    fn stmt(&mut self, depth: u32, is_null_handler: bool) -> String {
        if self.random.chance(self.creates) {
            let (kind, to, arg) = (*self.random.pick(&KINDS), *self.random.pick(&REFS), self.reference());
            return format!("if (n < 2) {{ n = n + 2; {to} = new {kind}({arg}); }}");
        }
        match self.random.below(16) {
            14 => {
                let from = *self.random.pick(&REFS);
                format!("if ({from} != null) {{ all += ({from}); }}")
            }
            15 => format!("foreach (q in all) {{ send q, {}; }}", self.random.pick(&PLAIN)),
            0..5 => self.send(),
            5 | 6 => format!("{} = {};", self.random.pick(&REFS), self.reference()),
            7 => "if (n < 3) { n = n + 1; }".to_owned(),
            8 if self.monitors > 0 => "announce eM, n;".to_owned(),
            9 if depth > 0 => format!("if ($) {{ {} }}", self.block(depth - 1, is_null_handler)),
            10 if depth > 0 && !is_null_handler => format!(
                "receive {{ case {}: {{ {} }} case eR: (p: machine) {{ {} = p; {} }} }}",
                self.random.pick(&PLAIN),
                self.block(0, false),
                self.random.pick(&REFS),
                self.block(0, false)
            ),
            11 => format!("Pass({});", self.reference()),
            12 if self.random.chance(20) => "raise halt;".to_owned(),
            12 if self.random.chance(30) => "assert n < 3;".to_owned(),
            _ => self.send(),
        }
    }

    /// A handler's last statement may change the state or raise an event.
    fn last(&mut self) -> String {
        match self.random.below(8) {
            0 => format!("goto S1, {};", self.reference()),
            1 => "goto S2;".to_owned(),
            2 => format!("if (n < 3) {{ n = n + 1; raise eR, {}; }}", self.reference()),
            _ => String::new(),
        }
    }

    fn handlers(&mut self) -> String {
        let mut text = String::new();
        for event in PLAIN {
            text += &match self.random.below(16) {
                0..3 => format!("defer {event}; "),
                3..6 => format!("ignore {event}; "),
                6 => format!("on {event} goto S2; "),
                7 if self.random.chance(10) => String::new(),
                _ => format!("on {event} do {{ {} {} }} ", self.block(1, false), self.last()),
            };
        }
        text += &match self.random.below(10) {
            0 => "defer eR; ".to_owned(),
            1..3 => "on eR goto S1; ".to_owned(),
            _ => {
                let to = *self.random.pick(&REFS);
                format!("on eR do (p: machine) {{ {to} = p; {} {} }} ", self.block(1, false), self.last())
            }
        };
        text += &match self.random.below(10) {
            0 => "ignore eS; ".to_owned(),
            _ => {
                let to = *self.random.pick(&REFS);
                format!("on eS do (p: (int, machine)) {{ {to} = p.1; {} }} ", self.block(1, false))
            }
        };
        text += &match self.random.below(4) {
            0 => "ignore eT; ".to_owned(),
            1 => "on eT do (p: set[machine]) { foreach (q in p) { send q, eA; } } ".to_owned(),
            _ => format!("on eT do (p: set[machine]) {{ all = p; {} }} ", self.block(1, false)),
        };
        if self.random.chance(self.defaults) {
            text += &format!("on null do {{ if (n < 3) {{ n = n + 1; {} }} }} ", self.block(1, true));
        }
        text
    }

    fn machine(&mut self, kind: &str) -> String {
        let exit = if self.random.chance(15) { "exit { if (r0 != null) { send r0, eB; } }" } else { "" };
        let [s0, s1, s2] = [self.handlers(), self.handlers(), self.handlers()];
        let (start, enter) = (self.block(1, false), self.block(0, false));
        let (kept, passed) = (*self.random.pick(&REFS), *self.random.pick(&REFS));
        format!(
            "machine {kind} {{ var r0: machine; var r1: machine; var r2: machine; var n: int;
  var all: set[machine]; var q: machine;
  start state S0 {{ entry (p: machine) {{ {kept} = p; {start} }} {exit} {s0} }}
  state S1 {{ entry (p: machine) {{ {passed} = p; {enter} }} {s1} }}
  state S2 {{ {s2} }}
  fun Pass(p: machine) {{ if (r1 != null && p != null) {{ send r1, eR, p; }} }}
}}\n"
        )
    }

    fn main(&mut self) -> String {
        let mut text = "machine Main { var r0: machine; var r1: machine; var r2: machine; var n: int;
  start state S0 { entry { "
            .to_owned();
        let count = 2 + self.random.below(2) as usize;
        for to in &REFS[..count] {
            let arg = *self.random.pick(&["null", "this", "r0", "r0", "r1"]);
            let arg = if arg == "null" { "default(machine)" } else { arg };
            text += &format!("{to} = new {}({arg}); ", self.random.pick(&KINDS));
        }
        for _ in 0..1 + self.random.below(4) {
            let to = *self.random.pick(&REFS[..count]);
            text += &match self.random.below(3) {
                0 => format!("send {to}, {}; ", self.random.pick(&PLAIN)),
                1 => format!("send {to}, eR, {}; ", self.random.pick(&REFS[..count])),
                _ => format!("send {to}, eS, (n, {}); ", self.random.pick(&["this", "r0", "r1"])),
            };
        }
        text + "} ignore eA, eB; on eC do { if (r1 != null) { send r1, eA; } } on eR do (p: machine) { r1 = p; } \
                ignore eS, eT; } }\n"
    }
}
