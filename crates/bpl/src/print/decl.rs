//! Declarations.

use super::Printer;
use super::vars::declared_together;
use crate::ast::{
    Attrs, Axiom, Body, Const, Datatype, Decl, DeclKind, Function, Procedure, Signature, Spec, SpecKind,
    UsedAxiom,
};

/// Returns true if the declaration takes several lines; such declarations are set off by blank lines.
fn is_tall(kind: &DeclKind) -> bool {
    matches!(kind, DeclKind::Procedure(_) | DeclKind::Implementation(_) | DeclKind::Datatype(_))
}

impl Printer<'_> {
    pub(super) fn program(&mut self) {
        let ast = self.ast;
        let mut rest = &ast.decls[..];
        let mut last: Option<&DeclKind> = None;
        while let Some(first) = rest.first() {
            let apart = last.is_some_and(|last| {
                is_tall(last) || std::mem::discriminant(last) != std::mem::discriminant(&first.kind)
            });
            if apart {
                self.end_line();
            }
            let (together, others) = rest.split_at(declared_together(rest));
            self.decls(first, together);
            last = Some(&first.kind);
            rest = others;
        }
    }

    /// Prints declarations that share one statement. `first` is the first of `together`.
    fn decls(&mut self, first: &Decl, together: &[Decl]) {
        let attrs = &first.attrs;
        match &first.kind {
            DeclKind::Type(_) => self.type_decls(together),
            DeclKind::Var(_) => self.globals(together),
            DeclKind::Datatype(datatype) => self.datatype(datatype, attrs),
            DeclKind::Const(constant) => self.constant(constant, attrs),
            DeclKind::Function(function) => self.function(function, attrs),
            DeclKind::Axiom(axiom) => self.axiom(axiom, attrs),
            DeclKind::Procedure(procedure) => self.procedure(procedure, attrs),
            DeclKind::Implementation(implementation) => {
                self.text("implementation ");
                self.signature(&implementation.signature, attrs);
                self.end_line();
                self.body(&implementation.body);
            }
        }
    }

    fn datatype(&mut self, datatype: &Datatype, attrs: &Attrs) {
        self.text("datatype ");
        self.attrs(attrs);
        self.ident(datatype.name);
        self.type_params(&datatype.params);
        self.text(" {");
        self.end_line();
        for (i, constructor) in datatype.constructors.iter().enumerate() {
            self.text("  ");
            self.ident(constructor.name);
            self.formals(&constructor.fields);
            self.text(if i + 1 < datatype.constructors.len() { "," } else { "" });
            self.end_line();
        }
        self.line("}");
    }

    fn constant(&mut self, constant: &Const, attrs: &Attrs) {
        self.text("const ");
        self.attrs(attrs);
        self.text(if constant.unique { "unique " } else { "" });
        self.idents(&constant.names);
        self.text(": ");
        self.ty(constant.ty);
        if constant.uses.is_empty() {
            self.text(";");
            return self.end_line();
        }
        self.uses(&constant.uses);
    }

    fn uses(&mut self, axioms: &[UsedAxiom]) {
        self.text(" uses {");
        self.end_line();
        self.indented(|p| {
            for UsedAxiom { attrs, axiom } in axioms {
                p.axiom(axiom, attrs);
            }
        });
        self.line("}");
    }

    fn axiom(&mut self, axiom: &Axiom, attrs: &Attrs) {
        self.start_line();
        self.text(if axiom.hideable { "hideable axiom " } else { "axiom " });
        self.attrs(attrs);
        self.expr(axiom.expr);
        self.text(";");
        self.end_line();
    }

    fn function(&mut self, function: &Function, attrs: &Attrs) {
        self.text(if function.revealed { "revealed function " } else { "function " });
        self.attrs(attrs);
        self.ident(function.name);
        self.type_params(&function.type_params);
        self.text("(");
        self.params(&function.params);
        self.text(")");
        if function.result.name.is_none() && function.result.attrs.is_empty() {
            self.text(": ");
            self.ty(function.result.ty);
        } else {
            self.text(" returns (");
            self.params(std::slice::from_ref(&function.result));
            self.text(")");
        }
        if let Some(body) = function.body {
            self.text(" { ");
            self.expr(body);
            self.text(" }");
        }
        match (&function.uses[..], function.body) {
            ([], Some(_)) => self.end_line(),
            ([], None) => {
                self.text(";");
                self.end_line();
            }
            (uses, _) => self.uses(uses),
        }
    }

    fn signature(&mut self, signature: &Signature, attrs: &Attrs) {
        self.attrs(attrs);
        self.ident(signature.name);
        self.type_params(&signature.type_params);
        self.formals(&signature.ins);
        if !signature.outs.is_empty() {
            self.text(" returns ");
            self.formals(&signature.outs);
        }
    }

    fn procedure(&mut self, procedure: &Procedure, attrs: &Attrs) {
        self.text(procedure.flavour.spelling());
        self.text(" ");
        self.signature(&procedure.signature, attrs);
        self.text(if procedure.body.is_none() { ";" } else { "" });
        self.end_line();
        for spec in &procedure.specs {
            self.indented(|p| p.spec(spec));
        }
        if let Some(body) = &procedure.body {
            self.body(body);
        }
    }

    fn spec(&mut self, spec: &Spec) {
        self.start_line();
        match &spec.kind {
            SpecKind::Requires { free, expr } => {
                self.text(if *free { "free requires " } else { "requires " });
                self.attrs(&spec.attrs);
                self.expr(*expr);
            }
            SpecKind::Ensures { free, expr } => {
                self.text(if *free { "free ensures " } else { "ensures " });
                self.attrs(&spec.attrs);
                self.expr(*expr);
            }
            SpecKind::Modifies(vars) => {
                self.text("modifies ");
                self.attrs(&spec.attrs);
                self.idents(vars);
            }
            SpecKind::Measure(exprs) => {
                self.text("measure ");
                self.attrs(&spec.attrs);
                self.exprs(*exprs);
            }
        }
        self.out.truncate(self.out.trim_end().len());
        self.text(";");
        self.end_line();
    }

    fn body(&mut self, body: &Body) {
        self.line("{");
        self.indented(|p| p.body_lines(body));
        self.line("}");
    }
}
