//! Event-driven programs (`dally.h`): posts at levels and to buffers, entry points, and interrupts.
//!
//! 1. A posted task runs `$task$f`. It knows its level and its buffer (`$level`, `$buffer`) where points depend on them.
//! 2. The entry points of other buffers wait until `$start` has set the initial values; those of its own buffer are posted.
//! 3. Where points are more than a `yield`, they are calls of `$point…`: yields and zields, unless they are suppressed, and then
//!    each interrupt that may fire, as a choice. While every task of a buffer waits, the task `$idle…` lets interrupts fire.
//! 4. An interrupt is a post of `$interrupt$f` at its level, which interrupts the poster at once. A second one waits for its end.

use std::collections::BTreeSet;

use dally_bpl::ast::{Attr, Attrs, Stmt, StmtKind};
use dally_text::diagnostic::Diagnostic;
use dally_text::symbol::Sym;

use super::Lowerer;
use super::emit::Procedure;
use super::places::Value;
use super::term::{self, T};
use crate::codes;
use crate::hir::walk::{every, roots};
use crate::hir::{Builtin, Expr, ExprKind, Fires, Function, FunctionId, Home, Interrupt, LineOp, Program};
use crate::types::Type;

/// The parts of `dally.h` that a program uses.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// True if tasks are posted, or if there are entry points or interrupts: the program does not end with `main`.
    pub(super) active: bool,
    /// The home of `$start`.
    home: Home,
    /// The function that `$start` runs.
    first: Option<FunctionId>,
    /// The other entry points.
    entries: Vec<(FunctionId, Home)>,
    pub(super) handlers: Vec<(FunctionId, Interrupt)>,
    pub(super) several_buffers: bool,
    pub(super) no_yields_at: BTreeSet<u16>,
    pub(super) no_zields_at: BTreeSet<u16>,
    /// True if tasks have numbers: locks and the like need them.
    numbered: bool,
    /// The variants of `$point` that are in use.
    pub(super) points: BTreeSet<(bool, bool)>,
}

/// The operations that `dally.h` offers, besides posts.
fn is_event(builtin: Builtin) -> bool {
    matches!(builtin, Builtin::Post(..) | Builtin::Zield | Builtin::Line(_) | Builtin::Mask(_))
}

/// Calls `f` for each builtin of a function.
fn builtins(function: &Function, f: &mut dyn FnMut(Builtin)) {
    for stmt in function.body.iter().flatten() {
        roots(stmt, &mut |root| {
            every(root, &mut |e| {
                if let ExprKind::Builtin(builtin, _) = e.kind {
                    f(builtin);
                }
            });
        });
    }
}

/// Finds the parts of `dally.h` that the program uses.
pub(super) fn find(program: &Program, reachable: &BTreeSet<FunctionId>) -> Events {
    let mut events = Events::default();
    let mut buffers: BTreeSet<u16> = BTreeSet::new();
    for id in reachable {
        builtins(&program.functions[id.index()], &mut |builtin| {
            events.active |= is_event(builtin);
            events.numbered |= matches!(
                builtin,
                Builtin::SelfId | Builtin::Threads | Builtin::Ended | Builtin::ThreadResult
            );
            if let Builtin::Post(_, Some(buffer)) = builtin {
                buffers.insert(buffer);
            }
        });
    }
    for (index, function) in (0..).zip(&program.functions) {
        let id = FunctionId(index);
        let marks = &function.events;
        events.no_yields_at.extend(&marks.no_yields_at);
        events.no_zields_at.extend(&marks.no_zields_at);
        if function.library || function.body.is_none() {
            continue;
        }
        let is_main = function.name == "main";
        match marks.entry {
            Some(home) => events.entries.push((id, home)),
            None if is_main => events.entries.push((id, Home::default())),
            None => {}
        }
        events.handlers.extend(marks.interrupt.map(|interrupt| (id, interrupt)));
        events.active |= marks.entry.is_some() || marks.interrupt.is_some();
    }
    buffers.extend(events.entries.iter().map(|(_, home)| home.buffer));
    events.several_buffers = buffers.len() > 1;
    // `$start` is in the buffer that begins; `main` comes first there.
    let is_main = |id: FunctionId| program.functions[id.index()].name == "main";
    let order = events.entries.iter().enumerate();
    let first = order.min_by_key(|(nth, (id, home))| (home.buffer, !is_main(*id), *nth)).map(|(nth, _)| nth);
    if let Some(first) = first {
        let (id, home) = events.entries.remove(first);
        (events.first, events.home) = (Some(id), home);
    }
    events
}

impl Events {
    /// The functions that run as tasks without being posted by the text.
    pub(super) fn roots(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let entries = self.entries.iter().map(|(id, _)| *id);
        entries.chain(self.first).chain(self.handlers.iter().map(|(id, _)| *id))
    }

    /// True if a scheduling point is more than a yield.
    fn has_points(&self) -> bool {
        self.several_buffers || !self.handlers.is_empty() || !self.no_yields_at.is_empty()
    }

    fn uses_level(&self) -> bool {
        let by_level = !self.no_yields_at.is_empty() || !self.no_zields_at.is_empty();
        by_level || !self.handlers.is_empty()
    }

    pub(super) fn uses_buffer(&self) -> bool {
        self.several_buffers && !self.handlers.is_empty()
    }

    /// The first number of a task that is posted at run time; the others are those of `$start`, handlers and entry points.
    fn first_number(&self) -> i128 {
        1 + (self.handlers.len() + self.entries.len()) as i128
    }
}

impl Lowerer<'_> {
    /// Reports what does not fit together.
    pub(super) fn check_events(&self) -> Result<(), Diagnostic> {
        let events = &self.facts.events;
        for (id, interrupt) in &events.handlers {
            let function = self.function(*id);
            let buffer = interrupt.home.buffer;
            if !matches!(self.program.types.get(function.result), Type::Void) {
                let message = format!("the handler of an interrupt, `{}`, has a result", function.name);
                return Err(Diagnostic::new(codes::BAD_EVENT, function.span, message));
            }
            let mut homes = events.entries.iter().map(|(_, home)| home).chain([&events.home]);
            if !homes.any(|home| home.buffer == buffer) {
                let message = format!(
                    "`{}` interrupts the tasks of buffer {buffer}, which has no entry point",
                    function.name
                );
                return Err(Diagnostic::new(codes::BAD_EVENT, function.span, message));
            }
            if function.events.entry.is_some() {
                let message =
                    format!("`{}` is both an entry point and the handler of an interrupt", function.name);
                return Err(Diagnostic::new(codes::BAD_EVENT, function.span, message));
            }
        }
        Ok(())
    }

    // Points.

    /// The statement of a scheduling point.
    pub(super) fn point_kind(&mut self) -> StmtKind {
        if !self.facts.events.has_points() {
            let suppressed = self.suppressed();
            if !suppressed.0 {
                return StmtKind::Yield;
            }
        }
        let (no_yields, no_zields) = self.suppressed();
        let point = (!no_yields, !no_zields);
        self.facts.events.points.insert(point);
        let procedure = super::emit::ident(self.sym(&super::interrupts::point_name(point)));
        let args = self.ast.exprs.add_list(&[]);
        let call = dally_bpl::ast::Call { free: false, outs: Vec::new(), procedure, args };
        StmtKind::Call(Box::new(call))
    }

    /// True for yields, and for zields, if they are suppressed in the function whose body is being lowered.
    fn suppressed(&self) -> (bool, bool) {
        let Some(frame) = self.proc.frames.first() else { return (false, false) };
        let marks = &self.function(frame.function).events;
        (marks.no_yields, marks.no_zields)
    }

    /// Returns true for the statement of a scheduling point.
    pub(super) fn is_point(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Yield => true,
            StmtKind::Call(call) => self.ast.text(call.procedure.name).starts_with("$point$"),
            _ => false,
        }
    }

    // Operations.

    pub(super) fn event_builtin(&mut self, builtin: Builtin, args: &[Expr]) -> Value {
        match (builtin, args) {
            (Builtin::Post(level, buffer), [function, argument]) => {
                self.post_task(level, buffer, function, argument);
            }
            (Builtin::Zield, _) => self.push(StmtKind::Zield),
            (Builtin::Seal, _) => self.push(StmtKind::Seal),
            (Builtin::Unseal, _) => self.push(StmtKind::Unseal),
            (Builtin::Mask(on), _) => {
                self.scheduling_point();
                let masked = self.sym("$masked");
                self.set(masked, &term::int(i128::from(on)));
            }
            (Builtin::Line(op), [handler]) => return self.line(op, handler),
            _ => {}
        }
        Value::Void
    }

    fn line(&mut self, op: LineOp, handler: &Expr) -> Value {
        let ExprKind::Function(id) = handler.kind else {
            self.internal("an operation on an interrupt without a handler");
            return Value::Void;
        };
        let name = self.procedure_names[id.index()].clone();
        self.scheduling_point();
        let (enabled, raised) = (self.sym(&format!("$enabled.{name}")), self.sym(&format!("$raised.{name}")));
        let (variable, value) = match op {
            LineOp::Enable => (enabled, 1),
            LineOp::Disable => (enabled, 0),
            LineOp::Raise => (raised, 1),
            LineOp::Clear => {
                let old = self.temporary(false);
                self.set(old, &term::var(raised));
                self.set(raised, &term::int(0));
                return Value::Int(term::var(old), term::Range { low: 0, high: 1 });
            }
            LineOp::IsRaised => {
                return Value::Int(self.slot(term::var(raised)), term::Range { low: 0, high: 1 });
            }
        };
        self.set(variable, &term::int(value));
        Value::Void
    }

    fn post_task(&mut self, level: Option<u16>, buffer: Option<u16>, function: &Expr, argument: &Expr) {
        let function = self.value(function);
        let function = self.int(function);
        let argument = self.value(argument);
        let argument = self.int(argument);
        let (function, argument) = (self.stable(function), self.stable(argument));
        self.scheduling_point();
        let mut context = Vec::new();
        if self.facts.events.numbered {
            let threads = self.sym("$threads");
            let number = self.temporary(false);
            self.set(number, &term::var(threads));
            self.set(threads, &term::add(term::var(number), term::int(1)));
            context.push(term::var(number));
        }
        if self.facts.events.uses_level() {
            let own = term::var(self.sym("$level"));
            context.push(level.map_or(own, |level| term::int(i128::from(level))));
        }
        if self.facts.events.uses_buffer() {
            let own = term::var(self.sym("$buffer"));
            context.push(buffer.map_or(own, |buffer| term::int(i128::from(buffer))));
        }
        let home = (level, buffer);
        match self.function_at(&function) {
            Some(id) => self.post_function(id, home, &context, &argument),
            None => {
                let addressed = self.facts.addressed.iter().copied();
                let candidates: Vec<FunctionId> = addressed.filter(|f| self.may_be_thread(*f)).collect();
                self.post_among(&function, &candidates, home, &context, &argument);
            }
        }
    }

    fn post_among(
        &mut self,
        pointer: &T,
        candidates: &[FunctionId],
        home: (Option<u16>, Option<u16>),
        context: &[T],
        argument: &T,
    ) {
        let Some((first, rest)) = candidates.split_first() else {
            return self.check(&term::boolean(false), "a task is posted with a wild function pointer");
        };
        let address = self.function_address(*first);
        let condition = term::binary(dally_bpl::ast::BinaryOp::Eq, pointer.clone(), term::int(address));
        let condition = self.expr(&condition, true);
        self.begin();
        self.post_function(*first, home, context, argument);
        let then = self.end();
        self.begin();
        self.post_among(pointer, rest, home, context, argument);
        let otherwise = self.end();
        self.push_if(condition, then, otherwise);
    }

    fn post_function(
        &mut self,
        function: FunctionId,
        (level, buffer): (Option<u16>, Option<u16>),
        context: &[T],
        argument: &T,
    ) {
        let callee = self.function(function);
        if callee.body.is_none() || callee.library {
            let what = format!("a task that runs the external function `{}`", callee.name);
            return self.unsupported(&what);
        }
        let has_parameter = !callee.params.is_empty();
        let name = self.task_of(function);
        let mut terms = context.to_vec();
        terms.extend(has_parameter.then(|| argument.clone()));
        self.post_at(&name, &terms, level, buffer);
    }

    /// The name of the procedure of tasks that run a function.
    fn task_of(&mut self, function: FunctionId) -> String {
        self.task_roots.insert(function);
        format!("$task${}", self.procedure_names[function.index()])
    }

    // Declarations.

    /// The parameters with which a task learns its number, level and buffer, and the assignments that record them.
    fn context(&mut self) -> Vec<Sym> {
        let events = &self.facts.events;
        let known = [
            (events.numbered, "number", "$self"),
            (events.uses_level(), "level", "$level"),
            (events.uses_buffer(), "buffer", "$buffer"),
        ];
        let mut params = Vec::new();
        for (_, param, variable) in known.into_iter().filter(|(used, ..)| *used) {
            let (param, variable) = (self.fresh(param), self.sym(variable));
            self.set(variable, &term::var(param));
            params.push(param);
        }
        self.outside_of_sections();
        params
    }

    /// `$section := 0;`
    fn outside_of_sections(&mut self) {
        let section = self.sym("$section");
        self.set(section, &term::int(0));
    }

    /// The procedure of the tasks that run a function.
    pub(super) fn declare_task(&mut self, function: FunctionId) {
        self.proc = Procedure::new(format!("$task${}", self.procedure_names[function.index()]));
        self.proc.span = dally_text::source::Span::NONE;
        let mut ins = self.context();
        self.initialise_thread_locals();
        let has_parameter = !self.function(function).params.is_empty();
        let argument = has_parameter.then(|| self.fresh("argument"));
        ins.extend(argument);
        self.run_as_task(function, argument.map(term::var));
        let hidden: Attrs = [self.attr_text("c", "")].into_iter().collect();
        let ins = ins.into_iter().map(|n| self.var_decl(n, false, hidden.clone())).collect();
        let name = self.function(function).name.clone();
        let shown = self.attr_text("c", &name);
        self.declare_procedure(ins, Vec::new(), [shown].into_iter().collect());
    }

    fn run_as_task(&mut self, function: FunctionId, argument: Option<T>) {
        let exits = self.facts.exits.contains(&function);
        if exits {
            self.declare_exits();
        }
        let callee = self.function(function);
        let mut outs = Vec::new();
        if !matches!(self.program.types.get(callee.result), Type::Void) {
            outs.push(None);
        }
        outs.extend(self.proc.exits.filter(|_| exits).map(Some));
        let name = self.procedure_names[function.index()].clone();
        let args: Vec<T> = argument.into_iter().collect();
        let args = self.padded(function, &args);
        self.call(outs, &name, &args);
        self.release_thread_locals();
    }

    /// The parameters with which a thread learns the level and buffer of its creator.
    pub(super) fn inherited_home(&mut self) -> Vec<Sym> {
        let mut params = Vec::new();
        self.outside_of_sections();
        for (param, variable) in [("level", "$level"), ("buffer", "$buffer")] {
            if self.facts.events.active {
                let (param, variable) = (self.fresh(param), self.sym(variable));
                self.set(variable, &term::var(param));
                params.push(param);
            }
        }
        params
    }

    /// Lowers the statements of `$start` before the constructors: it posts the other entry points of its buffer, and lets those of other
    /// buffers begin.
    pub(super) fn begin_entries(&mut self) {
        let home = self.facts.events.home;
        let set = |l: &mut Self, name: &str, value: i128| {
            let name = l.sym(name);
            l.set(name, &term::int(value));
        };
        set(self, "$level", i128::from(home.level));
        set(self, "$buffer", i128::from(home.buffer));
        set(self, "$section", 0);
        set(self, "$masked", 0);
        set(self, "$threads", self.facts.events.first_number());
        for (id, interrupt) in self.facts.events.handlers.clone() {
            let name = self.procedure_names[id.index()].clone();
            let is_timer = interrupt.fires == Fires::Timer;
            set(self, &format!("$enabled.{name}"), i128::from(is_timer));
            set(self, &format!("$raised.{name}"), 0);
            set(self, &format!("$runs.{name}"), 0);
        }
        self.begin_buffer(home.buffer);
        for (nth, (function, at)) in (0..).zip(self.facts.events.entries.clone()) {
            if at.buffer == home.buffer {
                let name = self.task_of(function);
                let terms = self.static_context(at, self.entry_number(nth));
                self.post_at(&name, &terms, Some(at.level), None);
            }
        }
        set(self, "$started", 1);
    }

    fn entry_number(&self, nth: i128) -> i128 {
        1 + self.facts.events.handlers.len() as i128 + nth
    }

    /// The context of a task that is known in the text.
    pub(super) fn static_context(&self, home: Home, number: i128) -> Vec<T> {
        let events = &self.facts.events;
        let numbers = [
            (events.numbered, number),
            (events.uses_level(), i128::from(home.level)),
            (events.uses_buffer(), i128::from(home.buffer)),
        ];
        numbers.into_iter().filter(|(used, _)| *used).map(|(_, n)| term::int(n)).collect()
    }

    /// Posts the task that lets interrupts fire while the others of its buffer wait.
    fn begin_buffer(&mut self, buffer: u16) {
        if self.facts.events.handlers.iter().any(|(_, i)| i.home.buffer == buffer) {
            self.post_at(&format!("$idle${buffer}"), &[], Some(0), None);
        }
    }

    /// The entry points of buffers other than the first.
    pub(super) fn declare_entries(&mut self) {
        let home = self.facts.events.home;
        let mut begun: BTreeSet<u16> = [home.buffer].into();
        for (nth, (function, at)) in (0..).zip(self.facts.events.entries.clone()) {
            if at.buffer == home.buffer {
                continue;
            }
            let name = self.procedure_names[function.index()].clone();
            let task = self.task_of(function);
            self.proc = Procedure::new(format!("$entry${name}"));
            self.proc.span = dally_text::source::Span::NONE;
            let started = term::eq(term::var(self.sym("$started")), term::int(1));
            let started = self.expr(&started, true);
            let waits = self.attr_text("waits", "the start of the program");
            self.push_check(StmtKind::Await(started), Some(waits));
            if begun.insert(at.buffer) {
                self.begin_buffer(at.buffer);
            }
            let terms = self.static_context(at, self.entry_number(nth));
            self.call(Vec::new(), &task, &terms);
            let attrs = [
                self.attr("entrypoint", Vec::new()),
                self.attr_int("buffer", usize::from(at.buffer)),
                self.attr_int("level", usize::from(at.level)),
                self.attr_text("c", &self.function(function).name.clone()),
            ];
            self.declare_procedure(Vec::new(), Vec::new(), attrs.into_iter().collect());
        }
    }

    /// The attributes of `$start` that say where it runs.
    pub(super) fn start_attrs(&mut self) -> Vec<Attr> {
        let Home { buffer, level } = self.facts.events.home;
        let mut attrs = Vec::new();
        for (name, value) in [("buffer", buffer), ("level", level)] {
            if value > 0 || self.facts.events.several_buffers && name == "buffer" {
                attrs.push(self.attr_int(name, usize::from(value)));
            }
        }
        attrs
    }

    /// The name under which traces show `$start`.
    pub(super) fn start_name(&self) -> String {
        self.facts.events.first.map_or("main".to_owned(), |f| self.function(f).name.clone())
    }

    /// The function that `$start` runs.
    pub(super) fn start_function(&self) -> Option<FunctionId> {
        self.facts.events.first
    }
}
