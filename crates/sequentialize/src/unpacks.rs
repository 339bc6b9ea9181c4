//! `Constructor(x, y) := e;` fails if `e` was made by another constructor, as in Boogie and in `dally check`. For the verifier,
//! that is an assertion before the statement.

use dally_bpl::Program;
use dally_bpl::ast::{Expr, Stmt, StmtKind};
use dally_bpl::check::{Info, Ty, TyKind};

use crate::build;

/// The program with these assertions; none if it needs none.
pub fn checked_unpacks(program: &Program) -> Option<Program> {
    let (mut ast, info) = (program.ast.clone(), &program.info);
    let mut found = false;
    build::rewrite_bodies(&mut ast, |ast, stmt, out| {
        let StmtKind::Unpack(unpack) = &stmt.kind else { return out.push(stmt) };
        if !has_several_constructors(info, info.type_of(unpack.value)) {
            return out.push(stmt);
        }
        found = true;
        let span = stmt.span;
        let value = ast.copy_expr(unpack.value);
        let condition = ast.exprs.add(Expr::Is(value, unpack.constructor.name), span);
        let id = Some(ast.new_stmt_id(span));
        let check = Stmt { id, span, ..build::stmt(StmtKind::Assert(condition)) };
        build::push_after(ast, vec![check], stmt, out);
    });
    if !found {
        return None;
    }
    let (info, _) = dally_bpl::check(&ast);
    Some(Program { ast, info, warnings: program.warnings.clone() })
}

fn has_several_constructors(info: &Info, ty: Ty) -> bool {
    match info.types.kind(ty) {
        TyKind::Con(con, _) => {
            info.datatypes.get(con).is_some_and(|datatype| datatype.constructors.len() > 1)
        }
        _ => false,
    }
}
