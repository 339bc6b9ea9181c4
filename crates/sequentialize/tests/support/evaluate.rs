//! All executions of a sequential program, with guesses as unknowns.
//!
//! An arbitrary value is an unknown. Copies of it are the same unknown; `assume` of an equation makes its sides the
//! same; where a value is needed, all of its domain are tried. So this explores what an explicit search over all
//! guesses would, without enumerating those that do not matter. It knows nothing of `dally_interp`, which
//! explores the other side.

use std::collections::BTreeSet;

use dally_bpl::Program;
use dally_bpl::ast::*;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap as HashMap;

use super::Outcomes;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Value {
    Int(i64),
    Bool(bool),
    Data(Vec<Value>),
    Unknown(usize),
}

/// The values that an unknown may have.
#[derive(Clone, Copy, Debug)]
enum Domain {
    Bool,
    Range(i64, i64),
    /// It must never be needed.
    Endless,
}

/// Why an execution goes on elsewhere, or no further.
enum Stop {
    Return,
    Break(Option<Sym>),
    /// An assumption does not hold.
    Blocked,
    Failed,
}

/// Choices made so far: which, out of how many.
#[derive(Default)]
struct Choices {
    made: Vec<(usize, usize)>,
    next: usize,
}

impl Choices {
    fn choose(&mut self, count: usize) -> usize {
        if self.next == self.made.len() {
            self.made.push((0, count));
        }
        self.next += 1;
        self.made[self.next - 1].0
    }

    /// Moves on to the next way to choose, if there is one.
    fn advance(&mut self) -> bool {
        self.made.truncate(self.next);
        self.next = 0;
        while let Some((choice, count)) = self.made.pop() {
            if choice + 1 < count {
                self.made.push((choice + 1, count));
                return true;
            }
        }
        false
    }
}

struct Run<'a> {
    ast: &'a Ast,
    procedures: &'a HashMap<Sym, Code<'a>>,
    fields: &'a HashMap<Sym, Vec<Sym>>,
    domains: &'a HashMap<Sym, Domain>,
    choices: &'a mut Choices,
    globals: HashMap<Sym, Value>,
    frames: Vec<HashMap<Sym, Value>>,
    unknowns: Vec<(Option<Value>, Domain)>,
    /// The domains of the variables of the running procedures.
    locals: Vec<&'a HashMap<Sym, Domain>>,
    steps: u64,
    tags: Vec<Tag>,
    wanted: &'a [Sym],
}

/// A tag on the way, with the globals there.
#[derive(Clone, Debug)]
struct Tag {
    /// True if a piece begins here, false if one ends.
    opens: bool,
    keys: Vec<i64>,
    globals: Vec<Value>,
}

/// More ways through a program than this are not gone through.
const MOST_RUNS: u64 = 1_500;

/// All outcomes of a program without asynchrony, from its entry point; none if there are too many ways through it.
pub(crate) fn evaluate(program: &Program, globals: &[String]) -> Option<Outcomes> {
    let ast = &program.ast;
    let entry = |d: &&Decl| ast.attr(&d.attrs, "entrypoint").is_some();
    let mut entries = ast.decls.iter().filter(entry);
    let Some(Decl { kind: DeclKind::Procedure(root), .. }) = entries.next() else { panic!("no entry point") };
    assert!(entries.next().is_none(), "several entry points");
    let procedures = ast.decls.iter().filter_map(|d| match &d.kind {
        DeclKind::Procedure(p) => Some((p.signature.name.name, Code::new(ast, p))),
        _ => None,
    });
    let procedures: HashMap<Sym, Code<'_>> = procedures.collect();
    let root = &procedures[&root.signature.name.name];
    let none = HashMap::default();
    let mut fields = HashMap::default();
    let mut domains = HashMap::default();
    for decl in &ast.decls {
        match &decl.kind {
            DeclKind::Datatype(d) => {
                for c in &d.constructors {
                    let names = c.fields.iter().map(|f| f.var.name.name).collect();
                    fields.insert(c.name.name, names);
                }
            }
            DeclKind::Var(v) => {
                domains.insert(v.name.name, domain_of(ast, v.name.name, &decl.attrs, v.ty));
            }
            _ => {}
        }
    }
    let wanted: Vec<Sym> = globals.iter().map(|g| ast.symbols.get(g).unwrap()).collect();
    let mut outcomes = Outcomes { finals: BTreeSet::new(), fails: false };
    let mut choices = Choices::default();
    let mut runs = 0_u64;
    loop {
        runs += 1;
        if runs > MOST_RUNS {
            return None;
        }
        let mut run = Run {
            ast,
            procedures: &procedures,
            fields: &fields,
            domains: &domains,
            choices: &mut choices,
            globals: HashMap::default(),
            frames: Vec::new(),
            unknowns: Vec::new(),
            locals: Vec::new(),
            steps: 0,
            tags: Vec::new(),
            wanted: &wanted,
        };
        match run.root(root, &none) {
            Ok(values) => {
                let shown = globals.iter().cloned().zip(values);
                outcomes.finals.insert(shown.collect());
            }
            Err(Stop::Failed) => outcomes.fails = true,
            Err(_) => {}
        }
        if !choices.advance() {
            return Some(outcomes);
        }
    }
}

/// The programs of these tests have few tasks, which is what the counts of SYNCE count.
fn domain_of(ast: &Ast, name: Sym, attrs: &Attrs, ty: TypeId) -> Domain {
    if ast.text(name).starts_with("count$") {
        return Domain::Range(0, 5);
    }
    domain(ast, attrs, ty)
}

fn domain(ast: &Ast, attrs: &Attrs, ty: TypeId) -> Domain {
    if let Some(range) = ast.attr(attrs, "range")
        && let [AttrArg::Expr(low), AttrArg::Expr(high)] = range.args[..]
    {
        return Domain::Range(ast.int_literal(low).unwrap(), ast.int_literal(high).unwrap());
    }
    match ast.types[ty] {
        TypeExpr::Bool => Domain::Bool,
        _ => Domain::Endless,
    }
}

/// A procedure, and the domains of its variables.
struct Code<'a> {
    signature: &'a Signature,
    body: &'a Body,
    domains: HashMap<Sym, Domain>,
}

impl<'a> Code<'a> {
    fn new(ast: &Ast, procedure: &'a Procedure) -> Code<'a> {
        let (signature, body) =
            (&procedure.signature, procedure.body.as_ref().expect("every procedure has a body"));
        let decls = signature.outs.iter().chain(&body.locals);
        let domains =
            decls.map(|d| (d.var.name.name, domain_of(ast, d.var.name.name, &d.attrs, d.var.ty))).collect();
        Code { signature, body, domains }
    }
}

impl<'a> Run<'a> {
    fn root(&mut self, root: &'a Code<'a>, none: &'a HashMap<Sym, Domain>) -> Result<Vec<String>, Stop> {
        self.call(root, Vec::new())?;
        self.frames.push(HashMap::default());
        self.locals.push(none);
        let mut values = Vec::new();
        for name in self.wanted {
            let value = self.read(*name);
            values.push(match self.needed(value) {
                Value::Int(n) => n.to_string(),
                Value::Bool(b) => b.to_string(),
                other => panic!("{other:?}"),
            });
        }
        self.check_order();
        Ok(values)
    }

    /// Sorted by their tags, the pieces are one execution: each finds what the one before it has left.
    fn check_order(&mut self) {
        let mut open: Vec<Tag> = Vec::new();
        let mut pieces = Vec::new();
        for tag in std::mem::take(&mut self.tags) {
            if tag.opens {
                open.push(tag);
            } else {
                let begin = open.pop().expect("a piece begins before it ends");
                assert_eq!(begin.keys, tag.keys, "a piece stays where it is");
                pieces.push((begin, tag));
            }
        }
        assert!(open.is_empty());
        pieces.sort_by(|(a, _), (b, _)| a.keys.cmp(&b.keys));
        for pair in pieces.windows(2) {
            let ((_, left), (found, _)) = (&pair[0], &pair[1]);
            for (left, found) in left.globals.iter().zip(&found.globals) {
                let (left, found) = (self.known(left.clone()), self.known(found.clone()));
                assert_eq!(
                    left,
                    found,
                    "a piece finds what the one before it has left: {pieces:?}\n{}",
                    dally_bpl::print(self.ast)
                );
            }
        }
    }

    fn tag(&mut self, stmt: &Stmt) {
        let opens = ["begins", "resumes"].iter().any(|t| self.ast.attr(&stmt.attrs, t).is_some());
        let closes = ["pauses", "ends"].iter().any(|t| self.ast.attr(&stmt.attrs, t).is_some());
        if !opens && !closes {
            return;
        }
        let place = self.ast.attr(&stmt.attrs, "place").expect("every tag has a place");
        let number = |run: &mut Self, arg: &AttrArg| match arg {
            AttrArg::Expr(e) => run.int(*e),
            AttrArg::Str(_) => panic!("a place is made of numbers"),
        };
        let keys = place.args.iter().map(|arg| number(self, arg)).collect();
        let globals = self.wanted.iter().map(|g| self.read(*g)).collect();
        self.tags.push(Tag { opens, keys, globals });
    }

    fn call(&mut self, code: &'a Code<'a>, args: Vec<Value>) -> Result<Vec<Value>, Stop> {
        let ins = code.signature.ins.iter().map(|decl| decl.var.name.name);
        self.frames.push(ins.zip(args).collect());
        self.locals.push(&code.domains);
        match self.block(&code.body.block) {
            Ok(()) | Err(Stop::Return) => {}
            Err(stop) => return Err(stop),
        }
        let outs = code.signature.outs.iter().map(|o| self.read(o.var.name.name)).collect();
        self.frames.pop();
        self.locals.pop();
        Ok(outs)
    }

    fn unknown(&mut self, domain: Domain) -> Value {
        self.unknowns.push((None, domain));
        Value::Unknown(self.unknowns.len() - 1)
    }

    fn read(&mut self, name: Sym) -> Value {
        let place = self.frames.len() - 1;
        if let Some(value) = self.frames[place].get(&name) {
            let value = value.clone();
            return self.known(value);
        }
        if let Some(domain) = self.locals[place].get(&name) {
            let domain = *domain;
            let value = self.unknown(domain);
            self.frames[place].insert(name, value.clone());
            return value;
        }
        if let Some(value) = self.globals.get(&name) {
            let value = value.clone();
            return self.known(value);
        }
        let domain = *self.domains.get(&name).unwrap_or_else(|| panic!("{}", self.ast.text(name)));
        let value = self.unknown(domain);
        self.globals.insert(name, value.clone());
        value
    }

    fn write(&mut self, name: Sym, value: Value) {
        let place = self.frames.len() - 1;
        if self.frames[place].contains_key(&name) || self.locals[place].contains_key(&name) {
            self.frames[place].insert(name, value);
        } else {
            self.globals.insert(name, value);
        }
    }

    /// The value, as far as it has been determined.
    fn known(&self, mut value: Value) -> Value {
        while let Value::Unknown(id) = value {
            match &self.unknowns[id].0 {
                Some(next) => value = next.clone(),
                None => break,
            }
        }
        value
    }

    /// The value itself: an unknown gets one of its domain.
    fn needed(&mut self, value: Value) -> Value {
        let value = self.known(value);
        let Value::Unknown(id) = value else { return value };
        let value = match self.unknowns[id].1 {
            Domain::Bool => Value::Bool(self.choices.choose(2) == 1),
            Domain::Range(low, high) => {
                Value::Int(low + self.choices.choose((high - low + 1) as usize) as i64)
            }
            Domain::Endless => panic!("an arbitrary value is needed in\n{}", dally_bpl::print(self.ast)),
        };
        self.unknowns[id].0 = Some(value.clone());
        value
    }

    fn unify(&mut self, left: Value, right: Value) -> bool {
        match (self.known(left), self.known(right)) {
            (Value::Unknown(a), Value::Unknown(b)) if a == b => true,
            (Value::Unknown(a), Value::Unknown(b)) => {
                // The narrower domain is that of both.
                let (keep, bind) =
                    if matches!(self.unknowns[a].1, Domain::Endless) { (b, a) } else { (a, b) };
                self.unknowns[bind].0 = Some(Value::Unknown(keep));
                true
            }
            (Value::Unknown(id), value) | (value, Value::Unknown(id)) => {
                let fits = match (self.unknowns[id].1, &value) {
                    (Domain::Range(low, high), Value::Int(n)) => (low..=high).contains(n),
                    _ => true,
                };
                self.unknowns[id].0 = Some(value);
                fits
            }
            (Value::Data(a), Value::Data(b)) => {
                a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| self.unify(a, b))
            }
            (a, b) => a == b,
        }
    }

    fn int(&mut self, e: ExprId) -> i64 {
        let value = self.eval(e);
        match self.needed(value) {
            Value::Int(n) => n,
            other => panic!("{other:?}"),
        }
    }

    fn bool(&mut self, e: ExprId) -> bool {
        let value = self.eval(e);
        match self.needed(value) {
            Value::Bool(b) => b,
            other => panic!("{other:?}"),
        }
    }

    fn eval(&mut self, e: ExprId) -> Value {
        match self.ast.exprs[e] {
            Expr::Bool(b) => Value::Bool(b),
            Expr::Int(digits) => Value::Int(self.ast.text(digits).parse().unwrap()),
            Expr::Name(name) => self.read(name),
            Expr::Unary(UnaryOp::Not, a) => Value::Bool(!self.bool(a)),
            Expr::Unary(UnaryOp::Neg, a) => Value::Int(-self.int(a)),
            Expr::Binary(op, a, b) => self.binary(op, a, b),
            Expr::Ite(c, a, b) => {
                if self.bool(c) {
                    self.eval(a)
                } else {
                    self.eval(b)
                }
            }
            Expr::Call(_, args) => {
                let args = self.ast.exprs.list(args);
                Value::Data(args.iter().map(|a| self.eval(*a)).collect())
            }
            Expr::Field(a, field) => {
                let value = self.eval(a);
                let Value::Data(parts) = self.known(value) else { panic!("a field of what is unknown") };
                let names =
                    self.fields.values().find(|names| names.len() == parts.len() && names.contains(&field));
                let place = names.and_then(|n| n.iter().position(|f| *f == field)).unwrap();
                self.known(parts[place].clone())
            }
            other => panic!("{other:?} is not in the language of these tests"),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> Value {
        match op {
            BinaryOp::And => Value::Bool(self.bool(a) && self.bool(b)),
            BinaryOp::Or => Value::Bool(self.bool(a) || self.bool(b)),
            BinaryOp::Implies => Value::Bool(!self.bool(a) || self.bool(b)),
            BinaryOp::Eq | BinaryOp::Iff | BinaryOp::Neq => {
                let (a, b) = (self.eval(a), self.eval(b));
                let (a, b) = (self.needed(a), self.needed(b));
                Value::Bool((a == b) != (op == BinaryOp::Neq))
            }
            _ => {
                let (a, b) = (self.int(a), self.int(b));
                match op {
                    BinaryOp::Lt => Value::Bool(a < b),
                    BinaryOp::Gt => Value::Bool(a > b),
                    BinaryOp::Le => Value::Bool(a <= b),
                    BinaryOp::Ge => Value::Bool(a >= b),
                    BinaryOp::Add => Value::Int(a + b),
                    BinaryOp::Sub => Value::Int(a - b),
                    BinaryOp::Mul => Value::Int(a * b),
                    BinaryOp::Mod => Value::Int(a.rem_euclid(b)),
                    BinaryOp::Div => Value::Int(a.div_euclid(b)),
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    /// An assumption about one unknown only: chooses among the values for which it holds, if it is one.
    fn narrow(&mut self, e: ExprId) -> Option<bool> {
        let mut unknown = None;
        let several = self.ast.exprs.any(e, &mut |part| match self.ast.exprs[part] {
            Expr::Name(name) => match self.read(name) {
                Value::Unknown(id) => unknown.replace(id).is_some_and(|before| before != id),
                _ => false,
            },
            Expr::Field(..) | Expr::Call(..) => true,
            _ => false,
        });
        let id = unknown.filter(|_| !several)?;
        let Domain::Range(low, high) = self.unknowns[id].1 else { return None };
        let mut values = Vec::new();
        for value in low..=high {
            self.unknowns[id].0 = Some(Value::Int(value));
            if self.bool(e) {
                values.push(value);
            }
        }
        self.unknowns[id].0 = None;
        if values.is_empty() {
            return Some(false);
        }
        self.unknowns[id].0 = Some(Value::Int(values[self.choices.choose(values.len())]));
        Some(true)
    }

    /// Returns true if the expression is a conjunction of bounds.
    fn is_bounds(&self, e: ExprId) -> bool {
        match self.ast.exprs[e] {
            Expr::Binary(BinaryOp::And, a, b) => self.is_bounds(b) && self.is_bounds(a),
            Expr::Binary(op, ..) => matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge),
            _ => false,
        }
    }

    fn assume(&mut self, e: ExprId) -> bool {
        if self.is_bounds(e)
            && let Some(holds) = self.narrow(e)
        {
            return holds;
        }
        match self.ast.exprs[e] {
            Expr::Binary(BinaryOp::And, a, b) => self.assume(a) && self.assume(b),
            Expr::Binary(BinaryOp::Eq, a, b) => {
                let (a, b) = (self.eval(a), self.eval(b));
                self.unify(a, b)
            }
            _ => self.bool(e),
        }
    }

    fn block(&mut self, block: &Block) -> Result<(), Stop> {
        let mut label = None;
        for stmt in &block.stmts {
            self.steps += 1;
            assert!(self.steps < 100_000, "endless");
            match self.stmt(stmt) {
                Err(Stop::Break(Some(target))) if Some(target) == label => {}
                other => other?,
            }
            label = match &stmt.kind {
                StmtKind::Label(name) => Some(name.name),
                _ => None,
            };
        }
        Ok(())
    }

    fn guard(&mut self, guard: Guard) -> bool {
        match guard {
            Guard::Any => self.choices.choose(2) == 1,
            Guard::Expr(e) => self.bool(e),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Result<(), Stop> {
        match &stmt.kind {
            StmtKind::Label(_) => {}
            StmtKind::Assume(e) => {
                self.tag(stmt);
                if !self.assume(*e) {
                    return Err(Stop::Blocked);
                }
            }
            StmtKind::Assert(e) => {
                if !self.bool(*e) {
                    return Err(Stop::Failed);
                }
            }
            StmtKind::Havoc(vars) => self.havoc(stmt, vars),
            StmtKind::Assign(targets, values) => {
                let values = self.ast.exprs.list(*values);
                let values: Vec<Value> = values.iter().map(|e| self.eval(*e)).collect();
                for (target, value) in targets.iter().zip(values) {
                    assert!(target.path.is_empty());
                    self.write(target.base.name, value);
                }
            }
            StmtKind::Call(call) => {
                let args = self.ast.exprs.list(call.args);
                let args = args.iter().map(|a| self.eval(*a)).collect();
                let outs = {
                    let procedures = self.procedures;
                    self.call(&procedures[&call.procedure.name], args)?
                };
                for (target, value) in call.outs.iter().zip(outs) {
                    if let Some(target) = target {
                        self.write(target.name, value);
                    }
                }
            }
            StmtKind::If(conditional) => {
                for branch in &conditional.branches {
                    if self.guard(branch.guard) {
                        return self.block(&branch.block);
                    }
                }
                if let Some(otherwise) = &conditional.otherwise {
                    return self.block(otherwise);
                }
            }
            StmtKind::While(w) => {
                while self.guard(w.guard) {
                    match self.block(&w.body) {
                        Err(Stop::Break(None)) => break,
                        other => other?,
                    }
                }
            }
            StmtKind::Return => return Err(Stop::Return),
            StmtKind::Break(label) => return Err(Stop::Break(label.map(|l| l.name))),
            other => panic!("{other:?} is not in the language of these tests"),
        }
        Ok(())
    }

    fn havoc(&mut self, stmt: &Stmt, vars: &[Ident]) {
        for var in vars {
            let place = self.locals.len() - 1;
            let domain = match self.ast.attr(&stmt.attrs, "range") {
                Some(_) => self::domain(self.ast, &stmt.attrs, TypeIdOf::any(self.ast)),
                None => match self.locals[place].get(&var.name) {
                    Some(domain) => *domain,
                    None => self.domains[&var.name],
                },
            };
            let value = self.unknown(domain);
            self.write(var.name, value);
        }
    }
}

/// Any type: the range says it all.
struct TypeIdOf;

impl TypeIdOf {
    fn any(ast: &Ast) -> TypeId {
        ast.types.ids().next().unwrap()
    }
}
