//! Expressions.

use super::Compiler;
use crate::ast::{Binary, ExprId, ExprKind, Unary};
use crate::check::info::Use;
use crate::check::types::{Kind, Ty};
use crate::code::{Foreign, Op, Shape};
use crate::value::{UNNAMED, Value};

impl Compiler<'_> {
    /// Pushes the value of an expression.
    pub(super) fn expr(&mut self, id: ExprId) {
        dally_text::stack::grow(|| self.expr_here(id));
    }

    fn exprs(&mut self, ids: &[ExprId]) {
        ids.iter().for_each(|id| self.expr(*id));
    }

    fn expr_here(&mut self, id: ExprId) {
        let program = self.program;
        match &program.ast.exprs[id.index()].kind {
            ExprKind::Bool(b) => self.constant(Value::Bool(*b)),
            ExprKind::Int(n) => self.constant(Value::Int(*n)),
            ExprKind::Float(f) => self.constant(Value::float(*f)),
            ExprKind::Null => self.constant(Value::Null),
            ExprKind::Verifier => {
                self.cannot_execute(Foreign::Expression);
                self.constant(Value::Bool(false));
            }
            ExprKind::Name(_) | ExprKind::Halt => self.name(program.info.use_of(id), program.info.ty(id)),
            ExprKind::Nondet { fair } => {
                self.emit(if *fair { Op::FairNondet } else { Op::Nondet });
            }
            ExprKind::This => {
                self.emit(Op::This);
            }
            ExprKind::Str(text, args) => self.string(program.ast.text(*text), args),
            ExprKind::Tuple(fields) => {
                self.exprs(fields);
                self.emit(Op::Tuple(UNNAMED, fields.len() as u32));
            }
            ExprKind::Named(fields) => {
                fields.iter().for_each(|f| self.expr(f.1));
                let names = self.names(fields.iter().map(|(name, _)| name.sym));
                self.emit(Op::Tuple(names, fields.len() as u32));
            }
            ExprKind::Field(inner, _) | ExprKind::Item(inner, _) => {
                self.expr(*inner);
                if let Use::Item(item) = program.info.use_of(id) {
                    self.emit(Op::Item(item));
                }
            }
            ExprKind::Index(inner, index) => {
                self.operands(&[*inner, *index]);
                self.emit(Op::Index);
            }
            ExprKind::Default(_) => {
                let value = self.default_value(program.info.ty(id));
                self.constant(value);
            }
            ExprKind::New(_, args) => self.creation(args, program.info.use_of(id)),
            ExprKind::Call(_, args) => self.call(args, program.info.use_of(id)),
            ExprKind::Unary(op, operand) => {
                self.expr(*operand);
                self.emit(match op {
                    Unary::Neg => Op::Neg,
                    Unary::Not => Op::Not,
                    Unary::Keys => Op::Keys,
                    Unary::Values => Op::Values,
                    Unary::Sizeof => Op::Sizeof,
                });
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, *left, *right),
            ExprKind::Cast(inner, _) => {
                self.expr(*inner);
                let shape = self.shape(program.info.ty(id));
                if self.code.shapes[shape as usize].0 != Shape::Any {
                    self.emit(Op::Cast(shape));
                }
            }
            ExprKind::Coerce(inner, _) => {
                self.expr(*inner);
                self.coerce(program.info.ty(*inner), program.info.ty(id));
            }
            ExprKind::Choose(None) => {
                self.emit(Op::Nondet);
            }
            ExprKind::Choose(Some(from)) => {
                self.expr(*from);
                self.emit(Op::Choose);
            }
        }
    }

    fn name(&mut self, meaning: Use, ty: Ty) {
        match meaning {
            Use::Local(slot) => {
                self.emit(Op::Local(slot));
            }
            Use::Field(field) => {
                self.emit(Op::Field(field));
            }
            Use::Param(param) => {
                let value = self.param(param).unwrap_or_else(|| self.default_value(ty));
                self.constant(value);
            }
            Use::Element(value) => self.constant(Value::Int(value)),
            Use::Event(event) => self.constant(Value::Event(event)),
            _ => self.constant(Value::Null),
        }
    }

    fn string(&mut self, text: &str, args: &[ExprId]) {
        self.exprs(args);
        let value = self.heap.string(&unescaped(text));
        self.constant(value);
        // A text without braces needs no formatting.
        if !args.is_empty() || text.contains(['{', '}']) {
            let Some(Op::Const(number)) = self.code.ops.pop() else { return };
            self.code.spans.pop();
            self.emit(Op::Format(number, args.len() as u32));
        }
    }

    /// The payload of an event or constructor: one value, a tuple of several, or `null`.
    pub(super) fn payload(&mut self, args: &[ExprId]) {
        match args {
            [] => self.constant(Value::Null),
            [one] => self.expr(*one),
            several => {
                self.exprs(several);
                self.emit(Op::Tuple(UNNAMED, several.len() as u32));
            }
        }
    }

    pub(super) fn creation(&mut self, args: &[ExprId], meaning: Use) {
        let Use::Interface(interface) = meaning else { return };
        self.payload(args);
        self.emit(Op::Yield);
        self.emit(Op::New(interface));
    }

    pub(super) fn call(&mut self, args: &[ExprId], meaning: Use) {
        let Use::Fun(fun) = meaning else { return };
        self.exprs(args);
        let number = self.function_number(fun);
        self.emit(Op::Call(number));
    }

    fn binary(&mut self, op: Binary, left: ExprId, right: ExprId) {
        let when = match op {
            Binary::And => false,
            Binary::Or | Binary::Implies => true,
            _ => {
                self.operands(&[left, right]);
                self.emit(Op::Binary(op));
                return;
            }
        };
        self.expr(left);
        if op == Binary::Implies {
            self.emit(Op::Not);
        }
        let jump = self.emit(Op::JumpIf(when, 0));
        self.expr(right);
        self.land(jump);
    }

    /// Pushes several values. As in P, an operand that is a plain variable is read after all other operands
    /// are computed: a function called by one of them may change it.
    pub(super) fn operands(&mut self, ids: &[ExprId]) {
        let program = self.program;
        let field = |id: &ExprId| match (&program.ast.exprs[id.index()].kind, program.info.use_of(*id)) {
            (ExprKind::Name(_), Use::Field(field)) => Some(field),
            _ => None,
        };
        let last_call = ids.iter().rposition(|id| self.calls[id.index()]).unwrap_or(0);
        if !ids[..last_call].iter().any(|id| field(id).is_some()) {
            return self.exprs(ids);
        }
        let base = self.locals;
        self.locals += ids.len() as u32;
        for (slot, id) in (base..).zip(ids) {
            if field(id).is_none() {
                self.expr(*id);
                self.emit(Op::SetLocal(slot));
            }
        }
        for (slot, id) in (base..).zip(ids) {
            self.emit(field(id).map_or(Op::Local(slot), Op::Field));
        }
    }

    /// The shape of a type.
    pub(super) fn shape(&mut self, ty: Ty) -> u32 {
        if let Some(shape) = self.shapes.get(&ty) {
            return *shape;
        }
        let info = &self.program.info;
        let shape = match info.types.kind(ty) {
            Kind::Bool => Shape::Bool,
            Kind::Int | Kind::Enum(_) => Shape::Int,
            Kind::Float => Shape::Float,
            Kind::Str => Shape::Str,
            Kind::Event => Shape::Event,
            Kind::Machine | Kind::Permission(..) => Shape::Machine,
            Kind::Tuple(fields) => {
                Shape::Tuple(UNNAMED, fields.iter().map(|ty| self.part_shape(*ty)).collect())
            }
            Kind::Named(fields) => {
                let names = self.names(fields.iter().map(|(name, _)| *name));
                Shape::Tuple(names, fields.iter().map(|(_, ty)| self.part_shape(*ty)).collect())
            }
            Kind::Seq(element) => Shape::Seq(self.part_shape(*element)),
            Kind::Set(element) => Shape::Set(self.part_shape(*element)),
            Kind::Map(key, value) => Shape::Map(self.part_shape(*key), self.part_shape(*value)),
            _ => Shape::Any,
        };
        let number = self.code.shapes.len() as u32;
        self.code.shapes.push((shape, info.types.show(ty, &self.program.ast.symbols)));
        self.shapes.insert(ty, number);
        number
    }

    fn part_shape(&mut self, ty: Ty) -> u32 {
        dally_text::stack::grow(|| self.shape(ty))
    }

    fn coerce(&mut self, from: Ty, to: Ty) {
        let types = &self.program.info.types;
        if types.same(from, to) {
            return;
        }
        match (types.kind(from), types.kind(to)) {
            (Kind::Float, Kind::Int) => {
                self.emit(Op::ToInt);
            }
            (Kind::Int, Kind::Float) => {
                self.emit(Op::ToFloat);
            }
            _ => {
                if let Some(view) = self.view_of(to) {
                    self.emit(Op::View(view));
                }
            }
        }
    }
}

/// The content of a string literal, with escapes resolved.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}
