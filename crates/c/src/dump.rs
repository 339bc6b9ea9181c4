//! A readable form of types and of the typed tree, for messages and tests.

use std::fmt::Write;

use crate::hir::{BinaryOp, Expr, ExprKind, Function, Init, Program, Stmt, StmtKind, UnaryOp};
use crate::types::{FloatType, FunctionType, Type, TypeId, Types};

/// A type in C's notation.
pub fn type_name(types: &Types, ty: TypeId) -> String {
    declarator(types, ty, String::new())
}

/// A declaration of a name with this type.
fn declarator(types: &Types, ty: TypeId, inner: String) -> String {
    let space = if inner.is_empty() { "" } else { " " };
    match types.get(ty) {
        Type::Pointer(target) => {
            let grouped = matches!(types.get(*target), Type::Array(..) | Type::Function(_));
            declarator(types, *target, if grouped { format!("(*{inner})") } else { format!("*{inner}") })
        }
        Type::Array(element, length) => {
            let length = length.map_or(String::new(), |n| n.to_string());
            declarator(types, *element, format!("{inner}[{length}]"))
        }
        Type::Function(function) => {
            declarator(types, function.result, format!("{inner}({})", parameters(types, function)))
        }
        Type::Const(target) => match types.get(types.unqualified(*target)) {
            Type::Pointer(_) => declarator(types, *target, format!("const{space}{inner}")),
            _ => format!("const {}", declarator(types, *target, inner)),
        },
        Type::Atomic(target) => format!("_Atomic({}){space}{inner}", type_name(types, *target)),
        Type::Volatile(target) => match types.get(*target) {
            Type::Pointer(_) => declarator(types, *target, format!("volatile{space}{inner}")),
            _ => format!("volatile {}", declarator(types, *target, inner)),
        },
        _ => format!("{}{space}{inner}", plain(types, ty)),
    }
}

fn parameters(types: &Types, function: &FunctionType) -> String {
    let mut all: Vec<_> = function.params.iter().map(|ty| type_name(types, *ty)).collect();
    match (function.variadic, all.is_empty()) {
        (true, true) => {}
        (true, false) => all.push("...".to_owned()),
        (false, true) => all.push("void".to_owned()),
        (false, false) => {}
    }
    all.join(", ")
}

fn plain(types: &Types, ty: TypeId) -> String {
    match types.get(ty) {
        Type::Void => "void".to_owned(),
        Type::Bool => "_Bool".to_owned(),
        Type::Int(int) => {
            let word = match int.bits {
                8 => "char",
                16 => "short",
                32 => "int",
                64 if types.pointer_bits() == 64 => "long",
                64 => "long long",
                _ => "__int128",
            };
            if int.signed { word.to_owned() } else { format!("unsigned {word}") }
        }
        Type::Enum(id) => match &types.enums[id.0 as usize].tag {
            Some(tag) => format!("enum {tag}"),
            None => "enum".to_owned(),
        },
        Type::Float(FloatType::Float) => "float".to_owned(),
        Type::Float(FloatType::Double) => "double".to_owned(),
        Type::Float(FloatType::LongDouble) => "long double".to_owned(),
        Type::Record(id) => {
            let record = &types.records[id.0 as usize];
            let word = if record.is_union { "union" } else { "struct" };
            match &record.tag {
                Some(tag) => format!("{word} {tag}"),
                None => word.to_owned(),
            }
        }
        _ => "?".to_owned(),
    }
}

/// The whole program.
pub fn program(program: &Program) -> String {
    let mut out = String::new();
    for global in &program.globals {
        let mut words = String::new();
        if global.external {
            words.push_str("extern ");
        }
        if global.thread_local {
            words.push_str("thread_local ");
        }
        let name = match global.function {
            Some(id) => format!("{}.{}", program.functions[id.index()].name, global.name),
            None => global.name.clone(),
        };
        let _ = write!(out, "{words}{}", declarator(&program.types, global.ty, name));
        if let Some(init) = &global.init {
            let dump = Dump { program, function: None };
            let _ = write!(out, " = {}", dump.init(init));
        }
        out.push('\n');
    }
    for one in &program.functions {
        function(program, one, &mut out);
    }
    out
}

fn function(program: &Program, function: &Function, out: &mut String) {
    let types = &program.types;
    let params: Vec<_> = function
        .params
        .iter()
        .map(|id| &function.locals[id.index()])
        .map(|local| declarator(types, local.ty, local.name.clone()))
        .collect();
    let variadic = if function.variadic { " variadic" } else { "" };
    let noreturn = if function.noreturn { " noreturn" } else { "" };
    let library = if function.library { " library" } else { "" };
    let name = format!("{}({})", function.name, params.join(", "));
    let _ = write!(out, "{}{variadic}{noreturn}{library}", declarator(types, function.result, name));
    let Some(body) = &function.body else {
        out.push('\n');
        return;
    };
    let taken: Vec<_> =
        function.locals.iter().filter(|l| l.address_taken).map(|l| format!("&{}", l.name)).collect();
    if !taken.is_empty() {
        let _ = write!(out, " [{}]", taken.join(" "));
    }
    out.push_str(" {\n");
    let dump = Dump { program, function: Some(function) };
    dump.stmts(body, 1, out);
    out.push_str("}\n");
}

struct Dump<'a> {
    program: &'a Program,
    function: Option<&'a Function>,
}

impl Dump<'_> {
    fn stmts(&self, stmts: &[Stmt], depth: usize, out: &mut String) {
        for stmt in stmts {
            self.stmt(stmt, depth, out);
        }
    }

    fn stmt(&self, stmt: &Stmt, depth: usize, out: &mut String) {
        dally_text::stack::grow(|| self.stmt_here(stmt, depth, out));
    }

    fn stmt_here(&self, stmt: &Stmt, depth: usize, out: &mut String) {
        let indent = "  ".repeat(depth);
        let label = |id: &crate::hir::LabelId| {
            self.function.and_then(|f| f.labels.get(id.index())).map_or("?", String::as_str)
        };
        let line = match &stmt.kind {
            StmtKind::Expr(e) => self.expr(e),
            StmtKind::Declare(id, init) => {
                let local = self.local(*id);
                let ty = self.function.map(|f| f.locals[id.index()].ty);
                let declared = ty.map_or(String::new(), |ty| declarator(&self.program.types, ty, local));
                match init {
                    Some(init) => format!("{declared} = {}", self.init(init)),
                    None => declared,
                }
            }
            StmtKind::Vla(id, count) => format!("vla {}[{}]", self.local(*id), self.expr(count)),
            StmtKind::Block(stmts) => {
                let _ = writeln!(out, "{indent}{{");
                self.stmts(stmts, depth + 1, out);
                "}".to_owned()
            }
            StmtKind::If(c, then, otherwise) => {
                let _ = writeln!(out, "{indent}if {}", self.expr(c));
                self.stmt(then, depth + 1, out);
                if let Some(otherwise) = otherwise {
                    let _ = writeln!(out, "{indent}else");
                    self.stmt(otherwise, depth + 1, out);
                }
                return;
            }
            StmtKind::While(c, body) => {
                let _ = writeln!(out, "{indent}while {}", self.expr(c));
                return self.stmt(body, depth + 1, out);
            }
            StmtKind::DoWhile(body, c) => {
                let _ = writeln!(out, "{indent}do");
                self.stmt(body, depth + 1, out);
                format!("while {}", self.expr(c))
            }
            StmtKind::For(c, step, body) => {
                let show = |e: &Option<Expr>| e.as_ref().map_or(String::new(), |e| self.expr(e));
                let _ = writeln!(out, "{indent}for ; {}; {}", show(c), show(step));
                return self.stmt(body, depth + 1, out);
            }
            StmtKind::Switch(e, body) => {
                let _ = writeln!(out, "{indent}switch {}", self.expr(e));
                return self.stmt(body, depth + 1, out);
            }
            StmtKind::Case(low, high) if low == high => format!("case {low}:"),
            StmtKind::Case(low, high) => format!("case {low} ... {high}:"),
            StmtKind::Default => "default:".to_owned(),
            StmtKind::Break => "break".to_owned(),
            StmtKind::Continue => "continue".to_owned(),
            StmtKind::Goto(id) => format!("goto {}", label(id)),
            StmtKind::Label(id) => format!("{}:", label(id)),
            StmtKind::Return(None) => "return".to_owned(),
            StmtKind::Return(Some(e)) => format!("return {}", self.expr(e)),
            StmtKind::Empty => ";".to_owned(),
        };
        let _ = writeln!(out, "{indent}{line}");
    }

    /// The name of a local; unnamed ones and those that share a name have their number.
    fn local(&self, id: crate::hir::LocalId) -> String {
        let Some(function) = self.function else { return format!("#{}", id.0) };
        let name = &function.locals[id.index()].name;
        let alone = function.locals.iter().filter(|l| l.name == *name).count() == 1;
        if alone && !name.is_empty() { name.clone() } else { format!("{name}#{}", id.0) }
    }

    fn init(&self, init: &Init) -> String {
        let parts: Vec<_> = init
            .parts
            .iter()
            .map(|part| {
                let bits = part.bits.map_or(String::new(), |b| format!(":{}+{}", b.low, b.width));
                format!("{}{bits}: {}", part.offset, self.expr(&part.value))
            })
            .collect();
        let rest = if init.zero_rest { ", 0..." } else { "" };
        format!("{{{}{rest}}}", parts.join(", "))
    }

    fn list(&self, exprs: &[Expr]) -> String {
        exprs.iter().map(|e| self.expr(e)).collect::<Vec<_>>().join(", ")
    }

    fn expr(&self, expr: &Expr) -> String {
        dally_text::stack::grow(|| self.expr_here(expr))
    }

    fn expr_here(&self, expr: &Expr) -> String {
        let types = &self.program.types;
        match &expr.kind {
            ExprKind::Int(value) => match types.get(types.unqualified(expr.ty)) {
                Type::Int(int) if int.bits == 32 && int.signed => value.to_string(),
                _ => format!("{value}:{}", type_name(types, expr.ty)),
            },
            ExprKind::Float(value) => format!("{value:?}"),
            ExprKind::String(id) => {
                format!(
                    "{:?}",
                    String::from_utf8_lossy(&self.program.strings[id.index()]).trim_end_matches('\0')
                )
            }
            ExprKind::Local(id) => self.local(*id),
            ExprKind::Global(id) => match self.program.globals[id.index()].name.as_str() {
                "" => format!("global#{}", id.0),
                name => name.to_owned(),
            },
            ExprKind::Compound(id, init) => format!("compound {} {}", self.local(*id), self.init(init)),
            ExprKind::Deref(p) => format!("*{}", self.expr(p)),
            ExprKind::Member(base, index) => format!("{}.{}", self.expr(base), self.member(base.ty, *index)),
            ExprKind::Function(id) => self.program.functions[id.index()].name.clone(),
            ExprKind::Load(lvalue) => format!("${}", self.expr(lvalue)),
            ExprKind::Decay(array) => format!("decay({})", self.expr(array)),
            ExprKind::AddressOf(lvalue) => format!("&{}", self.expr(lvalue)),
            ExprKind::Unary(op, a) => {
                let op = match op {
                    UnaryOp::Neg => "-",
                    UnaryOp::BitNot => "~",
                    UnaryOp::Not => "!",
                };
                format!("{op}{}", self.expr(a))
            }
            ExprKind::Binary(op, a, b) => format!("({} {} {})", self.expr(a), operator(*op), self.expr(b)),
            ExprKind::PointerAdd(p, i) => format!("({} +p {})", self.expr(p), self.expr(i)),
            ExprKind::PointerDiff(p, q) => format!("({} -p {})", self.expr(p), self.expr(q)),
            ExprKind::And(a, b) => format!("({} && {})", self.expr(a), self.expr(b)),
            ExprKind::Or(a, b) => format!("({} || {})", self.expr(a), self.expr(b)),
            ExprKind::Conditional(c, Some(a), b) => {
                format!("({} ? {} : {})", self.expr(c), self.expr(a), self.expr(b))
            }
            ExprKind::Conditional(c, None, b) => format!("({} ?: {})", self.expr(c), self.expr(b)),
            ExprKind::Comma(a, b) => format!("({}, {})", self.expr(a), self.expr(b)),
            ExprKind::Cast(a) => format!("({})({})", type_name(types, expr.ty), self.expr(a)),
            ExprKind::Assign(a, b) => format!("{} = {}", self.expr(a), self.expr(b)),
            ExprKind::Update(update) => {
                let old = if update.old { "old " } else { "" };
                let ty = type_name(types, update.compute);
                let op = operator(update.op);
                format!("{old}{} {op}[{ty}]= {}", self.expr(&update.target), self.expr(&update.operand))
            }
            ExprKind::Call(callee, arguments) => format!("{}({})", self.expr(callee), self.list(arguments)),
            ExprKind::Builtin(builtin, operands) => format!("{builtin:?}({})", self.list(operands)),
            ExprKind::Block(stmts) => {
                let mut out = String::from("({\n");
                self.stmts(stmts, 2, &mut out);
                out.push_str("  })");
                out
            }
        }
    }

    fn member(&self, ty: TypeId, index: u32) -> String {
        let types = &self.program.types;
        match types.get(types.unqualified(ty)) {
            Type::Record(id) => {
                let fields = types.records[id.0 as usize].fields.iter().flatten();
                match fields.map(|f| f.name.as_str()).nth(index as usize) {
                    Some("") | None => index.to_string(),
                    Some(name) => name.to_owned(),
                }
            }
            _ => index.to_string(),
        }
    }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
    }
}
