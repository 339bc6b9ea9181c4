//! Variable abstraction: few globals are tracked, all others are arbitrary wherever they are read.
//!
//! A program with fewer tracked globals has more executions, so that a proof of it is a proof of the program. A failing
//! execution of it is checked with everything tracked, along its path alone, which has no joins and takes a solver little
//! time. If the path is feasible, it is a bug. Otherwise a minimal set of globals that rules it out is tracked too, and the
//! search begins anew. Maps are what solvers find hard: memory regions, fields, arrays. So all other globals are tracked from
//! the start.
//!
//! It is the variable abstraction of Corral [CAV12], and the field abstraction of STORM [CAV09]. Deviations:
//!
//! 1. A read of an untracked global yields a value of its own, also within a larger expression; Corral makes the whole
//!    assignment arbitrary.
//! 2. The globals to add are found by dividing the candidates (QuickXplain), with one query each along the path.

use dally_bpl::Program;
use dally_bpl::ast::{BinaryOp, DeclKind, Expr, ExprId, LoopSpecKind, SpecKind, StmtKind};
use dally_bpl::check::{Ref, TyKind, VarId};
use dally_text::symbol::Sym;
use rustc_hash::FxHashSet;

use crate::flow::{BlockId, Flows, Instruction, Kind, Slot};
use crate::inline::{Answer, Effort, InlineOptions, NoAnswer, Scope, Verifier};
use crate::solver::{Solver, SolverError};

/// Globals that are tracked together: those that hold values of one variable of the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// The name of the variable in the source.
    pub name: String,
    /// The globals of the program.
    pub members: Vec<VarId>,
    /// True if the globals are tracked.
    pub tracked: bool,
}

/// Starts a solver.
pub type Start<'s> = dyn FnMut() -> Result<Box<dyn Solver + 's>, SolverError> + 's;

/// A program of which some globals are tracked. The recursion bound can be raised without starting anew.
pub struct Abstraction<'a, 's> {
    program: &'a Program,
    root: Sym,
    options: InlineOptions,
    groups: Vec<Group>,
    start: Box<Start<'s>>,
    current: Option<(Verifier<'a>, Box<dyn Solver + 's>)>,
    /// The work of verifiers that were given up.
    effort: Effort,
}

impl<'a, 's> Abstraction<'a, 's> {
    /// Prepares a sequential program. Globals that belong to no group are always tracked.
    pub fn new(
        program: &'a Program,
        root: Sym,
        options: &InlineOptions,
        groups: Vec<Group>,
        start: Box<Start<'s>>,
    ) -> Self {
        let options = options.clone();
        Abstraction { program, root, options, groups, start, current: None, effort: Effort::default() }
    }

    /// The groups, with those that are tracked by now.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The work so far.
    pub fn effort(&self) -> Effort {
        let mut effort = self.effort;
        effort += self.current.as_ref().map_or(Effort::default(), |(verifier, _)| verifier.effort());
        effort
    }

    /// The number of terms, and of other data that takes as much memory.
    pub fn held(&self) -> usize {
        self.current.as_ref().map_or(0, |(verifier, _)| verifier.held())
    }

    /// Sets the limit on terms.
    pub fn allow(&mut self, terms: usize) {
        self.options.limits.terms = terms;
        if let Some((verifier, _)) = &mut self.current {
            verifier.allow(terms);
        }
    }

    /// The verifier and the solver that have found the last result.
    pub fn into_verifier(self) -> Option<(Verifier<'a>, Box<dyn Solver + 's>)> {
        self.current
    }

    /// Searches for a failing execution, as [`Verifier::run`] does. A bug that the solver is not certain of is an error.
    pub fn run(&mut self, recursion: u32) -> Result<Answer, NoAnswer> {
        loop {
            let (verifier, solver) = match &mut self.current {
                Some(current) => current,
                None => {
                    let verifier = self.verifier(&self.groups, None)?;
                    self.current.insert((verifier, (self.start)()?))
                }
            };
            let path = match verifier.run(recursion, solver.as_mut())? {
                Answer::Bug(path) => path,
                other => return Ok(other),
            };
            if self.groups.iter().all(|group| group.tracked) {
                return Ok(Answer::Bug(path));
            }
            let trail = verifier.trail().to_vec();
            let everything: Vec<usize> = (0..self.groups.len()).collect();
            if let Answer::Bug(path) = self.along(&trail, &everything, recursion)? {
                let checked = path.certain && path.left_out.is_empty() && !path.forbidden;
                return match checked {
                    true => Ok(Answer::Bug(path)),
                    false => Err(NoAnswer::Unknown("the quantifiers of a path".to_owned())),
                };
            }
            self.refine(&trail, recursion)?;
        }
    }

    fn verifier(&self, groups: &[Group], trail: Option<Vec<BlockId>>) -> Result<Verifier<'a>, NoAnswer> {
        let untracked = groups.iter().filter(|group| !group.tracked);
        let untracked = untracked.flat_map(|group| group.members.iter().copied()).collect();
        Verifier::within_scope(
            self.program,
            self.root,
            &self.options,
            Scope { untracked, trail, invariants: None },
        )
    }

    /// Searches for a failing execution along a path, with some more groups tracked.
    fn along(&mut self, trail: &[BlockId], more: &[usize], recursion: u32) -> Result<Answer, NoAnswer> {
        let mut groups = self.groups.clone();
        more.iter().for_each(|index| groups[*index].tracked = true);
        let mut verifier = self.verifier(&groups, Some(trail.to_vec()))?;
        let mut solver = (self.start)()?;
        let answer = verifier.run(recursion, solver.as_mut());
        self.effort += verifier.effort();
        answer
    }

    /// Tracks globals that rule out a path, which is infeasible with everything tracked.
    fn refine(&mut self, trail: &[BlockId], recursion: u32) -> Result<(), NoAnswer> {
        let candidates = (0..self.groups.len()).filter(|index| !self.groups[*index].tracked);
        let candidates: Vec<usize> = candidates.collect();
        let needed = self.needed(trail, &mut Vec::new(), &candidates, recursion)?;
        if needed.is_empty() {
            // The solver contradicts itself: quantifiers may be why.
            return Err(NoAnswer::Unknown("a path that is both feasible and infeasible".to_owned()));
        }
        self.effort += self.current.take().map_or(Effort::default(), |(verifier, _)| verifier.effort());
        needed.into_iter().for_each(|index| self.groups[index].tracked = true);
        Ok(())
    }

    /// A minimal set of candidates that rule out a path, together with some that are tracked in any case. All candidates
    /// together rule it out.
    fn needed(
        &mut self,
        trail: &[BlockId],
        fixed: &mut Vec<usize>,
        candidates: &[usize],
        recursion: u32,
    ) -> Result<Vec<usize>, NoAnswer> {
        if !matches!(self.along(trail, fixed, recursion)?, Answer::Bug(_)) {
            return Ok(Vec::new());
        }
        if candidates.len() <= 1 {
            return Ok(candidates.to_vec());
        }
        let (first, second) = candidates.split_at(candidates.len() / 2);
        let before = fixed.len();
        fixed.extend(first);
        let mut needed = self.needed(trail, fixed, second, recursion)?;
        fixed.truncate(before);
        fixed.extend(&needed);
        needed.extend(self.needed(trail, fixed, first, recursion)?);
        fixed.truncate(before);
        Ok(needed)
    }
}

/// The groups of the globals of a program, given the variable of the source whose values a global holds. Maps are not tracked
/// at first, unless `from_start` says so.
pub fn groups(
    program: &Program,
    source: &dyn Fn(Sym) -> Option<String>,
    from_start: &dyn Fn(&str) -> bool,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for decl in &program.ast.decls {
        let DeclKind::Var(declared) = &decl.kind else { continue };
        let (name, var) = (declared.name.name, program.info.global(declared.name.name));
        let (Some(var), Some(name)) = (var, source(name)) else { continue };
        let is_map = matches!(program.info.types.kind(program.info[var].ty), TyKind::Map(..));
        let tracked = !is_map || from_start(&name);
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => {
                group.tracked |= tracked;
                group.members.push(var);
            }
            None => groups.push(Group { name, members: vec![var], tracked }),
        }
    }
    groups
}

/// The names of the variables that conditions to be checked mention.
pub fn asserted(program: &Program) -> FxHashSet<Sym> {
    let mut names = FxHashSet::default();
    let mut note = |e: ExprId| {
        program.ast.exprs.any(e, &mut |part| {
            if let Some(Ref::Var(var)) = program.info.meaning(part) {
                names.insert(program.info[var].name);
            }
            false
        });
    };
    for decl in &program.ast.decls {
        let (specs, body) = match &decl.kind {
            DeclKind::Procedure(procedure) => (&procedure.specs[..], procedure.body.as_ref()),
            DeclKind::Implementation(implementation) => (&[][..], Some(&implementation.body)),
            _ => continue,
        };
        for spec in specs {
            if let SpecKind::Requires { free: false, expr } | SpecKind::Ensures { free: false, expr } =
                spec.kind
            {
                note(expr);
            }
        }
        let mut todo: Vec<_> = body.iter().map(|body| &body.block).collect();
        while let Some(block) = todo.pop() {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assert(e) => note(*e),
                    StmtKind::If(conditional) => {
                        todo.extend(conditional.branches.iter().map(|branch| &branch.block));
                        todo.extend(&conditional.otherwise);
                    }
                    StmtKind::While(repeated) => {
                        for spec in &repeated.specs {
                            if let LoopSpecKind::Invariant { free: false, expr } = spec.kind {
                                note(expr);
                            }
                        }
                        todo.push(&repeated.body);
                    }
                    _ => {}
                }
            }
        }
    }
    names
}

/// Removes writes to globals that are not tracked, and assumptions about them.
pub(crate) fn forget(program: &Program, flows: &mut Flows, untracked: &[VarId]) {
    flows.untracked = untracked.iter().filter_map(|var| flows.slot(*var)).collect();
    if flows.untracked.is_empty() {
        return;
    }
    let Flows { flows: procedures, slots, wheres, untracked, .. } = flows;
    let slot = |var: VarId| slots[var.index()].map(|slot| slot as Slot);
    let mentions = |e: ExprId| {
        program.ast.exprs.any(e, &mut |part| match program.info.meaning(part) {
            Some(Ref::Var(var)) => slot(var).is_some_and(|slot| untracked.contains(&slot)),
            _ => false,
        })
    };
    wheres.retain(|_, condition| !mentions(*condition));
    for block in procedures.iter_mut().flat_map(|flow| &mut flow.blocks) {
        let mut code = Vec::new();
        for mut instruction in std::mem::take(&mut block.code) {
            match &mut instruction.kind {
                Kind::Assume(e) => {
                    let mut parts = Vec::new();
                    conjuncts(program, *e, &mut parts);
                    let kept = parts.into_iter().filter(|part| !mentions(*part));
                    code.extend(
                        kept.map(|part| Instruction { kind: Kind::Assume(part), ..instruction.clone() }),
                    );
                    continue;
                }
                Kind::Assign(targets) => targets.retain(|(slot, ..)| !untracked.contains(slot)),
                Kind::Havoc(vars) => {
                    vars.retain(|var| !slot(*var).is_some_and(|slot| untracked.contains(&slot)));
                }
                Kind::Unpack(_, slots, _) | Kind::Call { outs: slots, .. } => {
                    for target in slots {
                        *target = target.filter(|slot| !untracked.contains(slot));
                    }
                }
                Kind::Assert(..) | Kind::Requires(_) | Kind::Result(..) | Kind::Loop { .. } => {}
            }
            code.push(instruction);
        }
        block.code = code;
    }
}

/// The conjuncts of a condition.
fn conjuncts(program: &Program, e: ExprId, parts: &mut Vec<ExprId>) {
    let mut todo = vec![e];
    while let Some(e) = todo.pop() {
        match program.ast.exprs[e] {
            Expr::Binary(BinaryOp::And, a, b) => todo.extend([b, a]),
            _ => parts.push(e),
        }
    }
}
