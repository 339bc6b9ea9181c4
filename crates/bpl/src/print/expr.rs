//! Expressions.
//!
//! The printer keeps pending items on an explicit stack, so that it can print expressions of any depth.

use dally_text::symbol::Sym;

use super::Printer;
use crate::ast::{BinaryOp, Binder, Expr, ExprId, ExprList, Let, LetVar, Precedence, UnaryOp};

/// A pending item.
pub(super) enum Item {
    /// An expression that needs parentheses if it binds more loosely than this.
    Expr(ExprId, Precedence),
    Text(&'static str),
    Name(Sym),
    Type(crate::ast::TypeId),
    Number(u32),
    Attrs(crate::ast::Attrs),
}

impl Printer<'_> {
    pub(super) fn expr(&mut self, expr: ExprId) {
        let mut todo = vec![Item::Expr(expr, Precedence::Whole)];
        while let Some(item) = todo.pop() {
            match item {
                Item::Text(text) => self.text(text),
                Item::Name(name) => self.name(name),
                Item::Type(ty) => self.ty(ty),
                Item::Number(n) => self.text(&n.to_string()),
                Item::Attrs(attrs) => self.attrs(&attrs),
                Item::Expr(e, min) => self.expand(e, min, &mut todo),
            }
        }
    }

    /// Prints the beginning of an expression and pushes the rest.
    fn expand(&mut self, id: ExprId, min: Precedence, todo: &mut Vec<Item>) {
        let from = todo.len();
        let parenthesised = self.precedence(id) < min;
        if parenthesised {
            todo.push(Item::Text("("));
        }
        self.parts(id, todo);
        if parenthesised {
            todo.push(Item::Text(")"));
        }
        todo[from..].reverse();
    }

    fn precedence(&self, id: ExprId) -> Precedence {
        match self.ast.exprs[id] {
            Expr::Binary(op, _, _) => op.precedence(),
            Expr::Unary(..) => Precedence::Unary,
            Expr::Is(..) => Precedence::Is,
            // Types and `else` branches extend as far to the right as possible.
            Expr::Ite(..) | Expr::Coerce(..) => Precedence::Whole,
            Expr::Select(..)
            | Expr::Store(..)
            | Expr::Extract(..)
            | Expr::Field(..)
            | Expr::FieldUpdate(..) => Precedence::Postfix,
            _ => Precedence::Atom,
        }
    }

    /// The items of an expression, in the order of the text.
    fn parts(&mut self, id: ExprId, out: &mut Vec<Item>) {
        use Item::{Name, Number, Text};
        let whole = |e| Item::Expr(e, Precedence::Whole);
        let base = |e| Item::Expr(e, Precedence::Postfix);
        match self.ast.exprs[id] {
            Expr::Bool(value) => out.push(Text(if value { "true" } else { "false" })),
            Expr::Int(text) | Expr::Real(text) | Expr::Float(text) => self.raw(text),
            Expr::Bv(digits, width) => {
                self.raw(digits);
                out.extend([Text("bv"), Number(width)]);
            }
            Expr::Rounding(mode) => out.push(Text(mode.spelling())),
            Expr::Str(text) => self.quoted(text),
            Expr::Name(name) => out.push(Name(name)),
            Expr::Call(function, args) => {
                out.extend([Name(function), Text("(")]);
                self.list(args, out);
                out.push(Text(")"));
            }
            Expr::Unary(op, e) => self.unary(op, e, out),
            Expr::Binary(op, left, right) => {
                let (left_min, right_min) = self.operand_precedences(op, left);
                out.push(Item::Expr(left, left_min));
                out.extend([Text(" "), Text(op.spelling()), Text(" ")]);
                out.push(Item::Expr(right, right_min));
            }
            Expr::Ite(c, t, e) => {
                out.extend([Text("if "), whole(c), Text(" then "), whole(t), Text(" else "), whole(e)]);
            }
            Expr::Old(e) => out.extend([Text("old("), whole(e), Text(")")]),
            Expr::ToInt(e) => out.extend([Text("int("), whole(e), Text(")")]),
            Expr::ToReal(e) => out.extend([Text("real("), whole(e), Text(")")]),
            Expr::Select(e, indices) => {
                out.extend([base(e), Text("[")]);
                self.list(indices, out);
                out.push(Text("]"));
            }
            Expr::Store(e, indices, value) => {
                out.extend([base(e), Text("[")]);
                self.list(indices, out);
                out.extend([Text(" := "), whole(value), Text("]")]);
            }
            Expr::Extract(e, high, low) => {
                out.extend([base(e), Text("["), Number(high), Text(":"), Number(low), Text("]")]);
            }
            Expr::Coerce(e, ty) => out.extend([base(e), Text(": "), Item::Type(ty)]),
            Expr::Field(e, field) => out.extend([base(e), Text("->"), Name(field)]),
            Expr::FieldUpdate(e, field, value) => {
                out.extend([base(e), Text("->("), Name(field), Text(" := "), whole(value), Text(")")]);
            }
            Expr::Is(e, constructor) => {
                out.extend([Item::Expr(e, Precedence::Unary), Text(" is "), Name(constructor)]);
            }
            Expr::Binder(binder) => self.binder(self.ast.exprs.binder(binder), out),
            Expr::Let(binding) => self.binding(self.ast.exprs.binding(binding), out),
            Expr::Code(code) => self.code(self.ast.exprs.code(code)),
            Expr::Wildcard => out.push(Text("*")),
        }
    }

    /// The loosest precedences of the operands of an operator that need no parentheses.
    fn operand_precedences(&self, op: BinaryOp, left: ExprId) -> (Precedence, Precedence) {
        match op {
            BinaryOp::Iff => (Precedence::Iff, Precedence::Implies),
            BinaryOp::Implies => (Precedence::Logical, Precedence::Implies),
            // `&&` and `||` cannot be mixed without parentheses.
            BinaryOp::And | BinaryOp::Or => match self.ast.exprs[left] {
                Expr::Binary(inner, _, _) if inner == op => (Precedence::Logical, Precedence::Relational),
                _ => (Precedence::Relational, Precedence::Relational),
            },
            BinaryOp::Concat => (Precedence::Concat, Precedence::Additive),
            BinaryOp::Add | BinaryOp::Sub => (Precedence::Additive, Precedence::Multiplicative),
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod | BinaryOp::RealDiv => {
                (Precedence::Multiplicative, Precedence::Power)
            }
            BinaryOp::Pow => (Precedence::Is, Precedence::Power),
            _ => (Precedence::Concat, Precedence::Concat),
        }
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId, out: &mut Vec<Item>) {
        let mut first = operand;
        while let Some(left) = self.ast.exprs.left_part(first) {
            first = left;
        }
        out.push(Item::Text(match op {
            UnaryOp::Not => "!",
            // A minus right before a floating-point literal would be part of the literal.
            UnaryOp::Neg if matches!(self.ast.exprs[first], Expr::Float(_)) => "- ",
            UnaryOp::Neg => "-",
        }));
        out.push(Item::Expr(operand, Precedence::Unary));
    }

    /// Prints text immediately: only for an expression that no pending item precedes.
    fn raw(&mut self, text: Sym) {
        let ast = self.ast;
        self.text(ast.text(text));
    }

    fn list(&self, list: ExprList, out: &mut Vec<Item>) {
        for (i, e) in self.ast.exprs.list(list).iter().enumerate() {
            if i > 0 {
                out.push(Item::Text(", "));
            }
            out.push(Item::Expr(*e, Precedence::Whole));
        }
    }

    fn binder(&self, binder: &Binder, out: &mut Vec<Item>) {
        use Item::{Name, Text};
        out.extend([Text("("), Text(binder.kind.spelling())]);
        for (i, param) in binder.type_params.iter().enumerate() {
            out.extend([Text(if i == 0 { "<" } else { ", " }), Name(param.name)]);
        }
        if !binder.type_params.is_empty() {
            out.push(Text(">"));
        }
        Self::bound_vars(&binder.vars, out);
        out.extend([Text(" :: "), Item::Attrs(binder.attrs.clone())]);
        for trigger in &binder.triggers {
            if trigger.positive {
                out.push(Text("{ "));
                self.list(trigger.exprs, out);
                out.push(Text(" } "));
                continue;
            }
            out.push(Text("{:nopats "));
            for e in self.ast.exprs.list(trigger.exprs) {
                // A bare string would be parsed as an argument, not as an expression.
                let string = matches!(self.ast.exprs[*e], Expr::Str(_));
                out.push(Text(if string { "(" } else { "" }));
                out.push(Item::Expr(*e, Precedence::Whole));
                out.push(Text(if string { ")} " } else { "} " }));
            }
        }
        out.extend([Item::Expr(binder.body, Precedence::Whole), Text(")")]);
    }

    fn binding(&self, binding: &Let, out: &mut Vec<Item>) {
        out.push(Item::Text("(var "));
        for (i, LetVar { attrs, name }) in binding.vars.iter().enumerate() {
            if i > 0 {
                out.push(Item::Text(", "));
            }
            out.extend([Item::Attrs(attrs.clone()), Item::Name(name.name)]);
        }
        out.push(Item::Text(" := "));
        self.list(binding.values, out);
        out.extend([Item::Text("; "), Item::Attrs(binding.attrs.clone())]);
        out.extend([Item::Expr(binding.body, Precedence::Whole), Item::Text(")")]);
    }

    fn code(&mut self, code: &crate::ast::Body) {
        self.text("|{");
        self.end_line();
        self.indented(|p| p.body_lines(code));
        self.start_line();
        self.text("}|");
    }
}
