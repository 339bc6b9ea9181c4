//! Functions: with a body, built in, or a constructor.

use dally_bpl::ast::{Attr, AttrArg, DeclKind, ExprId, Function};
use dally_bpl::check::{FunctionId, TyKind};
use dally_text::source::Span;

use super::{Compiler, Meaning, Todo};
use crate::code::{BvOp, Op, WideOp};
use crate::wide;

impl Compiler<'_> {
    /// The number of a constructor.
    pub(super) fn constructor(&mut self, function: FunctionId) -> u32 {
        let names = &mut self.code.constructors;
        // Functions are numbered without gaps. So are the names, of which only those of constructors are
        // used.
        while names.len() <= function.index() {
            names.push(self.info.functions[names.len()].name);
        }
        function.index() as u32
    }

    fn declaration(&self, function: FunctionId) -> Option<&'_ Function> {
        match &self.ast.decls[self.info[function].decl].kind {
            DeclKind::Function(f) => Some(f),
            _ => None,
        }
    }

    /// Returns true if a function has a body.
    pub(super) fn has_body(&self, function: FunctionId) -> bool {
        self.declaration(function).is_some_and(|f| f.body.is_some())
    }

    /// Applies a function to arguments.
    pub(super) fn apply(&mut self, e: ExprId, function: FunctionId, args: &[ExprId]) {
        let span = self.ast.exprs.span(e);
        for arg in args {
            self.expr(*arg);
        }
        let count = args.len().min(255) as u8;
        if args.len() > 255 {
            return self.unsupported(span, "more than 255 arguments");
        }
        if self.info[function].constructs.is_some() {
            let constructor = self.constructor(function);
            self.emit(Op::Construct(constructor, count));
            return;
        }
        if let Some(built_in) = self.built_in(function) {
            match built_in {
                Some(op) => {
                    self.emit(op);
                }
                None => {
                    let name = self.text(self.info[function].name);
                    self.unsupported(span, format!("the built-in function `{name}` cannot be evaluated"));
                    self.depth = self.depth + 1 - u32::from(count);
                }
            }
            return;
        }
        if !self.has_body(function) && !self.is_given(function) {
            let name = self.text(self.info[function].name);
            self.unsupported(span, format!("the function `{name}` has no definition"));
            self.depth = self.depth + 1 - u32::from(count);
            return;
        }
        let call = self.emit(Op::Apply(0, count));
        self.unlinked.push((call, function));
        self.functions.entry(function).or_insert_with(|| {
            self.todo.push(Todo::Function(function));
            u32::MAX
        });
    }

    /// Compiles the body of a function.
    pub(super) fn function(&mut self, function: FunctionId) {
        self.functions.insert(function, self.here());
        // A function belongs to the statement that applies it.
        self.span = Span::NONE;
        let Some(body) = self.declaration(function).and_then(|f| f.body) else {
            self.depth = self.info[function].params.len() as u32;
            self.given_function(function);
            self.emit(Op::Result);
            return;
        };
        let params = self.info.function_vars(function);
        for (i, var) in params.iter().enumerate() {
            if let Some(var) = var {
                self.meanings.insert(*var, Meaning::Stack(i as u32));
            }
        }
        self.depth = params.len() as u32;
        self.expr(body);
        self.emit(Op::Result);
    }

    /// Fills in the addresses of functions.
    pub(super) fn link_functions(&mut self) {
        for (call, function) in std::mem::take(&mut self.unlinked) {
            if let Op::Apply(address, _) = &mut self.code.ops[call as usize] {
                *address = self.functions[&function];
            }
        }
    }

    /// The instruction for a function with `:bvbuiltin` or `:builtin`; `Some(None)` if the name is unknown.
    fn built_in(&self, function: FunctionId) -> Option<Option<Op>> {
        let decl = &self.ast.decls[self.info[function].decl];
        let attr =
            self.ast.attr(&decl.attrs, "bvbuiltin").or_else(|| self.ast.attr(&decl.attrs, "builtin"))?;
        let Attr { args, .. } = attr;
        let [AttrArg::Str(name)] = args[..] else { return Some(None) };
        let info = &self.info[function];
        let width = |ty| match self.info.types.kind(ty) {
            TyKind::Bv(w) if *w <= wide::MAX_WIDTH => Some(*w),
            _ => None,
        };
        let name = self.text(name);
        if name == "MapConst" {
            return Some(Some(Op::ConstantMap));
        }
        let result = width(info.result);
        let words: Vec<&str> = name.split(|c: char| c.is_whitespace() || "()_".contains(c)).collect();
        let words: Vec<&str> = words.into_iter().filter(|w| !w.is_empty()).collect();
        if let (["int2bv", _], Some(width @ ..=64)) = (&words[..], result) {
            return Some(Some(Op::IntToBv(width as u8)));
        }
        let Some(first) = info.params.first().and_then(|ty| width(*ty)) else { return Some(None) };
        if matches!(words[..], ["bv2nat"]) && first <= 64 {
            return Some(Some(Op::BvToInt));
        }
        let op = match (&words[..], result) {
            (["zero", "extend", _], Some(result)) => Some(WideOp::ZeroExtend(result)),
            (["sign", "extend", _], Some(result)) => Some(WideOp::SignExtend(first, result)),
            (["concat"], Some(_)) => info.params.get(1).and_then(|ty| width(*ty)).map(WideOp::Concat),
            ([word], _) => bv_op(word).map(|op| WideOp::Bv(op, first)),
            _ => None,
        };
        let narrow = first.max(result.unwrap_or(0)) <= 64;
        Some(op.map(|op| if narrow { of_words(op) } else { Op::Wide(op) }))
    }
}

/// The instruction for the operation on bitvectors of up to 64 bits.
fn of_words(op: WideOp) -> Op {
    match op {
        WideOp::Bv(op, width) => Op::Bv(op, width as u8),
        WideOp::Extract(high, low) => Op::Extract(high as u8, low as u8),
        WideOp::Concat(right) => Op::Concat(right as u8),
        WideOp::ZeroExtend(_) => Op::ZeroExtend,
        WideOp::SignExtend(from, to) => Op::SignExtend(from as u8, to as u8),
    }
}

fn bv_op(name: &str) -> Option<BvOp> {
    Some(match name {
        "bvadd" => BvOp::Add,
        "bvsub" => BvOp::Sub,
        "bvmul" => BvOp::Mul,
        "bvudiv" => BvOp::Udiv,
        "bvurem" => BvOp::Urem,
        "bvsdiv" => BvOp::Sdiv,
        "bvsrem" => BvOp::Srem,
        "bvsmod" => BvOp::Smod,
        "bvand" => BvOp::And,
        "bvor" => BvOp::Or,
        "bvxor" => BvOp::Xor,
        "bvnand" => BvOp::Nand,
        "bvnor" => BvOp::Nor,
        "bvxnor" => BvOp::Xnor,
        "bvcomp" => BvOp::Comp,
        "bvnot" => BvOp::Not,
        "bvneg" => BvOp::Neg,
        "bvshl" => BvOp::Shl,
        "bvlshr" => BvOp::Lshr,
        "bvashr" => BvOp::Ashr,
        "bvult" => BvOp::Ult,
        "bvule" => BvOp::Ule,
        "bvugt" => BvOp::Ugt,
        "bvuge" => BvOp::Uge,
        "bvslt" => BvOp::Slt,
        "bvsle" => BvOp::Sle,
        "bvsgt" => BvOp::Sgt,
        "bvsge" => BvOp::Sge,
        _ => return None,
    })
}
