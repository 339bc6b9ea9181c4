//! Random graphs: any state can be the target of any step.

use super::{Model, Move, Random};

#[derive(Debug)]
pub struct Web {
    tasks: u32,
    /// The outcomes for each state and task; `None` if the task is not enabled.
    moves: Vec<Vec<Option<Vec<Move<u8>>>>>,
}

impl Web {
    pub fn random(random: &mut Random) -> Self {
        let states = 2 + random.below(6);
        let tasks = 1 + random.below(3) as u32;
        let heat = 20 + random.below(60);
        let chill = random.below(40);
        let moves = (0..states)
            .map(|_| (0..tasks).map(|_| outcomes(random, states, heat, chill)).collect())
            .collect();
        Self { tasks, moves }
    }
}

fn outcomes(random: &mut Random, states: u64, heat: u64, chill: u64) -> Option<Vec<Move<u8>>> {
    if random.chance(30) {
        return None;
    }
    if random.chance(4) {
        // All outcomes are discarded by `assume`.
        return Some(Vec::new());
    }
    let choice = random.chance(35).then(|| random.below(2));
    let options = 2 + random.below(2);
    // An option may be discarded by `assume`, or be beyond a bound: it counts all the same.
    let explored = if random.chance(15) { options - 1 } else { options };
    let count = if choice.is_some() { explored } else { 1 + random.below(5) / 4 };
    let outcome = |nth: u64, random: &mut Random| Move {
        to: random.below(states) as u8,
        hot: u64::from(random.chance(heat)) | u64::from(random.chance(20)) << 1,
        cold: u64::from(random.chance(chill)) | u64::from(random.chance(30)) << 1,
        fair: choice.map(|choice| (choice, nth as u32, options as u32)).into_iter().collect(),
    };
    Some((0..count).map(|nth| outcome(nth, random)).collect())
}

impl Model for Web {
    type State = u8;

    fn start(&self) -> u8 {
        0
    }

    fn tasks(&self) -> u32 {
        self.tasks
    }

    fn moves(&self, state: &u8, task: u32) -> Option<Vec<Move<u8>>> {
        self.moves[*state as usize][task as usize].clone()
    }

    fn properties(&self) -> u32 {
        2
    }
}
