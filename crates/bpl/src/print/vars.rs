//! Variables. Variables that are declared together are printed together, so that shared types, clauses and
//! attributes are printed once.

use super::Printer;
use super::expr::Item;
use crate::ast::{Attrs, BoundVar, Decl, DeclKind, ExprId, Ident, Param, TypeDecl, TypeId, VarDecl};

/// A variable declaration of any kind.
#[derive(Clone, Copy)]
struct Shown<'a> {
    attrs: &'a Attrs,
    name: Ident,
    ty: TypeId,
    where_clause: Option<ExprId>,
}

impl<'a> From<&'a VarDecl> for Shown<'a> {
    fn from(decl: &'a VarDecl) -> Self {
        let var = &decl.var;
        Shown { attrs: &decl.attrs, name: var.name, ty: var.ty, where_clause: var.where_clause }
    }
}

impl Shown<'_> {
    /// Returns true if both share their type and `where` clause.
    fn same_type(&self, next: &Self) -> bool {
        self.ty == next.ty && self.where_clause == next.where_clause
    }

    /// Returns true if both can share one `var` statement, whose attributes come first.
    fn same_statement(&self, next: &Self) -> bool {
        self.attrs.shared_with(next.attrs) || self.same_group(next)
    }

    /// Returns true if both can share one colon, in contexts where each colon has its own attributes.
    fn same_group(&self, next: &Self) -> bool {
        self.attrs.same(next.attrs) && self.same_type(next)
    }
}

/// The number of leading declarations that are printed as one statement.
pub(super) fn declared_together(decls: &[Decl]) -> usize {
    let together = |a: &Decl, b: &Decl| match (&a.kind, &b.kind) {
        (DeclKind::Var(_), DeclKind::Var(_)) => {
            global(a).zip(global(b)).is_some_and(|(a, b)| a.same_statement(&b))
        }
        (DeclKind::Type(_), DeclKind::Type(_)) => a.attrs.shared_with(&b.attrs),
        _ => false,
    };
    1 + decls.windows(2).take_while(|pair| together(&pair[0], &pair[1])).count()
}

fn global(decl: &Decl) -> Option<Shown<'_>> {
    let DeclKind::Var(var) = &decl.kind else { return None };
    Some(Shown { attrs: &decl.attrs, name: var.name, ty: var.ty, where_clause: var.where_clause })
}

impl Printer<'_> {
    /// Global variables that are declared together.
    pub(super) fn globals(&mut self, decls: &[Decl]) {
        let vars: Vec<Shown<'_>> = decls.iter().filter_map(global).collect();
        self.var_statement(&vars);
    }

    pub(super) fn locals(&mut self, locals: &[VarDecl]) {
        let vars: Vec<Shown<'_>> = locals.iter().map(Shown::from).collect();
        for statement in vars.chunk_by(Shown::same_statement) {
            self.var_statement(statement);
        }
    }

    /// `var {:attrs} x, y: type where e, z: type;`
    fn var_statement(&mut self, vars: &[Shown<'_>]) {
        self.start_line();
        self.text("var ");
        if let Some(first) = vars.first() {
            self.attrs(first.attrs);
        }
        self.separated(vars.chunk_by(Shown::same_type), Self::group);
        self.text(";");
        self.end_line();
    }

    /// `(x, y: type, {:attrs} z: type where e)`
    pub(super) fn formals(&mut self, vars: &[VarDecl]) {
        let vars: Vec<Shown<'_>> = vars.iter().map(Shown::from).collect();
        self.text("(");
        self.separated(vars.chunk_by(Shown::same_group), |p, group| {
            p.attrs(group[0].attrs);
            p.group(group);
        });
        self.text(")");
    }

    /// `x, y: type where e`
    fn group(&mut self, vars: &[Shown<'_>]) {
        self.separated(vars, |p, var| p.ident(var.name));
        self.text(": ");
        self.ty(vars[0].ty);
        if let Some(e) = vars[0].where_clause {
            self.text(" where ");
            self.expr(e);
        }
    }

    /// Parameters of a function. Here each name has its own attributes.
    pub(super) fn params(&mut self, params: &[Param]) {
        let same = |a: &Param, b: &Param| a.name.is_some() && b.name.is_some() && a.ty == b.ty;
        self.separated(params.chunk_by(same), |p, group| {
            p.separated(group, |p, param| {
                p.attrs(&param.attrs);
                if let Some(name) = param.name {
                    p.ident(name);
                }
            });
            p.text(if group[0].name.is_some() { ": " } else { "" });
            p.ty(group[0].ty);
        });
    }

    /// The variables of a quantifier, as pending items.
    pub(super) fn bound_vars(vars: &[BoundVar], out: &mut Vec<Item>) {
        let same = |a: &BoundVar, b: &BoundVar| a.ty == b.ty && a.attrs.same(&b.attrs);
        for (i, group) in vars.chunk_by(same).enumerate() {
            out.push(Item::Text(if i == 0 { " " } else { ", " }));
            out.push(Item::Attrs(group[0].attrs.clone()));
            for (j, var) in group.iter().enumerate() {
                out.extend([Item::Text(if j == 0 { "" } else { ", " }), Item::Name(var.name.name)]);
            }
            out.extend([Item::Text(": "), Item::Type(group[0].ty)]);
        }
    }

    /// `type {:attrs} T a, U = int;`
    pub(super) fn type_decls(&mut self, decls: &[Decl]) {
        self.text("type ");
        if let Some(first) = decls.first() {
            self.attrs(&first.attrs);
        }
        self.separated(decls, |p, decl| {
            if let DeclKind::Type(ty) = &decl.kind {
                p.type_decl(ty);
            }
        });
        self.text(";");
        self.end_line();
    }

    fn type_decl(&mut self, ty: &TypeDecl) {
        self.ident(ty.name);
        for param in &ty.params {
            self.text(" ");
            self.ident(*param);
        }
        if let Some(body) = ty.body {
            self.text(" = ");
            self.ty(body);
        }
    }
}
