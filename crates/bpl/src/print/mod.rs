//! The printer: canonical text of syntax trees.
//!
//! Printed text parses to the same tree, and canonical text is a fixed point of printing. Parentheses are printed
//! only where needed. Asynchronous statements are printed in the canonical form of [`crate::ast::StmtKind`].

mod decl;
mod expr;
mod stmt;
mod vars;

use dally_text::symbol::Sym;

use crate::ast::{Ast, AttrArg, Attrs, Expr, Ident, TypeExpr, TypeId};
use crate::lexer::T;

/// The canonical text of a program.
pub fn print(ast: &Ast) -> String {
    let mut printer = Printer { ast, out: String::new(), indent: 0 };
    printer.program();
    printer.out
}

/// The canonical text of a type.
pub fn print_type(ast: &Ast, ty: TypeId) -> String {
    let mut printer = Printer { ast, out: String::new(), indent: 0 };
    printer.ty(ty);
    printer.out
}

struct Printer<'a> {
    ast: &'a Ast,
    out: String,
    /// The current indentation, in levels.
    indent: usize,
}

impl<'a> Printer<'a> {
    fn text(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Begins a line.
    fn start_line(&mut self) {
        // Beyond this depth, indentation would make up most of the text.
        const MOST: usize = 40;
        for _ in 0..self.indent.min(MOST) {
            self.out.push_str("  ");
        }
    }

    /// Prints a whole line.
    fn line(&mut self, text: &str) {
        self.start_line();
        self.text(text);
        self.end_line();
    }

    fn end_line(&mut self) {
        self.out.push('\n');
    }

    /// Runs `f` with lines indented one level deeper.
    fn indented(&mut self, f: impl FnOnce(&mut Self)) {
        self.indent += 1;
        f(self);
        self.indent -= 1;
    }

    fn separated<I>(&mut self, items: impl IntoIterator<Item = I>, mut item: impl FnMut(&mut Self, I)) {
        for (i, x) in items.into_iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            item(self, x);
        }
    }

    /// Prints a name; escapes one that is a keyword, or that would begin a line like a directive.
    fn name(&mut self, name: Sym) {
        let ast = self.ast;
        let text = ast.text(name);
        let is_keyword = T::keyword(name.index()).is_some_and(|k| !k.is_name_in_boogie());
        if is_keyword || (text.starts_with('#') && self.at_line_start()) {
            self.out.push('\\');
        }
        self.text(text);
    }

    fn at_line_start(&self) -> bool {
        self.out.trim_end_matches(' ').chars().next_back().is_none_or(|c| c == '\n')
    }

    fn ident(&mut self, ident: Ident) {
        self.name(ident.name);
    }

    fn idents(&mut self, idents: &[Ident]) {
        self.separated(idents, |p, i| p.ident(*i));
    }

    /// `{:a 1} {:b} `, with a space after each.
    fn attrs(&mut self, attrs: &Attrs) {
        for attr in attrs {
            self.text("{:");
            self.name(attr.name);
            if !attr.args.is_empty() {
                self.text(" ");
            }
            self.separated(&attr.args, |p, arg| match arg {
                AttrArg::Str(s) => p.quoted(*s),
                // A string in parentheses is an expression; a bare one is an argument of its own kind.
                AttrArg::Expr(e) if matches!(p.ast.exprs[*e], Expr::Str(_)) => {
                    p.text("(");
                    p.expr(*e);
                    p.text(")");
                }
                AttrArg::Expr(e) => p.expr(*e),
            });
            self.text("} ");
        }
    }

    fn quoted(&mut self, string: Sym) {
        self.text("\"");
        let ast = self.ast;
        self.text(ast.text(string));
        self.text("\"");
    }

    /// `<a, b>`, or nothing.
    fn type_params(&mut self, params: &[Ident]) {
        if !params.is_empty() {
            self.text("<");
            self.idents(params);
            self.text(">");
        }
    }

    fn ty(&mut self, id: TypeId) {
        let ast = self.ast;
        dally_text::stack::grow(|| match &ast.types[id] {
            TypeExpr::Bool => self.text("bool"),
            TypeExpr::Int => self.text("int"),
            TypeExpr::Real => self.text("real"),
            TypeExpr::Bv(width) => self.text(&format!("bv{width}")),
            TypeExpr::Float(significand, exponent) => self.text(&format!("float{significand}e{exponent}")),
            TypeExpr::Named(name, args) => {
                self.name(*name);
                for arg in ast.types.list(*args) {
                    self.text(" ");
                    self.type_arg(*arg);
                }
            }
            TypeExpr::Map(map) => {
                self.type_params(&map.params);
                self.text("[");
                self.separated(ast.types.list(map.args), |p, arg| p.ty(*arg));
                self.text("]");
                self.ty(map.result);
            }
        });
    }

    fn type_arg(&mut self, id: TypeId) {
        let atomic = match &self.ast.types[id] {
            TypeExpr::Named(_, args) => self.ast.types.list(*args).is_empty(),
            TypeExpr::Map(_) => false,
            _ => true,
        };
        if atomic {
            return self.ty(id);
        }
        self.text("(");
        self.ty(id);
        self.text(")");
    }
}
