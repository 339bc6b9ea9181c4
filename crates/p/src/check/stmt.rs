//! Statements.

use dally_text::code::Code;
use dally_text::diagnostic::Diagnostic;
use dally_text::source::Span;
use dally_text::symbol::Sym;

use super::Checker;
use super::body::Body;
use super::info::{CaseInfo, Use};
use super::types::{Kind, Ty, Types};
use crate::ast::{Case, ExprId, ExprKind, Name, StmtId, StmtKind};
use crate::codes;

impl Checker<'_> {
    pub(super) fn stmt(&mut self, body: &mut Body, id: StmtId) {
        dally_text::stack::grow(|| self.stmt_here(body, id));
    }

    fn stmt_here(&mut self, body: &mut Body, id: StmtId) {
        let ast = self.ast;
        let stmt = &ast.stmts[id.index()];
        match &stmt.kind {
            StmtKind::Nothing => {}
            StmtKind::Block(stmts) => stmts.iter().for_each(|s| self.stmt(body, *s)),
            StmtKind::Assert(condition, message) | StmtKind::Assume(condition, message) => {
                self.condition(body, *condition);
                if let Some(message) = message {
                    self.string(body, *message);
                }
            }
            StmtKind::Print(message) => self.string(body, *message),
            StmtKind::Return(value) => {
                let ty = value.map_or(Types::NULL, |v| self.expr(Some(body), v));
                self.expect(body.ret, ty, stmt.span);
            }
            StmtKind::Break => {
                // `break` also leaves a case of a `receive`.
                if body.loops == [0] {
                    self.error(Code::MISPLACED_BREAK, stmt.span, "`break` outside of a loop");
                }
            }
            StmtKind::Continue => {
                if body.loops.iter().all(|n| *n == 0) {
                    self.error(Code::MISPLACED_BREAK, stmt.span, "`continue` outside of a loop");
                }
            }
            StmtKind::Assign(place, value) => {
                let wanted = self.place(body, *place);
                let found = self.expr(Some(body), *value);
                self.expect(wanted, found, ast.exprs[value.index()].span);
            }
            StmtKind::Add(place, value) => self.add(body, *place, *value),
            StmtKind::Insert(place, key, value) => self.insert(body, *place, *key, *value),
            StmtKind::Remove(place, value) => self.remove(body, *place, *value),
            StmtKind::While(condition, inner) => {
                self.condition(body, *condition);
                self.in_loop(body, *inner);
            }
            StmtKind::Foreach(item, collection, inner) => {
                self.foreach(body, id, *item, *collection);
                self.in_loop(body, *inner);
            }
            StmtKind::If(condition, then, other) => {
                self.condition(body, *condition);
                self.stmt(body, *then);
                if let Some(other) = other {
                    self.stmt(body, *other);
                }
            }
            StmtKind::New(name, args) => {
                if let Some(interface) = self.creation(body, *name, args, stmt.span) {
                    self.info.stmt_uses[id.index()] = Use::Interface(interface);
                }
            }
            StmtKind::Call(name, args) => {
                if let Some(fun) = self.call(body, *name, args, stmt.span) {
                    self.info.stmt_uses[id.index()] = Use::Fun(fun);
                }
            }
            StmtKind::Raise(..) | StmtKind::Send(..) | StmtKind::Announce(..) => self.event_stmt(body, id),
            StmtKind::Goto(state, args) => self.goto(body, id, *state, args, stmt.span),
            StmtKind::Receive(cases) => self.receive(body, id, cases, stmt.span),
        }
    }

    /// `raise`, `send` and `announce`.
    fn event_stmt(&mut self, body: &mut Body, id: StmtId) {
        let ast = self.ast;
        let span = ast.stmts[id.index()].span;
        match &ast.stmts[id.index()].kind {
            StmtKind::Raise(event, args) => {
                self.effects(body).leaves = true;
                self.only_void(body, span, "raise an event");
                self.emission(body, *event, args, span);
            }
            StmtKind::Send(target, event, args) => {
                self.reject_in_monitor(body, span, "send events");
                self.effects(body).acts = true;
                let ty = self.expr(Some(body), *target);
                self.expect(Types::MACHINE, ty, ast.exprs[target.index()].span);
                self.emission(body, *event, args, span);
            }
            StmtKind::Announce(event, args) => {
                self.reject_in_monitor(body, span, "announce events");
                self.effects(body).acts = true;
                self.emission(body, *event, args, span);
            }
            _ => {}
        }
    }

    fn in_loop(&mut self, body: &mut Body, inner: StmtId) {
        let enter = |body: &mut Body, by: i32| {
            if let Some(depth) = body.loops.last_mut() {
                *depth = depth.saturating_add_signed(by);
            }
        };
        enter(body, 1);
        self.stmt(body, inner);
        enter(body, -1);
    }

    fn effects(&mut self, body: &Body) -> &mut super::info::Effects {
        &mut self.info.funs[body.fun.index()].effects
    }

    fn condition(&mut self, body: &mut Body, condition: ExprId) {
        let ty = self.expr(Some(body), condition);
        if ty != Types::BOOL && ty != Types::ERROR {
            let message = format!("a condition must be `bool`, found `{}`", self.show(ty));
            self.error(Code::NOT_BOOL, self.ast.exprs[condition.index()].span, message);
        }
    }

    fn string(&mut self, body: &mut Body, message: ExprId) {
        let ty = self.expr(Some(body), message);
        self.expect(Types::STR, ty, self.ast.exprs[message.index()].span);
    }

    /// Checks the lvalue of a statement and returns its type.
    fn place(&mut self, body: &mut Body, place: ExprId) -> Ty {
        let mut root = place;
        while let ExprKind::Field(inner, _) | ExprKind::Item(inner, _) | ExprKind::Index(inner, _) =
            &self.ast.exprs[root.index()].kind
        {
            if matches!(self.ast.exprs[root.index()].kind, ExprKind::Index(..)) {
                let ty = self.expr(Some(body), *inner);
                if matches!(self.info.types.kind(ty), Kind::Set(_)) {
                    let span = self.ast.exprs[root.index()].span;
                    self.error(Code::NOT_APPLICABLE, span, "the elements of a set cannot be assigned");
                    return Types::ERROR;
                }
            }
            root = *inner;
        }
        let span = self.ast.exprs[root.index()].span;
        let ExprKind::Name(name) = self.ast.exprs[root.index()].kind else { return Types::ERROR };
        match self.variable(Some(body), name) {
            Some((Use::Param(_), _)) => {
                let message =
                    format!("`{}` is a global parameter and cannot be assigned to", self.text(name));
                self.error(Code::IMMUTABLE, span, message);
                Types::ERROR
            }
            Some(_) => self.expr(Some(body), place),
            None => {
                let known = self.variable_names(Some(body));
                self.unknown(Code::UNKNOWN_NAME, "variable", Name { sym: name, span }, known.iter());
                Types::ERROR
            }
        }
    }

    /// Reports an operand of the wrong kind of type.
    fn not_applicable(&mut self, place: ExprId, ty: Ty, wanted: &str) {
        if ty != Types::ERROR {
            let message = format!("expected {wanted}, found `{}`", self.show(ty));
            self.error(Code::NOT_APPLICABLE, self.ast.exprs[place.index()].span, message);
        }
    }

    fn expect_expr(&mut self, body: &mut Body, wanted: Ty, value: ExprId) {
        let ty = self.expr(Some(body), value);
        self.expect(wanted, ty, self.ast.exprs[value.index()].span);
    }

    fn add(&mut self, body: &mut Body, place: ExprId, value: ExprId) {
        let ty = self.place(body, place);
        let element = match self.info.types.kind(ty) {
            Kind::Set(element) => *element,
            _ => {
                self.not_applicable(place, ty, "a set");
                Types::ERROR
            }
        };
        self.expect_expr(body, element, value);
    }

    fn insert(&mut self, body: &mut Body, place: ExprId, key: ExprId, value: ExprId) {
        let ty = self.place(body, place);
        let (wanted_key, wanted_value) = match self.info.types.kind(ty) {
            Kind::Seq(element) => (Types::INT, *element),
            Kind::Map(key, value) => (*key, *value),
            _ => {
                self.not_applicable(place, ty, "a sequence or map");
                (Types::ERROR, Types::ERROR)
            }
        };
        self.expect_expr(body, wanted_key, key);
        self.expect_expr(body, wanted_value, value);
    }

    fn remove(&mut self, body: &mut Body, place: ExprId, value: ExprId) {
        let ty = self.place(body, place);
        let wanted = match self.info.types.kind(ty) {
            Kind::Seq(_) => Types::INT,
            Kind::Map(key, _) => *key,
            Kind::Set(element) => *element,
            _ => {
                self.not_applicable(place, ty, "a sequence, set or map");
                Types::ERROR
            }
        };
        self.expect_expr(body, wanted, value);
    }

    fn foreach(&mut self, body: &mut Body, id: StmtId, item: Name, collection: ExprId) {
        let ty = self.expr(Some(body), collection);
        let element = match self.info.types.kind(ty) {
            Kind::Seq(element) | Kind::Set(element) => *element,
            _ => {
                self.not_applicable(collection, ty, "a sequence or set");
                Types::ERROR
            }
        };
        match self.variable(Some(body), item.sym) {
            Some((Use::Param(_), _)) => {
                let message = "a global parameter cannot be assigned to";
                self.error(Code::IMMUTABLE, item.span, message);
            }
            Some((variable, ty)) => {
                if !self.info.types.same(element, ty) {
                    self.expect(ty, element, item.span);
                    if self.info.types.fits(ty, element) {
                        let (wanted, found) = (self.show(element), self.show(ty));
                        let message = format!(
                            "the elements are of type `{wanted}`, but the variable is of type `{found}`"
                        );
                        self.error(Code::TYPE_MISMATCH, item.span, message);
                    }
                }
                self.info.stmt_uses[id.index()] = variable;
            }
            None => {
                let known = self.variable_names(Some(body));
                self.unknown(Code::UNKNOWN_NAME, "variable", item, known.iter());
            }
        }
    }

    /// Reports an operation that is not allowed in a monitor.
    pub(super) fn reject_in_monitor(&mut self, body: &Body, span: Span, what: &str) -> bool {
        let monitor = body.owner.is_some_and(|m| self.info.machines[m].is_monitor());
        if monitor {
            self.error(codes::MONITOR_OPERATION, span, format!("a monitor cannot {what}"));
        }
        monitor
    }

    /// Reports an operation that is not allowed in functions with a result.
    fn only_void(&mut self, body: &Body, span: Span, what: &str) {
        // A case of a `receive` counts as part of its function.
        if self.info.funs[body.fun.index()].ret != Types::NULL {
            let message = format!("a function that returns a value cannot {what}");
            self.error(codes::STATE_CHANGE, span, message);
        }
    }

    /// Checks an event that is sent, raised or announced, and its payload.
    fn emission(&mut self, body: &mut Body, event: ExprId, args: &[ExprId], span: Span) {
        let ty = self.expr(Some(body), event);
        let place = self.ast.exprs[event.index()].span;
        if ty == Types::NULL {
            self.error(Code::TYPE_MISMATCH, place, "`null` cannot be sent or raised");
        } else {
            self.expect(Types::EVENT, ty, place);
        }
        let types: Vec<Ty> = args.iter().map(|a| self.expr(Some(body), *a)).collect();
        let literal = !matches!(self.ast.exprs[event.index()].kind, ExprKind::Null);
        if let Use::Event(event) = self.info.use_of(event)
            && literal
        {
            let payload = self.info.events[event as usize].payload;
            self.payload(payload, args, &types, span);
        }
    }

    /// Checks the arguments against the payload type of an event or constructor.
    pub(super) fn payload(&mut self, wanted: Ty, args: &[ExprId], types: &[Ty], span: Span) {
        let count = |n: usize| if n == 1 { "1 value".to_owned() } else { format!("{n} values") };
        match (self.info.types.kind(wanted).clone(), types) {
            (Kind::Error | Kind::Null, []) => {}
            (_, []) => {
                let message = format!("expected `{}`, found nothing", self.show(wanted));
                self.error(Code::TYPE_MISMATCH, span, message);
            }
            (_, [one]) => {
                self.expect(wanted, *one, self.ast.exprs[args[0].index()].span);
            }
            (Kind::Tuple(fields), types) if fields.len() == types.len() => {
                for ((wanted, found), arg) in fields.iter().zip(types).zip(args) {
                    self.expect(*wanted, *found, self.ast.exprs[arg.index()].span);
                }
            }
            (Kind::Error, _) => {}
            (kind, types) => {
                let wanted = if let Kind::Tuple(fields) = kind { fields.len() } else { 1 };
                let message = format!("expected {}, found {}", count(wanted), count(types.len()));
                self.error(Code::WRONG_COUNT, span, message);
            }
        }
    }

    fn goto(&mut self, body: &mut Body, id: StmtId, state: Name, args: &[ExprId], span: Span) {
        self.effects(body).leaves = true;
        self.only_void(body, span, "change state");
        let types: Vec<Ty> = args.iter().map(|a| self.expr(Some(body), *a)).collect();
        let target = match body.owner {
            Some(machine) => self.state_of(machine, state).map(|s| (machine, s)),
            None => {
                let message = "`goto` is not allowed outside of a machine";
                self.error(codes::UNKNOWN_STATE, state.span, message);
                None
            }
        };
        let Some((machine, target)) = target else { return };
        self.info.stmt_uses[id.index()] = Use::State(target);
        let entry = self.info.machines[machine].states[target as usize].entry;
        match (self.first_param(entry), types.as_slice()) {
            (None, []) => {}
            (Some(wanted), [found]) => {
                self.expect(wanted, *found, span);
            }
            (wanted, _) => {
                let wanted = usize::from(wanted.is_some());
                let message = format!(
                    "entering `{}` takes {wanted} value{}, found {}",
                    self.text(state.sym),
                    if wanted == 1 { "" } else { "s" },
                    types.len()
                );
                self.error(Code::WRONG_COUNT, span, message);
            }
        }
    }

    fn receive(&mut self, body: &mut Body, id: StmtId, cases: &[Case], span: Span) {
        self.reject_in_monitor(body, span, "receive events");
        self.effects(body).acts = true;
        let mut seen: Vec<Sym> = Vec::new();
        let mut infos = Vec::new();
        for case in cases {
            let outer = std::mem::replace(&mut body.ret, Types::NULL);
            body.loops.push(0);
            self.check_function(body, case.fun);
            body.loops.pop();
            body.ret = outer;
            let wanted = self.first_param(Some(case.fun)).unwrap_or(Types::NULL);
            let mut events = Vec::new();
            for name in &case.events {
                let Some(event) = self.event(*name) else { continue };
                if seen.contains(&name.sym) {
                    let message = format!("a second case for `{}`", self.text(name.sym));
                    self.report(Diagnostic::new(codes::BAD_STATE, name.span, message));
                }
                seen.push(name.sym);
                self.expect(wanted, self.info.events[event as usize].payload, name.span);
                events.push(event);
            }
            infos.push(CaseInfo { events, fun: case.fun });
        }
        self.info.cases.insert(id, infos);
    }
}
