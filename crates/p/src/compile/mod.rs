//! From the syntax tree to instructions, for one test: its machines, its monitors, and the functions
//! reachable from them. The parameters of the program are constants here.

mod expr;
mod stmt;

use dally_step::collection::Tree;
use dally_text::source::Span;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use crate::Program;
use crate::ast::{Ast, ExprId, ExprKind, FunId, Literal, MachineKind, StmtKind, Temperature};
use crate::check::info::{EventSet, FunInfo, Handler, Reaction, TestInfo, Use};
use crate::check::types::{Kind as TypeKind, Permission, Ty, Types};
use crate::code::{Action, Code, EventCode, Foreign, Function, Kind, MachineCode, Op, Shape, State};
use crate::value::{Data, Heap, UNNAMED, Value};

/// The foreign functions without parameters and result that forbid delays, and allow them again.
fn seal(name: &str) -> Option<bool> {
    match name {
        "DallySeal" => Some(true),
        "DallyUnseal" => Some(false),
        _ => None,
    }
}

/// Compiles a test.
pub(crate) fn compile(program: &Program, test: &TestInfo) -> (Code, Heap) {
    let mut compiler = Compiler {
        program,
        test,
        heap: Heap::default(),
        code: Code::default(),
        functions: FxHashMap::default(),
        todo: Vec::new(),
        machines: FxHashMap::default(),
        constants: FxHashMap::default(),
        defaults: FxHashMap::default(),
        shapes: FxHashMap::default(),
        name_lists: FxHashMap::default(),
        any_payload: emits_by_value(program),
        calls: callers(&program.ast),
        span: Span::NONE,
        is_top: false,
        loops: Vec::new(),
        locals: 0,
    };
    compiler.names([].into_iter());
    compiler.events();
    compiler.kinds();
    while let Some((fun, number)) = compiler.todo.pop() {
        compiler.function(fun, number);
    }
    compiler.heap.views = compiler.code.views.len() > 1;
    compiler.code.find_dead_variables();
    (compiler.code, compiler.heap)
}

/// Returns true if the program sends, raises or announces an event that is not given by name.
fn emits_by_value(program: &Program) -> bool {
    program.ast.stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Send(_, event, _) | StmtKind::Raise(event, _) | StmtKind::Announce(event, _) => {
            !matches!(program.info.use_of(*event), Use::Event(_))
        }
        _ => false,
    })
}

/// By expression: true if it calls a function.
fn callers(ast: &Ast) -> Vec<bool> {
    let mut calls: Vec<bool> = Vec::with_capacity(ast.exprs.len());
    for expr in &ast.exprs {
        // Subexpressions have lower ids.
        let call = |part: &ExprId| calls.get(part.index()).copied().unwrap_or(true);
        calls.push(match &expr.kind {
            ExprKind::Call(..) => true,
            ExprKind::Str(_, parts) | ExprKind::Tuple(parts) | ExprKind::New(_, parts) => {
                parts.iter().any(call)
            }
            ExprKind::Named(parts) => parts.iter().any(|(_, part)| call(part)),
            ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => call(a) || call(b),
            ExprKind::Field(part, _)
            | ExprKind::Item(part, _)
            | ExprKind::Unary(_, part)
            | ExprKind::Cast(part, _)
            | ExprKind::Coerce(part, _)
            | ExprKind::Choose(Some(part)) => call(part),
            _ => false,
        });
    }
    calls
}

/// Jumps out of a loop, or out of a case of a `receive`; their targets are set at its end.
struct Loop {
    /// The target of `continue`; a case has none.
    again: Option<u32>,
    breaks: Vec<usize>,
}

struct Compiler<'a> {
    program: &'a Program,
    test: &'a TestInfo,
    heap: Heap,
    code: Code,
    functions: FxHashMap<FunId, u32>,
    /// Functions that have a number, but no instructions yet.
    todo: Vec<(FunId, u32)>,
    machines: FxHashMap<u32, u32>,
    constants: FxHashMap<(u8, u64), u32>,
    defaults: FxHashMap<Ty, Value>,
    shapes: FxHashMap<Ty, u32>,
    name_lists: FxHashMap<Vec<Sym>, u32>,
    /// True if the payload of an event may be of a wrong type at run time.
    any_payload: bool,
    /// By expression: true if it calls a function.
    calls: Vec<bool>,
    /// The statement that is being compiled.
    span: Span,
    /// True at a statement of a function's body that is not part of another.
    is_top: bool,
    loops: Vec<Loop>,
    /// The number of variables of the function so far.
    locals: u32,
}

impl Compiler<'_> {
    // Tables.

    fn events(&mut self) {
        for event in &self.program.info.events {
            let name = self.program.ast.text(event.name).to_owned();
            let decl = self.program.ast.events.iter().find(|decl| decl.name.sym == event.name);
            let span = decl.map_or(Span::NONE, |decl| decl.name.span);
            let default = self.default_value(event.payload);
            let shape = self.shape(event.payload);
            self.code.events.push(EventCode { name, span, payload: event.payload, default });
            self.code.event_shapes.push(shape);
        }
    }

    /// The number of this list of names.
    fn names(&mut self, names: impl Iterator<Item = Sym>) -> u32 {
        let list: Vec<Sym> = names.collect();
        let program = self.program;
        *self.name_lists.entry(list).or_insert_with_key(|list| {
            self.code.names.push(list.iter().map(|name| program.ast.text(*name).to_owned()).collect());
            self.code.names.len() as u32 - 1
        })
    }

    /// The view that allows these events.
    fn view(&mut self, events: &EventSet) -> u32 {
        let views = &mut self.code.views;
        let found = views.iter().position(|v| v == events);
        found.unwrap_or_else(|| {
            views.push(events.clone());
            views.len() - 1
        }) as u32
    }

    fn kinds(&mut self) {
        let info = &self.program.info;
        let linked = &self.test.linked;
        let events = info.events.len();
        let kind_of = |interface: u32| linked.bound.iter().position(|b| b.interface == interface);
        for monitor in &linked.monitors {
            let covers = info.machines[monitor.machine as usize].kind == MachineKind::Scenario;
            let machine = self.machine(monitor.machine);
            if !covers && self.code.machines[machine as usize].states.iter().any(|state| state.hot) {
                self.code.liveness.push(self.code.monitors.len() as u32);
            }
            self.code.monitors.push((machine, covers));
        }
        for bound in &linked.bound {
            let machine = &info.machines[bound.machine as usize];
            let mut links = vec![u32::MAX; info.interfaces.len()];
            for link in &bound.links {
                links[link.named as usize] = kind_of(link.created).map_or(u32::MAX, |k| k as u32);
            }
            let mut monitors = vec![Vec::new(); events];
            for (number, monitor) in (0..).zip(&linked.monitors) {
                if monitor.observed.contains(&bound.interface) {
                    for event in info.machines[monitor.machine as usize].observes.iter() {
                        monitors[event as usize].push(number);
                    }
                }
            }
            let view = self.view(&info.interfaces[bound.interface as usize].receives);
            let own_view = self.view(&machine.receives);
            let sends = machine.sends.clone();
            let machine = self.machine(bound.machine);
            self.code.kinds.push(Kind { machine, view, own_view, sends, links, monitors });
        }
        let main = linked.bound.iter().position(|b| b.machine == self.test.main);
        self.code.main = main.unwrap_or(0) as u32;
    }

    /// The number of a machine.
    fn machine(&mut self, index: u32) -> u32 {
        if let Some(number) = self.machines.get(&index) {
            return *number;
        }
        let info = &self.program.info.machines[index as usize];
        let text = |sym| self.program.ast.text(sym).to_owned();
        let fields = info.fields.iter().map(|f| self.default_value(f.ty)).collect();
        let variables = info.fields.iter().map(|f| (text(f.name), f.ty)).collect();
        let states = info.states.iter().map(|state| {
            let mut actions = vec![Action::Unhandled; self.program.info.events.len()];
            for Reaction { event, handler, .. } in &state.handlers {
                actions[*event as usize] = match handler {
                    Handler::Defer => Action::Defer,
                    Handler::Ignore => Action::Ignore,
                    Handler::Do(fun) => Action::Do(self.function_number(*fun)),
                    Handler::Goto(target, fun) => Action::Goto(*target, fun.map(|f| self.function_number(f))),
                };
            }
            State {
                name: self.program.ast.text(state.name).to_owned(),
                span: state.span,
                hot: state.temperature == Temperature::Hot,
                cold: state.temperature == Temperature::Cold,
                entry: state.entry.map(|f| self.function_number(f)),
                exit: state.exit.map(|f| self.function_number(f)),
                actions,
                handlers: state.handlers.iter().map(|reaction| (reaction.event, reaction.span)).collect(),
            }
        });
        let states = states.collect();
        let number = self.code.machines.len() as u32;
        self.code.machines.push(MachineCode {
            name: self.program.ast.text(info.name).to_owned(),
            states,
            start: info.start.unwrap_or(0),
            fields,
            variables,
        });
        self.machines.insert(index, number);
        number
    }

    /// The number of a function. It may be compiled later.
    fn function_number(&mut self, fun: FunId) -> u32 {
        let fun = self.program.info.stubs.get(&fun).copied().unwrap_or(fun);
        if let Some(number) = self.functions.get(&fun) {
            return *number;
        }
        let number = self.code.functions.len() as u32;
        let (decl, info) = (&self.program.ast.funs[fun.index()], &self.program.info.funs[fun.index()]);
        let name = decl.name.map_or(String::new(), |n| self.program.ast.text(n.sym).to_owned());
        let text = |sym| self.program.ast.text(sym).to_owned();
        let variables: Vec<_> = info.slots.iter().map(|s| (text(s.name), s.ty)).collect();
        let params = info.params.len() as u32;
        self.code.functions.push(Function {
            name,
            entry: 0,
            end: 0,
            params,
            defaults: Vec::new(),
            variables,
        });
        self.functions.insert(fun, number);
        self.todo.push((fun, number));
        number
    }

    fn function(&mut self, fun: FunId, number: u32) {
        let (decl, info) = (&self.program.ast.funs[fun.index()], &self.program.info.funs[fun.index()]);
        let entry = self.here();
        self.span = decl.span;
        self.locals = info.slots.len() as u32;
        let body = decl.body.as_ref().filter(|_| !self.program.info.verifier_only.contains(&fun));
        match body {
            None => self.foreign(fun, number),
            Some(body) => {
                if let [param] = info.params.as_slice() {
                    self.takes(param.slot, param.ty);
                }
                for stmt in &body.stmts {
                    self.is_top = true;
                    self.stmt(*stmt);
                }
                // Generated code has no span.
                self.span = Span::NONE;
                self.constant(Value::Null);
                self.emit(Op::Return);
            }
        }
        let types = info.slots.iter().skip(info.params.len()).map(|s| s.ty);
        let mut defaults: Vec<Value> = types.map(|ty| self.default_value(ty)).collect();
        // Variables introduced by the compiler follow those of the program.
        defaults.resize((self.locals - info.params.len() as u32) as usize, Value::Null);
        let end = self.here();
        let function = &mut self.code.functions[number as usize];
        (function.entry, function.end, function.defaults) = (entry, end, defaults);
    }

    /// The body of a foreign function without a stub. A test that never calls it can be explored.
    fn foreign(&mut self, fun: FunId, number: u32) {
        let Program { ast, info, .. } = self.program;
        let FunInfo { params, ret, .. } = &info.funs[fun.index()];
        if let Some(seals) = seal(&self.code.functions[number as usize].name)
            && params.is_empty()
            && *ret == Types::NULL
        {
            self.code.has_seals = true;
            self.emit(Op::Seal(seals));
            self.constant(Value::Null);
            self.emit(Op::Return);
            return;
        }
        let signature = info.signature(ast, fun);
        let mut types = Vec::new();
        params.iter().map(|p| p.ty).chain([*ret]).for_each(|ty| info.types.foreign_in(ty, &mut types));
        let types: String = types.iter().map(|name| format!("type {} = any; ", ast.text(*name))).collect();
        let body = match ret {
            &Types::NULL => "{ }".to_owned(),
            ret => format!("{{ return default({}); }}", info.types.show(*ret, &ast.symbols)),
        };
        let name = self.code.functions[number as usize].name.clone();
        self.cannot_execute(Foreign::Function { name, stub: format!("{types}{signature} {body}") });
    }

    /// Emits an instruction that cannot be executed.
    fn cannot_execute(&mut self, foreign: Foreign) {
        self.emit(Op::Foreign(self.code.foreign.len() as u32));
        self.code.foreign.push(foreign);
    }

    /// Emits a check of the payload in a variable, unless the type checker has ruled out a mismatch.
    fn takes(&mut self, slot: u32, ty: Ty) {
        let shape = self.shape(ty);
        if self.any_payload && self.code.shapes[shape as usize].0 != Shape::Any {
            self.emit(Op::Takes(slot, shape));
        }
    }

    // Emitting.

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    fn emit(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.spans.push(self.span);
        self.code.ops.len() - 1
    }

    /// Emits an instruction that belongs to no statement.
    fn emit_silently(&mut self, op: Op) -> usize {
        let jump = self.emit(op);
        self.code.spans[jump] = Span::NONE;
        jump
    }

    /// Sets the target of a jump to the next instruction.
    fn land(&mut self, jump: usize) {
        let here = self.here();
        match &mut self.code.ops[jump] {
            Op::Jump(target) | Op::JumpIfNot(target) | Op::JumpIf(_, target) | Op::Foreach(_, target) => {
                *target = here;
            }
            _ => {}
        }
    }

    fn constant(&mut self, value: Value) {
        let key = match value {
            Value::Null => (0, 0),
            Value::Bool(b) => (1, u64::from(b)),
            Value::Int(n) => (2, n as u64),
            Value::Float(bits) => (3, bits),
            Value::Str(id) => (4, u64::from(id)),
            Value::Event(event) => (5, u64::from(event)),
            Value::Machine { id, view } => (6, u64::from(id) << 32 | u64::from(view)),
            Value::Data(id) => (7, u64::from(id)),
        };
        let constants = &mut self.code.constants;
        let number = *self.constants.entry(key).or_insert_with(|| {
            constants.push(value);
            constants.len() as u32 - 1
        });
        self.emit(Op::Const(number));
    }

    /// The initial value of variables of this type.
    fn default_value(&mut self, ty: Ty) -> Value {
        if let Some(value) = self.defaults.get(&ty) {
            return *value;
        }
        let value = match self.program.info.types.kind(ty).clone() {
            TypeKind::Bool => Value::Bool(false),
            TypeKind::Int => Value::Int(0),
            TypeKind::Float => Value::float(0.0),
            TypeKind::Str => self.heap.string(""),
            TypeKind::Enum(e) => Value::Int(self.program.info.enums[e as usize].least),
            TypeKind::Seq(_) => self.heap.intern(Data::Seq(Tree::default())),
            TypeKind::Set(_) => self.heap.intern(Data::Set(Tree::default())),
            TypeKind::Map(..) => self.heap.intern(Data::Map(Tree::default())),
            TypeKind::Tuple(fields) => {
                let fields: Vec<Value> = fields.iter().map(|t| self.nested_default(*t)).collect();
                self.heap.tuple(UNNAMED, &fields)
            }
            TypeKind::Named(fields) => {
                let names = self.names(fields.iter().map(|(name, _)| *name));
                let fields: Vec<Value> = fields.iter().map(|f| self.nested_default(f.1)).collect();
                self.heap.tuple(names, &fields)
            }
            _ => Value::Null,
        };
        self.defaults.insert(ty, value);
        value
    }

    fn nested_default(&mut self, ty: Ty) -> Value {
        dally_text::stack::grow(|| self.default_value(ty))
    }

    fn param(&self, param: u32) -> Option<Value> {
        self.test.params.iter().find(|p| p.param == param).map(|p| match p.value {
            Literal::Int(n) => Value::Int(n),
            Literal::Bool(b) => Value::Bool(b),
        })
    }

    /// The view of a type that names an interface or a set of events.
    fn view_of(&mut self, ty: Ty) -> Option<u32> {
        let TypeKind::Permission(permission, _) = self.program.info.types.kind(ty) else { return None };
        let permission: Permission = *permission;
        let types: &Types = &self.program.info.types;
        let events = types.allowed(permission)?.clone();
        Some(self.view(&events))
    }
}
