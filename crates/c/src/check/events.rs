//! The additions of `dally.h`: attributes of functions, posts, and operations on interrupts.

use dally_text::source::Span;

use super::basic::Class;
use super::{Checked, Checker};
use crate::ast::{EventAttr, ExprId};
use crate::codes;
use crate::hir::{Builtin, Expr, ExprKind, Fires, FunctionId, Home, Interrupt, LineOp};
use crate::types::{Type, TypeId};

/// The highest level, and the highest number of a buffer.
const HIGHEST: i128 = u16::MAX as i128;

impl Checker<'_> {
    // Attributes.

    pub(super) fn event_attributes(&mut self, id: FunctionId, attrs: &[EventAttr]) {
        for attr in attrs {
            let _ = self.event_attribute(id, attr);
        }
    }

    fn event_attribute(&mut self, id: FunctionId, attr: &EventAttr) -> Checked<()> {
        match attr.name.as_str() {
            "dally_entry" => {
                let home = self.home(attr)?;
                self.without_parameters(id, attr.span, "an entry point")?;
                self.functions[id.index()].events.entry = Some(home);
            }
            "dally_interrupt" => self.interrupt(id, attr, Fires::WhileEnabled)?,
            "dally_raised" => self.interrupt(id, attr, Fires::WhenRaised)?,
            "dally_timer" => self.interrupt(id, attr, Fires::Timer)?,
            "dally_noyield" | "dally_nozield" => self.suppressed(id, attr)?,
            other => {
                let message = format!("dally has no attribute `{other}`");
                self.error(codes::BAD_EVENT, attr.span, message);
            }
        }
        Some(())
    }

    /// The arguments of an attribute: a buffer and a level.
    fn home(&mut self, attr: &EventAttr) -> Checked<Home> {
        let [buffer, level] = attr.args[..] else {
            let message = format!("`{}` takes a buffer and a level", attr.name);
            self.error(codes::BAD_EVENT, attr.span, message);
            return None;
        };
        Some(Home {
            buffer: self.small(buffer, "the number of a buffer")?,
            level: self.small(level, "a level")?,
        })
    }

    /// A constant that is a level or the number of a buffer.
    fn small(&mut self, e: ExprId, what: &str) -> Checked<u16> {
        let value = self.constant_int(e)?;
        if let Some(value) = (0..=HIGHEST).contains(&value).then_some(value as u16) {
            return Some(value);
        }
        let span = self.value(e)?.span;
        self.error(codes::BAD_EVENT, span, format!("{what} is a constant from 0 to {HIGHEST}, not {value}"));
        None
    }

    fn interrupt(&mut self, id: FunctionId, attr: &EventAttr, fires: Fires) -> Checked<()> {
        let home = self.home(attr)?;
        if home.level == 0 {
            let message = "the level of an interrupt is at least 1: tasks of level 0 are what it interrupts";
            self.error(codes::BAD_EVENT, attr.span, message);
            return None;
        }
        self.without_parameters(id, attr.span, "the handler of an interrupt")?;
        self.functions[id.index()].events.interrupt = Some(Interrupt { home, fires });
        Some(())
    }

    fn suppressed(&mut self, id: FunctionId, attr: &EventAttr) -> Checked<()> {
        let mut levels = Vec::new();
        for arg in &attr.args {
            levels.push(self.small(*arg, "a level")?);
        }
        let events = &mut self.functions[id.index()].events;
        let (whole, at) = match attr.name.as_str() {
            "dally_noyield" => (&mut events.no_yields, &mut events.no_yields_at),
            _ => (&mut events.no_zields, &mut events.no_zields_at),
        };
        *whole |= levels.is_empty();
        at.extend(levels);
        Some(())
    }

    fn without_parameters(&mut self, id: FunctionId, span: Span, what: &str) -> Checked<()> {
        match self.types.get(self.signatures[id.index()]) {
            Type::Function(function) if function.params.is_empty() => Some(()),
            _ => {
                let message = format!("{what} has no parameters");
                self.error(codes::BAD_EVENT, span, message);
                None
            }
        }
    }

    // Operations.

    /// The operations of `dally.h`, by their names without the prefix `__dally_`.
    pub(super) fn event_call(&mut self, name: &str, args: &[ExprId], span: Span) -> Option<Checked<Expr>> {
        let (void, int) = (self.basic.void, self.basic.int);
        let line = |op| Some(Builtin::Line(op));
        let simple = match name {
            "zield" => Some(Builtin::Zield),
            "seal" => Some(Builtin::Seal),
            "unseal" => Some(Builtin::Unseal),
            "interrupts_off" => Some(Builtin::Mask(true)),
            "interrupts_on" => Some(Builtin::Mask(false)),
            _ => None,
        };
        if let Some(builtin) = simple {
            return Some(self.simple(builtin, args, &[], void, span));
        }
        let (builtin, ty) = match name {
            "post" => return Some(self.post_call(args, span)),
            "enable" => (line(LineOp::Enable), void),
            "disable" => (line(LineOp::Disable), void),
            "raise" => (line(LineOp::Raise), void),
            "clear" => (line(LineOp::Clear), int),
            "is_raised" => (line(LineOp::IsRaised), int),
            _ => return None,
        };
        Some(builtin.and_then(|builtin| self.line_call(builtin, args, ty, span)))
    }

    /// `__dally_post(level, buffer, f, argument)`, where -1 stands for the level or buffer of the poster.
    fn post_call(&mut self, args: &[ExprId], span: Span) -> Checked<Expr> {
        self.count(args, 4, span)?;
        let level = self.level_or_own(args[0], "a level")?;
        let buffer = self.level_or_own(args[1], "the number of a buffer")?;
        let function = self.value(args[2])?;
        let params = match self.class(function.ty) {
            Class::Pointer(target) => match self.types.get(self.types.unqualified(target)) {
                Type::Function(signature) => Some(signature.params.clone()),
                _ => None,
            },
            _ => None,
        };
        let is_scalar =
            |c: &Self, ty: TypeId| c.class(ty).is_integer() || matches!(c.class(ty), Class::Pointer(_));
        let argument = self.value(args[3])?;
        let argument = match params.as_deref() {
            Some([]) => argument,
            Some([param]) if is_scalar(self, *param) => {
                self.assignable(argument, *param, "the argument of the task")?
            }
            _ => {
                let message = format!(
                    "a task calls a function with at most one parameter, an integer or a pointer; this is `{}`",
                    self.describe(function.ty)
                );
                self.error(codes::BAD_EVENT, function.span, message);
                return None;
            }
        };
        if !is_scalar(self, argument.ty) {
            let message = "the argument of a task is an integer or a pointer";
            self.error(codes::BAD_EVENT, argument.span, message);
            return None;
        }
        let kind = ExprKind::Builtin(Builtin::Post(level, buffer), vec![function, argument]);
        Some(Expr { kind, ty: self.basic.void, span })
    }

    fn level_or_own(&mut self, e: ExprId, what: &str) -> Checked<Option<u16>> {
        match self.constant_int(e)? {
            -1 => Some(None),
            _ => self.small(e, what).map(Some),
        }
    }

    fn line_call(&mut self, builtin: Builtin, args: &[ExprId], ty: TypeId, span: Span) -> Checked<Expr> {
        self.count(args, 1, span)?;
        let handler = self.value(args[0])?;
        let ExprKind::Function(id) = handler.kind else {
            self.error(codes::BAD_EVENT, handler.span, "the name of the handler of an interrupt is expected");
            return None;
        };
        self.handlers.push((id, handler.span));
        Some(Expr { kind: ExprKind::Builtin(builtin, vec![handler]), ty, span })
    }

    /// Reports operations on functions that handle no interrupt.
    pub(super) fn check_handlers(&mut self) {
        for (id, span) in std::mem::take(&mut self.handlers) {
            let function = &self.functions[id.index()];
            if function.events.interrupt.is_none() {
                let name = &function.name;
                let message = format!(
                    "`{name}` handles no interrupt: it is declared without `DALLY_INTERRUPT`, `DALLY_RAISED_INTERRUPT` and \
                     `DALLY_TIMER`"
                );
                self.error(codes::BAD_EVENT, span, message);
            }
        }
    }
}
