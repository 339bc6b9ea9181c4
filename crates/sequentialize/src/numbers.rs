//! The numbers of tasks, for programs that ask for them as Corral's do.
//!
//! Each task has its number in a thread-local variable, and that of the task that it posted last in another. Numbers are given in
//! the order of the path: programs depend only on their being distinct.

use dally_bpl::ast::{
    Ast, Attrs, BinaryOp, DeclKind, Expr, ExprId, Function, Param, Role, Stmt, StmtKind, TypeExpr, TypeId,
};
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::build;
use crate::globals::{GHOST, THREAD_LOCAL};
use crate::unit::{Unit, as_procedure};

const OWN: &str = "corral_getThreadID";
const CHILD: &str = "corral_getChildThreadID";

/// The variables and functions for numbers.
struct Numbers {
    /// The last number that was given.
    last: Sym,
    own: Sym,
    child: Sym,
    ty: TypeId,
    /// The addition of bitvectors, if numbers are bitvectors.
    plus: Option<(Sym, u32)>,
}

/// The procedures that give numbers, which need no declaration.
pub(crate) fn procedures(ast: &mut Ast) -> [Sym; 2] {
    [OWN, CHILD].map(|name| ast.symbols.intern(name))
}

/// Replaces the calls that ask for numbers.
pub(crate) fn keep(unit: &mut Unit) {
    let givers = procedures(&mut unit.ast);
    let mut asked = false;
    build::each_stmt(&mut unit.ast, |_, s| {
        asked |= matches!(&s.kind, StmtKind::Call(c) if givers.contains(&c.procedure.name));
    });
    if !asked {
        return;
    }
    let numbers = Numbers::declare(unit);
    let mut wrappers: FxHashMap<Sym, Sym> = FxHashMap::default();
    for task in unit.task_procedures() {
        if unit.entries.iter().all(|e| e.procedure != task) || is_posted(unit, task) {
            let wrapper = numbers.declare_wrapper(unit, task);
            wrappers.insert(task, wrapper);
        }
    }
    build::rewrite_bodies(&mut unit.ast, |ast, mut s, out| match &mut s.kind {
        StmtKind::Call(c) if givers.contains(&c.procedure.name) => {
            let which = if ast.text(c.procedure.name) == OWN { numbers.own } else { numbers.child };
            let targets: Vec<Sym> = c.outs.iter().flatten().map(|o| o.name).collect();
            let pairs: Vec<(Sym, Sym)> = targets.into_iter().map(|t| (t, which)).collect();
            out.extend(build::assign(ast, &pairs).into_iter().map(|made| Stmt { span: s.span, ..made }));
        }
        StmtKind::Async(post) if wrappers.contains_key(&post.procedure.name) => {
            post.procedure.name = wrappers[&post.procedure.name];
            let number = build::name(ast, numbers.child);
            let args: Vec<ExprId> = [number].into_iter().chain(ast.exprs.list(post.args).to_vec()).collect();
            post.args = ast.exprs.add_list(&args);
            let next = numbers.next(ast);
            out.push(build::set(ast, &[numbers.last], &[next]));
            out.extend(build::assign(ast, &[(numbers.child, numbers.last)]));
            out.push(s);
        }
        _ => out.push(s),
    });
    numbers.start(unit);
}

fn is_posted(unit: &mut Unit, procedure: Sym) -> bool {
    let mut posted = false;
    build::each_stmt(&mut unit.ast, |_, s| {
        posted |= matches!(&s.kind, StmtKind::Async(post) if post.procedure.name == procedure);
    });
    posted
}

impl Numbers {
    fn declare(unit: &mut Unit) -> Numbers {
        let ast = &mut unit.ast;
        let givers = procedures(ast);
        let mut declared = ast.decls.iter().filter_map(as_procedure);
        let declared = declared.find(|p| givers.contains(&p.signature.name.name));
        let bits = declared.and_then(|p| p.signature.outs.first()).and_then(|o| match ast.types[o.var.ty] {
            TypeExpr::Bv(bits) => Some(bits),
            _ => None,
        });
        let ty = build::type_expr(ast, bits.map_or(TypeExpr::Int, TypeExpr::Bv));
        let mut global = |wanted: &str, attr: &str| {
            let name = build::fresh(ast, wanted);
            let attrs: Attrs = [build::attr(ast, attr, Vec::new())].into_iter().collect();
            build::declare_global(ast, build::var(name, ty, attrs));
            name
        };
        let (last, own, child) =
            (global("numbers", GHOST), global("number", THREAD_LOCAL), global("child", THREAD_LOCAL));
        let plus = bits.map(|bits| (declare_plus(ast, ty), bits));
        Numbers { last, own, child, ty, plus }
    }

    fn literal(&self, ast: &mut Ast, number: u32) -> ExprId {
        match self.plus {
            None => build::int(ast, number),
            Some((_, bits)) => {
                let digits = ast.symbols.intern(&number.to_string());
                build::expr(ast, Expr::Bv(digits, bits))
            }
        }
    }

    /// The last number and one.
    fn next(&self, ast: &mut Ast) -> ExprId {
        let (last, one) = (build::name(ast, self.last), self.literal(ast, 1));
        match self.plus {
            None => build::binary(ast, BinaryOp::Add, last, one),
            Some((plus, _)) => {
                let args = ast.exprs.add_list(&[last, one]);
                build::expr(ast, Expr::Call(plus, args))
            }
        }
    }

    /// `procedure p$numbered(number, …)`, which notes its number, and then calls `p`.
    fn declare_wrapper(&self, unit: &mut Unit, procedure: Sym) -> Sym {
        let signature = unit.procedure(procedure).map(|p| p.signature.clone());
        let ast = &mut unit.ast;
        let name = build::derive(ast, procedure, "numbered", Role::Wrapper);
        let Some(mut signature) = signature else { return name };
        signature.name = build::ident(name);
        (signature.ins, signature.outs) =
            (build::same_vars(&signature.ins), build::same_vars(&signature.outs));
        let args = build::names(ast, &build::var_names(&signature.ins));
        let number = build::fresh(ast, "number");
        signature.ins.insert(0, build::var(number, self.ty, Attrs::NONE));
        let mut stmts = build::assign(ast, &[(self.own, number)]);
        stmts.push(build::call(ast, &build::var_names(&signature.outs), procedure, &args));
        build::declare_procedure(ast, signature, vec![], stmts, Attrs::NONE);
        name
    }

    /// The first task has the number 1.
    fn start(&self, unit: &mut Unit) {
        let entries: Vec<Sym> = unit.entries.iter().map(|e| e.procedure).collect();
        for entry in entries {
            let signature = unit.procedure(entry).map(|p| p.signature.clone());
            let ast = &mut unit.ast;
            let name = build::derive(ast, entry, "first", Role::Wrapper);
            let Some(mut signature) = signature else { continue };
            signature.name = build::ident(name);
            (signature.ins, signature.outs) =
                (build::same_vars(&signature.ins), build::same_vars(&signature.outs));
            let args = build::names(ast, &build::var_names(&signature.ins));
            let first = [self.literal(ast, 1), self.literal(ast, 1)];
            let mut stmts = vec![build::set(ast, &[self.last, self.own], &first)];
            stmts.push(build::call(ast, &build::var_names(&signature.outs), entry, &args));
            build::declare_procedure(ast, signature, vec![], stmts, Attrs::NONE);
            for e in unit.entries.iter_mut().filter(|e| e.procedure == entry) {
                e.procedure = name;
            }
        }
    }
}

/// `function {:bvbuiltin "bvadd"} plus(bvN, bvN): bvN;`
fn declare_plus(ast: &mut Ast, ty: TypeId) -> Sym {
    let name = build::fresh(ast, "plus");
    let param = || Param { attrs: Attrs::NONE, name: None, ty };
    let function = Function {
        revealed: false,
        name: build::ident(name),
        type_params: Vec::new(),
        params: vec![param(), param()],
        result: param(),
        body: None,
        uses: Vec::new(),
    };
    let attrs: Attrs = [build::attr_text(ast, "bvbuiltin", "bvadd")].into_iter().collect();
    build::declare(ast, DeclKind::Function(Box::new(function)), attrs);
    name
}
