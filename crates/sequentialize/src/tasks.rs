//! Tasks as values: in a sequential program a handle says where in the original order its task has ended, and with
//! which result.
//!
//! [SPIN14 Fig. 6] has pairs ⟨result, round⟩; here they are datatypes, one for each type of results, and have
//! the place within the round as well, which the waits of dfs and df need.

use dally_bpl::ast::{Ast, Constructor, Datatype, Decl, DeclKind, Expr, ExprId, TypeExpr, TypeId};
use dally_bpl::check::{Info, Ty, TyKind};
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::build;

/// The datatypes that stand for tasks.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    /// The constructor for results of a type, by its text; the empty text is for none.
    constructors: FxHashMap<String, Sym>,
}

/// True if `task` is the built-in type.
pub(crate) fn is_builtin(ast: &Ast, task: Sym) -> bool {
    !ast.decls.iter().any(|d| match &d.kind {
        DeclKind::Type(t) => t.name.name == task,
        DeclKind::Datatype(t) => t.name.name == task,
        _ => false,
    })
}

/// A global that holds tasks, if there is one.
pub(crate) fn in_globals(ast: &Ast) -> Option<Span> {
    let info = crate::unit::info(ast);
    let holds = |decl: &Decl| match &decl.kind {
        DeclKind::Var(var) => info
            .global(var.name.name)
            .is_some_and(|v| holds_tasks(&info, info[v].ty))
            .then_some(var.name.span),
        _ => None,
    };
    ast.decls.iter().find_map(holds)
}

/// True if values of a type contain tasks.
fn holds_tasks(info: &Info, ty: Ty) -> bool {
    let (mut todo, mut seen) = (vec![ty], FxHashSet::default());
    while let Some(ty) = todo.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match info.types.kind(ty) {
            TyKind::Task(_) => return true,
            TyKind::Map(_, indices, value) => todo.extend(indices.iter().chain([value])),
            TyKind::Con(con, args) => {
                todo.extend(args.iter());
                let constructors = info.datatypes.get(con).into_iter().flat_map(|d| &d.constructors);
                constructors.for_each(|c| todo.extend(&info[c.function].params));
            }
            _ => {}
        }
    }
    false
}

impl Tasks {
    /// Replaces all types of tasks.
    pub(crate) fn lower(ast: &mut Ast) -> Tasks {
        let mut tasks = Tasks::default();
        let Some(task) = ast.symbols.get("task").filter(|t| is_builtin(ast, *t)) else { return tasks };
        for id in ast.types.ids() {
            let TypeExpr::Named(name, args) = ast.types[id] else { continue };
            if name == task {
                let result = ast.types.list(args).first().copied();
                let datatype = tasks.datatype(ast, result);
                let none = ast.types.add_list(&[]);
                ast.types.replace(id, TypeExpr::Named(datatype, none));
            }
        }
        tasks
    }

    fn datatype(&mut self, ast: &mut Ast, result: Option<TypeId>) -> Sym {
        let key = result.map_or(String::new(), |r| dally_bpl::print_type(ast, r));
        if let Some(found) = self.constructors.get(&key) {
            return *found;
        }
        let simple = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric());
        let name =
            build::fresh(ast, if simple { format!("task${key}") } else { "task$".to_owned() }.as_str());
        let fields = ["round", "order"].map(|field| {
            let field = ast.symbols.intern(field);
            build::local_int(ast, field, dally_bpl::ast::Attrs::NONE)
        });
        let mut fields = fields.to_vec();
        if let Some(ty) = result {
            let field = ast.symbols.intern("result");
            fields.push(build::var(field, ty, dally_bpl::ast::Attrs::NONE));
        }
        let constructors = vec![Constructor { name: build::ident(name), fields }];
        let datatype = Datatype { name: build::ident(name), params: Vec::new(), constructors };
        build::declare(ast, DeclKind::Datatype(datatype), dally_bpl::ast::Attrs::NONE);
        self.constructors.insert(key, name);
        name
    }

    /// The type of the tasks whose results are of this type.
    pub(crate) fn type_for(&mut self, ast: &mut Ast, result: Option<TypeId>) -> (TypeId, Sym) {
        let name = self.datatype(ast, result);
        let none = ast.types.add_list(&[]);
        (build::type_expr(ast, TypeExpr::Named(name, none)), name)
    }
}

/// `constructor(round, order, result)`
pub(crate) fn make(ast: &mut Ast, constructor: Sym, parts: &[ExprId]) -> ExprId {
    let parts = ast.exprs.add_list(parts);
    build::expr(ast, Expr::Call(constructor, parts))
}
