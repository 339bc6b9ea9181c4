//! Random programs that hide pointers: in bytes, in words, in integers, in distances, while another thread lets the objects
//! of the heap be renumbered. The values that they read are known when they are generated.
//!
//! `DALLY_PROGRAMS=n` runs n programs; `DALLY_SEED=n` starts with a seed that was printed.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod support;

use std::fmt::Write as _;

use dally_explore::{Exhaustive, Options, Search, Verdict};
use dally_interp::{Machine, MachineOptions};
use dally_testing::Random;
use dally_text::source::SourceMap;

const SLOTS: usize = 3;

/// How a pointer is hidden.
#[derive(Clone, Copy, PartialEq)]
enum Hiding {
    /// Its bytes, in a loop.
    Bytes,
    /// Two pieces at an odd address, the first one of that many bytes.
    Pieces(u64),
    /// Two integers of 32 bits.
    Words,
    /// An integer that is computed from it.
    Mixed,
    /// The distance from the object of another pointer.
    Distance(usize),
}

/// The program so far, and what it knows.
struct Generator {
    random: Random,
    text: String,
    /// The values of the objects; none for those that were freed.
    objects: Vec<Option<u64>>,
    /// The objects of the pointers; none for null.
    slots: [Option<usize>; SLOTS],
    /// The hidden pointer.
    hidden: Option<(Hiding, usize)>,
}

const HEADER: &str = "typedef unsigned long pthread_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int sched_yield(void);
void *malloc(unsigned long);
void free(void *);
void *memcpy(void *, const void *, unsigned long);
union punned { int *pointer; unsigned long number; };
struct words { unsigned low, high; };
int *p0, *p1, *p2;
char bytes[16];
struct words words;
unsigned long mixed;
long distance;
void *other(void *arg) {
  int *own = malloc(4);
  *own = 1;
  sched_yield();
  free(own);
  return 0;
}
int main(void) {
  pthread_t t;
  union punned u;
  unsigned long n;
  pthread_create(&t, 0, other, 0);
";

impl Generator {
    fn program(seed: u64) -> String {
        let mut random = Random::new(seed);
        let count = 10 + random.below(12);
        let (objects, text) = (Vec::new(), HEADER.to_owned());
        let mut this = Self { random, text, objects, slots: [None; SLOTS], hidden: None };
        (0..count).for_each(|_| this.statement());
        (0..SLOTS).for_each(|slot| this.check(slot));
        this.text.push_str("  pthread_join(t, 0);\n  return 0;\n}\n");
        this.text
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "  {line}");
    }

    fn live(&self, slot: usize) -> Option<usize> {
        self.slots[slot].filter(|object| self.objects[*object].is_some())
    }

    fn statement(&mut self) {
        let slot = self.random.below(SLOTS as u64) as usize;
        match self.random.below(12) {
            0..=2 => self.allocate(slot),
            3 => self.free(slot),
            4 | 5 => self.hide(slot),
            6 | 7 => self.restore(slot),
            8 => {
                self.slots[slot] = None;
                self.line(&format!("p{slot} = 0;"));
            }
            9 => self.check(slot),
            _ => self.line("sched_yield();"),
        }
    }

    fn allocate(&mut self, slot: usize) {
        let value = self.objects.len() as u64 + 10;
        self.slots[slot] = Some(self.objects.len());
        self.objects.push(Some(value));
        self.line(&format!("p{slot} = malloc(4); *p{slot} = {value};"));
    }

    fn free(&mut self, slot: usize) {
        if let Some(object) = self.live(slot) {
            self.objects[object] = None;
            self.slots[slot] = None;
            self.line(&format!("free(p{slot}); p{slot} = 0;"));
        }
    }

    fn check(&mut self, slot: usize) {
        if let Some(value) = self.live(slot).and_then(|object| self.objects[object]) {
            self.line(&format!("__dally_check(*p{slot} == {value}, \"the value\");"));
        }
    }

    fn hide(&mut self, slot: usize) {
        let Some(object) = self.live(slot) else { return };
        let base = self.random.below(SLOTS as u64) as usize;
        let hiding = match self.random.below(5) {
            0 => Hiding::Bytes,
            1 => Hiding::Pieces(1 + self.random.below(7)),
            2 => Hiding::Words,
            3 => Hiding::Mixed,
            _ => match self.live(base) {
                Some(from) => Hiding::Distance(from),
                None => return,
            },
        };
        self.hidden = Some((hiding, object));
        self.line(&match hiding {
            Hiding::Bytes => format!("for (int i = 0; i < 8; i++) bytes[i] = ((char *)&p{slot})[i];"),
            Hiding::Pieces(cut) => format!(
                "memcpy(bytes + 3, &p{slot}, {cut}); memcpy(bytes + {}, (char *)&p{slot} + {cut}, {});",
                3 + cut,
                8 - cut
            ),
            Hiding::Words => format!("words = *(struct words *)&p{slot};"),
            Hiding::Mixed => format!("u.pointer = p{slot}; mixed = u.number * 3 + 7;"),
            Hiding::Distance(_) => format!("distance = (char *)p{slot} - (char *)p{base};"),
        });
        if self.random.chance(70) {
            self.slots[slot] = None;
            self.line(&format!("p{slot} = 0; u.number = 0;"));
        }
    }

    fn restore(&mut self, slot: usize) {
        let Some((hiding, object)) = self.hidden else { return };
        let line = match hiding {
            Hiding::Bytes => format!("for (int i = 0; i < 8; i++) ((char *)&p{slot})[i] = bytes[i];"),
            Hiding::Pieces(_) => format!("memcpy(&p{slot}, bytes + 3, 8);"),
            Hiding::Words => {
                format!("n = (unsigned long)words.high << 32 | words.low; memcpy(&p{slot}, &n, 8);")
            }
            Hiding::Mixed => format!("u.number = (mixed - 7) / 3; p{slot} = u.pointer;"),
            Hiding::Distance(from) => match (0..SLOTS).find(|base| self.live(*base) == Some(from)) {
                Some(base) => format!("p{slot} = (int *)((char *)p{base} + distance);"),
                None => return,
            },
        };
        self.slots[slot] = Some(object);
        self.line(&line);
    }
}

/// The verdict on a program of Boogie.
fn explored(boogie: &str) -> Verdict {
    let mut sources = SourceMap::default();
    sources.add("mutant.bpl", boogie.to_owned()).unwrap();
    let program = dally_bpl::load(&sources).unwrap_or_else(|d| panic!("{} in\n{boogie}", d[0].message));
    let machine = Machine::new(&program, &sources, &MachineOptions::default());
    let machine = machine.unwrap_or_else(|d| panic!("{} in\n{boogie}", d[0].message));
    Search::new(&machine, &Exhaustive, &Options::default(), &()).run().verdict
}

#[test]
fn hidden_pointers_survive() {
    dally_testing::for_seeds("pointers", 250, |seed| {
        let text = Generator::program(seed);
        let (verdict, boogie) = support::run(&text);
        assert!(matches!(verdict, Verdict::Proved), "seed {seed}: {verdict:?}\n{text}\n{boogie}");
    });
}

/// Each observation of an address, removed from the translation, is missed by some program.
#[test]
fn missed_observations_are_noticed() {
    let removals: [(&str, &str, &str); 4] = [
        ("procedure $byte", "$fixed := true;", ""),
        ("procedure $to_read", "$fixed := true;", ""),
        ("procedure main", "$fixed := true;", ""),
        ("procedure $split", "$cell[a] >= 16", "$cell[a] >= 99"),
    ];
    for (procedure, old, new) in removals {
        let is_noticed = dally_testing::seeds(250).any(|seed| {
            let (_, boogie) = support::run(&Generator::program(seed));
            let Some((before, after)) = boogie.split_once(procedure) else { return false };
            let mutant = format!("{before}{procedure}{}", after.replacen(old, new, 1));
            mutant != boogie && matches!(explored(&mutant), Verdict::Bug(_))
        });
        assert!(is_noticed, "{procedure}");
    }
}
