//! Small constructors for what the translations add to a program, and the walk over what is there.

use dally_bpl::ast::{
    Ast, Attr, AttrArg, Attrs, BinaryOp, Block, Body, Branch, Call, Decl, DeclKind, Derivation, Expr, ExprId,
    Flavour, Guard, Ident, If, Lhs, Procedure, Role, Signature, Stmt, StmtKind, TypeExpr, TypeId, UnaryOp,
    Var, VarDecl, for_each_stmt_mut,
};
use dally_text::source::Span;
use dally_text::stack::grow;
use dally_text::symbol::Sym;

/// A fresh name: `wanted`, or `wanted` with a number.
pub(crate) fn fresh(ast: &mut Ast, wanted: &str) -> Sym {
    let mut name = wanted.to_owned();
    let mut number = 1;
    while ast.symbols.get(&name).is_some() {
        number += 1;
        name = format!("{wanted}${number}");
    }
    ast.symbols.intern(&name)
}

/// A fresh name `from$suffix`, recorded as derived from `from`.
pub(crate) fn derive(ast: &mut Ast, from: Sym, suffix: &str, role: Role) -> Sym {
    let wanted = format!("{}${suffix}", ast.text(from));
    let name = fresh(ast, &wanted);
    ast.derived.insert(name, Derivation { from, role });
    name
}

pub(crate) fn ident(name: Sym) -> Ident {
    Ident { name, span: Span::NONE }
}

// Expressions.

pub(crate) fn expr(ast: &mut Ast, expr: Expr) -> ExprId {
    ast.exprs.add(expr, Span::NONE)
}

pub(crate) fn name(ast: &mut Ast, name: Sym) -> ExprId {
    expr(ast, Expr::Name(name))
}

pub(crate) fn names(ast: &mut Ast, list: &[Sym]) -> Vec<ExprId> {
    list.iter().map(|n| name(ast, *n)).collect()
}

pub(crate) fn int(ast: &mut Ast, value: u32) -> ExprId {
    let digits = ast.symbols.intern(&value.to_string());
    expr(ast, Expr::Int(digits))
}

pub(crate) fn boolean(ast: &mut Ast, value: bool) -> ExprId {
    expr(ast, Expr::Bool(value))
}

pub(crate) fn not(ast: &mut Ast, e: ExprId) -> ExprId {
    expr(ast, Expr::Unary(UnaryOp::Not, e))
}

pub(crate) fn binary(ast: &mut Ast, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
    expr(ast, Expr::Binary(op, left, right))
}

/// `variable op number`
pub(crate) fn compare(ast: &mut Ast, variable: Sym, op: BinaryOp, number: u32) -> ExprId {
    let (left, right) = (name(ast, variable), int(ast, number));
    binary(ast, op, left, right)
}

/// `left op right`, of two variables.
pub(crate) fn relate(ast: &mut Ast, left: Sym, op: BinaryOp, right: Sym) -> ExprId {
    let (left, right) = (name(ast, left), name(ast, right));
    binary(ast, op, left, right)
}

/// `e -> field`
pub(crate) fn field(ast: &mut Ast, e: ExprId, field: &str) -> ExprId {
    let field = ast.symbols.intern(field);
    expr(ast, Expr::Field(e, field))
}

/// The conjunction of conditions; `true` if there are none.
pub(crate) fn all(ast: &mut Ast, conditions: Vec<ExprId>) -> ExprId {
    let all = conditions.into_iter().reduce(|a, b| binary(ast, BinaryOp::And, a, b));
    all.unwrap_or_else(|| boolean(ast, true))
}

/// `a0 == b0 && a1 == b1 && …`
pub(crate) fn equal(ast: &mut Ast, pairs: &[(Sym, Sym)]) -> ExprId {
    let equations = pairs.iter().map(|(a, b)| relate(ast, *a, BinaryOp::Eq, *b)).collect();
    all(ast, equations)
}

// Statements.

pub(crate) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { id: None, kind, attrs: Attrs::NONE, span: Span::NONE }
}

pub(crate) fn block(stmts: Vec<Stmt>) -> Block {
    Block { stmts, end: Span::NONE }
}

pub(crate) fn assume(condition: ExprId) -> Stmt {
    stmt(StmtKind::Assume(condition))
}

/// `assume a0 == b0 && …;`, or nothing.
pub(crate) fn assume_equal(ast: &mut Ast, pairs: &[(Sym, Sym)]) -> Vec<Stmt> {
    if pairs.is_empty() {
        return Vec::new();
    }
    vec![assume(equal(ast, pairs))]
}

pub(crate) fn set(ast: &mut Ast, targets: &[Sym], values: &[ExprId]) -> Stmt {
    let target = |name: &Sym| Lhs { base: ident(*name), path: Vec::new(), span: Span::NONE };
    stmt(StmtKind::Assign(targets.iter().map(target).collect(), ast.exprs.add_list(values)))
}

/// `a0, a1 := b0, b1;`, or nothing.
pub(crate) fn assign(ast: &mut Ast, pairs: &[(Sym, Sym)]) -> Vec<Stmt> {
    if pairs.is_empty() {
        return Vec::new();
    }
    let (targets, sources): (Vec<Sym>, Vec<Sym>) = pairs.iter().copied().unzip();
    let values = names(ast, &sources);
    vec![set(ast, &targets, &values)]
}

/// `variable := number;`
pub(crate) fn set_int(ast: &mut Ast, variable: Sym, number: u32) -> Stmt {
    let value = int(ast, number);
    set(ast, &[variable], &[value])
}

/// `havoc a, b;`, or nothing.
pub(crate) fn havoc(vars: &[Sym]) -> Vec<Stmt> {
    if vars.is_empty() {
        return Vec::new();
    }
    vec![stmt(StmtKind::Havoc(vars.iter().map(|v| ident(*v)).collect()))]
}

pub(crate) fn call(ast: &mut Ast, outs: &[Sym], procedure: Sym, args: &[ExprId]) -> Stmt {
    let outs = outs.iter().map(|o| Some(ident(*o))).collect();
    let args = ast.exprs.add_list(args);
    stmt(StmtKind::Call(Box::new(Call { free: false, outs, procedure: ident(procedure), args })))
}

pub(crate) fn branch(guard: Guard, stmts: Vec<Stmt>) -> Branch {
    Branch { attrs: Attrs::NONE, guard, block: block(stmts) }
}

pub(crate) fn when(condition: ExprId, then: Vec<Stmt>) -> Stmt {
    let branches = vec![branch(Guard::Expr(condition), then)];
    stmt(StmtKind::If(Box::new(If { branches, otherwise: None })))
}

/// `if (variable == 0) { … } else if (variable == 1) { … } …`, the last of them without a condition.
pub(crate) fn by_value(ast: &mut Ast, variable: Sym, mut cases: Vec<Vec<Stmt>>) -> Vec<Stmt> {
    let Some(last) = cases.pop() else { return Vec::new() };
    if cases.is_empty() {
        return last;
    }
    let mut branches = Vec::new();
    for (value, case) in (0..).zip(cases) {
        branches.push(branch(Guard::Expr(compare(ast, variable, BinaryOp::Eq, value)), case));
    }
    vec![stmt(StmtKind::If(Box::new(If { branches, otherwise: Some(block(last)) })))]
}

// Attributes.

pub(crate) fn attr(ast: &mut Ast, name: &str, args: Vec<AttrArg>) -> Attr {
    Attr { name: ast.symbols.intern(name), args, span: Span::NONE }
}

pub(crate) fn attr_text(ast: &mut Ast, name: &str, text: &str) -> Attr {
    let text = ast.symbols.intern(text);
    attr(ast, name, vec![AttrArg::Str(text)])
}

pub(crate) fn attr_int(ast: &mut Ast, name: &str, number: u32) -> Attr {
    let number = int(ast, number);
    attr(ast, name, vec![AttrArg::Expr(number)])
}

/// `{:range 0, high}`: what an explicit search tries.
pub(crate) fn range(ast: &mut Ast, high: u32) -> Attrs {
    let args = [0, high].map(|n| AttrArg::Expr(int(ast, n))).to_vec();
    [attr(ast, "range", args)].into_iter().collect()
}

/// The attributes with one more.
pub(crate) fn with_attr(attrs: &Attrs, more: Attr) -> Attrs {
    attrs.iter().cloned().chain([more]).collect()
}

// Declarations.

pub(crate) fn type_expr(ast: &mut Ast, ty: TypeExpr) -> TypeId {
    ast.types.add(ty, Span::NONE)
}

pub(crate) fn var(name: Sym, ty: TypeId, attrs: Attrs) -> VarDecl {
    VarDecl { attrs, var: Var { name: ident(name), ty, where_clause: None } }
}

pub(crate) fn local_int(ast: &mut Ast, name: Sym, attrs: Attrs) -> VarDecl {
    var(name, type_expr(ast, TypeExpr::Int), attrs)
}

pub(crate) fn declare(ast: &mut Ast, kind: DeclKind, attrs: Attrs) {
    ast.decls.push(Decl { kind, attrs, span: Span::NONE });
}

pub(crate) fn declare_global(ast: &mut Ast, decl: VarDecl) {
    declare(ast, DeclKind::Var(decl.var), decl.attrs);
}

/// Declares an integer global of a fresh name.
pub(crate) fn global_int(ast: &mut Ast, wanted: &str, attrs: Attrs) -> Sym {
    let name = fresh(ast, wanted);
    let decl = local_int(ast, name, attrs);
    declare_global(ast, decl);
    name
}

pub(crate) fn signature(name: Sym, ins: Vec<VarDecl>, outs: Vec<VarDecl>) -> Signature {
    Signature { name: ident(name), type_params: Vec::new(), ins, outs }
}

pub(crate) fn declare_procedure(
    ast: &mut Ast,
    signature: Signature,
    locals: Vec<VarDecl>,
    stmts: Vec<Stmt>,
    attrs: Attrs,
) {
    let body = Some(Body { locals, block: block(stmts) });
    let procedure = Procedure { flavour: Flavour::Plain, signature, specs: Vec::new(), body };
    declare(ast, DeclKind::Procedure(Box::new(procedure)), attrs);
}

/// Declares a procedure without parameters, to be inlined, as in the figures.
pub(crate) fn declare_helper(ast: &mut Ast, name: Sym, locals: Vec<VarDecl>, stmts: Vec<Stmt>) {
    let attrs = [attr_int(ast, "inline", 1)].into_iter().collect();
    declare_procedure(ast, signature(name, Vec::new(), Vec::new()), locals, stmts, attrs);
}

/// The parameters or results for another procedure: they have no `where` clauses.
pub(crate) fn same_vars(vars: &[VarDecl]) -> Vec<VarDecl> {
    vars.iter().map(|v| var(v.var.name.name, v.var.ty, Attrs::NONE)).collect()
}

/// Parameters for a procedure that uses globals by their names: a parameter with the name of a global is renamed.
pub(crate) fn vars_apart(ast: &mut Ast, vars: &[VarDecl]) -> Vec<VarDecl> {
    let mut apart = same_vars(vars);
    for decl in &mut apart {
        let name = decl.var.name.name;
        if ast.decls.iter().any(|d| matches!(&d.kind, DeclKind::Var(global) if global.name.name == name)) {
            decl.var.name.name = derive(ast, name, "arg", Role::Copy);
        }
    }
    apart
}

pub(crate) fn var_names(vars: &[VarDecl]) -> Vec<Sym> {
    vars.iter().map(|v| v.var.name.name).collect()
}

// Walks.

/// Replaces each statement of a block, and of the blocks inside it, by what `f` appends for it.
pub(crate) fn rewrite(block: &mut Block, f: &mut dyn FnMut(Stmt, &mut Vec<Stmt>)) {
    let mut out = Vec::with_capacity(block.stmts.len());
    for mut stmt in std::mem::take(&mut block.stmts) {
        match &mut stmt.kind {
            StmtKind::If(conditional) => {
                for branch in &mut conditional.branches {
                    grow(|| rewrite(&mut branch.block, f));
                }
                if let Some(otherwise) = &mut conditional.otherwise {
                    grow(|| rewrite(otherwise, f));
                }
            }
            StmtKind::While(w) => grow(|| rewrite(&mut w.body, f)),
            _ => {}
        }
        f(stmt, &mut out);
    }
    block.stmts = out;
}

/// Calls `f` for each procedure that has a body; `f` may add to the tree.
pub(crate) fn each_body(ast: &mut Ast, mut f: impl FnMut(&mut Ast, &mut Decl)) {
    let has_body = |d: &Decl| match &d.kind {
        DeclKind::Procedure(p) => p.body.is_some(),
        DeclKind::Implementation(_) => true,
        _ => false,
    };
    let mut decls = std::mem::take(&mut ast.decls);
    for decl in &mut decls {
        if has_body(decl) {
            f(ast, decl);
        }
    }
    decls.append(&mut ast.decls);
    ast.decls = decls;
}

pub(crate) fn body_mut(decl: &mut Decl) -> Option<&mut Body> {
    match &mut decl.kind {
        DeclKind::Procedure(p) => p.body.as_mut(),
        DeclKind::Implementation(i) => Some(&mut i.body),
        _ => None,
    }
}

/// The name of a procedure, or of the procedure that is implemented.
pub(crate) fn procedure_name(decl: &Decl) -> Option<Sym> {
    match &decl.kind {
        DeclKind::Procedure(p) => Some(p.signature.name.name),
        DeclKind::Implementation(i) => Some(i.signature.name.name),
        _ => None,
    }
}

/// Rewrites the statements of all bodies.
pub(crate) fn rewrite_bodies(ast: &mut Ast, mut f: impl FnMut(&mut Ast, Stmt, &mut Vec<Stmt>)) {
    each_body(ast, |ast, decl| {
        if let Some(body) = body_mut(decl) {
            rewrite(&mut body.block, &mut |stmt, out| f(ast, stmt, out));
        }
    });
}

/// Calls `f` for each statement of all bodies.
pub(crate) fn each_stmt(ast: &mut Ast, mut f: impl FnMut(&mut Ast, &mut Stmt)) {
    each_body(ast, |ast, decl| {
        if let Some(body) = body_mut(decl) {
            for_each_stmt_mut(&mut body.block, &mut |stmt| f(ast, stmt));
        }
    });
}

/// Appends a statement, with others before it. `break` names the label right before a loop or conditional: that statement gets a
/// new label.
pub(crate) fn push_after(ast: &mut Ast, before: Vec<Stmt>, mut stmt: Stmt, out: &mut Vec<Stmt>) {
    let label = match (out.last().map(|s| &s.kind), &stmt.kind) {
        (Some(StmtKind::Label(label)), StmtKind::If(_) | StmtKind::While(_)) if !before.is_empty() => {
            Some(label.name)
        }
        _ => None,
    };
    out.extend(before);
    if let Some(label) = label {
        let text = ast.text(label).to_owned();
        let inner = fresh(ast, &text);
        rename_breaks(&mut stmt, label, inner);
        out.push(self::stmt(StmtKind::Label(ident(inner))));
    }
    out.push(stmt);
}

fn rename_breaks(stmt: &mut Stmt, from: Sym, to: Sym) {
    let mut rename = |s: &mut Stmt| {
        if let StmtKind::Break(Some(label)) = &mut s.kind
            && label.name == from
        {
            label.name = to;
        }
    };
    match &mut stmt.kind {
        StmtKind::If(conditional) => {
            for branch in &mut conditional.branches {
                for_each_stmt_mut(&mut branch.block, &mut rename);
            }
            if let Some(otherwise) = &mut conditional.otherwise {
                for_each_stmt_mut(otherwise, &mut rename);
            }
        }
        StmtKind::While(w) => for_each_stmt_mut(&mut w.body, &mut rename),
        _ => {}
    }
}
