//! Statements.

use super::{Compiler, Loop};
use crate::ast::{ExprId, ExprKind, StmtId, StmtKind};
use crate::check::info::{Local, Use};
use crate::code::{Cases, Change, Op, Path, PathStep, Site};
use crate::value::Value;

impl Compiler<'_> {
    pub(super) fn stmt(&mut self, id: StmtId) {
        let outer = self.span;
        dally_text::stack::grow(|| self.stmt_here(id));
        self.span = outer;
    }

    fn stmt_here(&mut self, id: StmtId) {
        let program = self.program;
        let is_top = std::mem::replace(&mut self.is_top, false);
        let stmt = &program.ast.stmts[id.index()];
        let meaning = program.info.stmt_uses[id.index()];
        self.span = stmt.span;
        match &stmt.kind {
            StmtKind::Nothing => {}
            StmtKind::Block(stmts) => stmts.iter().for_each(|s| self.stmt(*s)),
            StmtKind::Assert(condition, message) => self.assertion(*condition, *message),
            StmtKind::Assume(condition, _) => {
                let site = self.assumption_site(*condition, is_top);
                self.expr(*condition);
                self.emit(Op::Assume(site));
            }
            StmtKind::Print(message) => {
                self.expr(*message);
                self.print();
            }
            StmtKind::Return(value) => {
                match value {
                    Some(value) => self.expr(*value),
                    None => self.constant(Value::Null),
                }
                self.emit(Op::Return);
            }
            StmtKind::Break => {
                let jump = self.emit(Op::Jump(0));
                if let Some(inner) = self.loops.last_mut() {
                    inner.breaks.push(jump);
                }
            }
            StmtKind::Continue => {
                let again = self.loops.iter().rev().find_map(|l| l.again).unwrap_or(0);
                self.emit(Op::Jump(again));
            }
            StmtKind::Assign(place, value) => self.assign(*place, *value),
            StmtKind::Insert(place, key, value) => self.update(*place, &[*key, *value], Change::Insert),
            StmtKind::Add(place, value) => self.update(*place, &[*value], Change::Add),
            StmtKind::Remove(place, value) => self.update(*place, &[*value], Change::Remove),
            StmtKind::While(condition, body) => self.while_loop(*condition, *body),
            StmtKind::Foreach(_, collection, body) => self.foreach(meaning, *collection, *body),
            StmtKind::If(condition, then, other) => self.if_else(*condition, *then, *other),
            StmtKind::New(_, args) => {
                self.creation(args, meaning);
                self.emit(Op::Pop);
            }
            StmtKind::Call(_, args) => {
                self.call(args, meaning);
                self.emit(Op::Pop);
            }
            StmtKind::Raise(event, args) => {
                self.emission(*event, args);
                self.emit(Op::Raise);
            }
            StmtKind::Send(target, event, args) => {
                self.expr(*target);
                self.emission(*event, args);
                self.emit(Op::Send);
                self.emit(Op::Enqueue);
            }
            StmtKind::Announce(event, args) => {
                self.emission(*event, args);
                if !self.is_literal_event(*event) {
                    self.emit(Op::Conform);
                }
                self.emit(Op::Announce);
            }
            StmtKind::Goto(_, args) => {
                self.payload(args);
                if let Use::State(state) = meaning {
                    self.emit(Op::Goto(state));
                }
            }
            StmtKind::Receive(_) => self.receive(id),
        }
    }

    fn is_false(&self, condition: ExprId) -> bool {
        matches!(self.program.ast.exprs[condition.index()].kind, ExprKind::Bool(false))
    }

    fn site(&mut self, site: Site) -> u32 {
        self.code.sites.push(site);
        self.code.sites.len() as u32 - 1
    }

    fn assumption_site(&mut self, condition: ExprId, is_top: bool) -> Option<u32> {
        (is_top || !self.is_false(condition)).then(|| self.site(Site::Assumption(self.span)))
    }

    /// Prints the text on the stack.
    fn print(&mut self) {
        if let Some(Op::Format(text, count)) = self.code.ops.last_mut() {
            let fused = Op::PrintFormat(*text, *count);
            self.code.ops.pop();
            self.code.spans.pop();
            self.emit(fused);
        } else {
            self.emit(Op::Print);
        }
    }

    fn assertion(&mut self, condition: ExprId, message: Option<ExprId>) {
        if !self.is_false(condition) {
            let site = self.site(Site::Assertion(self.span));
            self.emit(Op::Reach(site));
        }
        self.expr(condition);
        let holds = self.emit(Op::JumpIf(true, 0));
        // The message is evaluated only if the assertion fails: it may be defined only then.
        match message {
            Some(message) => self.expr(message),
            None => self.constant(Value::Null),
        }
        self.emit(Op::Fail);
        self.land(holds);
        self.emit(Op::Pop);
    }

    /// Pushes an event and its payload. Without arguments, an event given by name has the default payload
    /// of its type, and one given by an expression has `null`, as in P.
    fn emission(&mut self, event: ExprId, args: &[ExprId]) {
        self.expr(event);
        match self.program.info.use_of(event) {
            Use::Event(event) if args.is_empty() => self.constant(self.code.events[event as usize].default),
            _ => self.payload(args),
        }
    }

    fn is_literal_event(&self, event: ExprId) -> bool {
        matches!(self.program.info.use_of(event), Use::Event(_))
    }

    fn set(&mut self, meaning: Use) {
        match meaning {
            Use::Local(slot) => self.emit(Op::SetLocal(slot)),
            Use::Field(field) => self.emit(Op::SetField(field)),
            _ => self.emit(Op::Pop),
        };
    }

    fn assign(&mut self, place: ExprId, value: ExprId) {
        if matches!(self.program.ast.exprs[place.index()].kind, ExprKind::Name(_)) {
            self.expr(value);
            self.set(self.program.info.use_of(place));
        } else {
            self.update(place, &[value], Change::Set);
        }
    }

    /// Pushes the indices on the path to a part of a variable and the operands of a change, and emits the
    /// change.
    fn update(&mut self, place: ExprId, operands: &[ExprId], change: Change) {
        let info = &self.program.info;
        let mut steps = Vec::new();
        let mut indices = Vec::new();
        let mut root = place;
        loop {
            match &self.program.ast.exprs[root.index()].kind {
                ExprKind::Index(inner, index) => {
                    steps.push(PathStep::Index);
                    indices.push(*index);
                    root = *inner;
                }
                ExprKind::Field(inner, _) | ExprKind::Item(inner, _) => {
                    if let Use::Item(item) = info.use_of(root) {
                        steps.push(PathStep::Item(item));
                    }
                    root = *inner;
                }
                _ => break,
            }
        }
        steps.reverse();
        indices.reverse();
        indices.extend_from_slice(operands);
        self.operands(&indices);
        let (field, variable) = match info.use_of(root) {
            Use::Field(field) => (true, field),
            Use::Local(slot) => (false, slot),
            _ => return,
        };
        self.code.paths.push(Path { field, variable, steps });
        self.emit(Op::Update(self.code.paths.len() as u32 - 1, change));
    }

    fn while_loop(&mut self, condition: ExprId, body: StmtId) {
        let start = self.here();
        self.expr(condition);
        let end = self.emit(Op::JumpIfNot(0));
        self.loop_body(start, body);
        self.land(end);
        self.end_loop();
    }

    /// The body of a loop, and the jump back to its beginning.
    fn loop_body(&mut self, start: u32, body: StmtId) {
        self.loops.push(Loop { again: Some(start), breaks: Vec::new() });
        self.stmt(body);
        self.emit_silently(Op::Jump(start));
    }

    fn end_loop(&mut self) {
        for jump in self.loops.pop().map(|l| l.breaks).unwrap_or_default() {
            self.land(jump);
        }
    }

    fn foreach(&mut self, item: Use, collection: ExprId, body: StmtId) {
        let slot = self.locals;
        self.locals += 2;
        self.expr(collection);
        self.emit(Op::SetLocal(slot));
        self.constant(Value::Int(0));
        self.emit(Op::SetLocal(slot + 1));
        let start = self.here();
        let next = self.emit(Op::Foreach(slot, 0));
        self.set(item);
        self.loop_body(start, body);
        self.land(next);
        self.end_loop();
    }

    fn if_else(&mut self, condition: ExprId, then: StmtId, other: Option<StmtId>) {
        self.expr(condition);
        let skip = self.emit(Op::JumpIfNot(0));
        self.stmt(then);
        match other {
            None => self.land(skip),
            Some(other) => {
                let end = self.emit_silently(Op::Jump(0));
                self.land(skip);
                self.stmt(other);
                self.land(end);
            }
        }
    }

    fn receive(&mut self, id: StmtId) {
        let program = self.program;
        let number = self.code.cases.len();
        self.code.cases.push(Cases { targets: vec![None; program.info.events.len()] });
        self.emit(Op::Receive(number as u32));
        let mut ends = Vec::new();
        for case in program.info.cases.get(&id).into_iter().flatten() {
            let here = self.here();
            for event in &case.events {
                self.code.cases[number].targets[*event as usize] = Some(here);
            }
            let fun = &program.info.funs[case.fun.index()];
            match fun.params.first() {
                Some(param) => {
                    self.emit(Op::SetLocal(param.slot));
                    self.takes(param.slot, param.ty);
                }
                None => {
                    self.emit(Op::Pop);
                }
            }
            for Local { slot, ty } in &fun.vars {
                let value = self.default_value(*ty);
                self.constant(value);
                self.emit(Op::SetLocal(*slot));
            }
            self.loops.push(Loop { again: None, breaks: Vec::new() });
            if let Some(body) = &program.ast.funs[case.fun.index()].body {
                body.stmts.iter().for_each(|s| self.stmt(*s));
            }
            self.end_loop();
            ends.push(self.emit_silently(Op::Jump(0)));
        }
        ends.into_iter().for_each(|end| self.land(end));
    }
}
