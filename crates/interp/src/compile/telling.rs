//! The attributes of [`crate::notation`].

use dally_bpl::ast::{AttrArg, Attrs, Expr, Stmt};
use dally_text::symbol::Sym;

use super::Compiler;
use crate::code::{Address, Check, Op, Operand};
use crate::notation::{Holder, Print, unescaped};
use crate::value::Value;

impl Compiler<'_> {
    /// The name of a variable in the source, or none if it is not shown; and its type.
    pub(super) fn told(&self, name: Sym, attrs: &Attrs) -> (Option<Sym>, Option<u32>) {
        if self.options.notation.is_none() {
            return (Some(name), None);
        }
        let told = match self.string(attrs, "c") {
            Some(given) => (!self.text(given).is_empty()).then_some(given),
            None => (!self.text(name).contains('$')).then_some(name),
        };
        let ty = self.ast.attr(attrs, "ctype").and_then(|attr| match attr.args[..] {
            [AttrArg::Expr(e)] => self.ast.int_literal(e).and_then(|n| u32::try_from(n).ok()),
            _ => None,
        });
        (told, ty)
    }

    /// The first argument of an attribute, if it is a string.
    fn string(&self, attrs: &Attrs, name: &str) -> Option<Sym> {
        match self.ast.attr(attrs, name)?.args[..] {
            [AttrArg::Str(text), ..] => Some(text),
            _ => None,
        }
    }

    /// Completes the check of an assertion that has just been compiled.
    pub(super) fn describe_check(&mut self, stmt: &Stmt, is_false: bool) {
        let text = |sym: Sym| unescaped(self.text(sym));
        let message = self.string(&stmt.attrs, "message").map(text);
        let unsupported = self.string(&stmt.attrs, "unsupported").map(text);
        // Other messages belong to checks that the program does not write.
        let own = message.as_ref().is_none_or(|message| message.starts_with("assertion failed"));
        let Some(check) = self.code.checks.last_mut() else { return };
        check.expected = own && unsupported.is_none() && !is_false;
        check.unsupported = unsupported.is_some();
        if let Some(message) = unsupported.or(message) {
            *check = Check { message, ..check.clone() };
        }
    }

    /// Notes which places the assignments since an address show.
    pub(super) fn shows(&mut self, stmt: &Stmt, from: Address) {
        let Some(attr) = self.ast.attr(&stmt.attrs, "shows") else { return };
        let [AttrArg::Str(place), AttrArg::Expr(ty)] = attr.args[..] else { return };
        let Some(ty) = self.ast.int_literal(ty).and_then(|n| u32::try_from(n).ok()) else { return };
        for address in from..self.here() {
            if matches!(self.code.ops[address as usize], Op::Set(_) | Op::SetConst(..)) {
                self.code.telling.shows.insert(address, (place, ty));
            }
        }
    }

    /// `assume {:print "format", e} true`
    pub(super) fn print(&mut self, stmt: &Stmt) {
        let Some(attr) = self.ast.attr(&stmt.attrs, "print").filter(|_| self.options.notation.is_some())
        else {
            return;
        };
        let Some(AttrArg::Str(format)) = attr.args.first().copied() else { return };
        let arguments: Vec<Operand> = attr.args[1..].iter().map(|arg| self.told_operand(*arg)).collect();
        self.code.telling.prints.push(Print { format, arguments });
        self.emit(Op::Print(self.code.telling.prints.len() as u32 - 1));
    }

    /// Notes what an `await` waits for.
    pub(super) fn waits(&mut self, stmt: &Stmt, at: Address) {
        let Some(attr) = self.ast.attr(&stmt.attrs, "waits") else { return };
        let Some(AttrArg::Str(event)) = attr.args.first().copied() else { return };
        let (variable, index) = (attr.args.get(1).copied(), attr.args.get(2).copied());
        let holder = variable.map(|variable| Holder {
            variable: self.told_operand(variable),
            index: index.map(|index| self.told_operand(index)),
        });
        self.code.telling.waits.insert(at, (event, holder));
    }

    /// Notes which task an `await` waits for.
    pub(super) fn ends(&mut self, stmt: &Stmt, at: Address) {
        let Some(attr) = self.ast.attr(&stmt.attrs, "ends") else { return };
        let [task] = attr.args[..] else { return };
        let task = self.told_operand(task);
        self.code.ends.insert(at, task);
        self.code.keeps_ids = true;
    }

    /// A variable or a literal; anything else is shown as arbitrary.
    fn told_operand(&mut self, arg: AttrArg) -> Operand {
        let value = match arg {
            AttrArg::Expr(e) => match self.ast.exprs[e] {
                Expr::Name(_) => match self.variable_place(e) {
                    Some(place) => return Operand::VarStorage(place),
                    None => Value::Unset,
                },
                _ => self.ast.int_literal(e).map_or(Value::Unset, Value::Int),
            },
            AttrArg::Str(_) => Value::Unset,
        };
        self.code.constants.push(value);
        Operand::Const(self.code.constants.len() as u32 - 1)
    }
}
