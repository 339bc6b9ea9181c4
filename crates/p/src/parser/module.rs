//! Modules, tests and implementations.

use super::Parser;
use crate::ast::{
    Binding, Literal, ModuleDecl, ModuleExpr, ModuleKind, ParamDomain, ParamValue, TestDecl, Wise,
};
use crate::lexer::{K, T};
use dally_text::parse::{Parse, Parsed};

impl Parser<'_> {
    pub(super) fn module_decl(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name()?;
        self.expect("=")?;
        let body = self.module()?;
        self.expect(";")?;
        self.ast.modules.push(ModuleDecl { name, body });
        Ok(())
    }

    fn module(&mut self) -> Parsed<ModuleExpr> {
        self.deeper(Self::module_here)
    }

    fn module_here(&mut self) -> Parsed<ModuleExpr> {
        let start = self.span();
        let kind = match self.peek() {
            T::Op("(") => {
                self.bump();
                let inner = self.module()?;
                self.expect(")")?;
                return Ok(inner);
            }
            T::Op("{") => {
                self.bump();
                let bindings = self.list(|p| {
                    let machine = p.name()?;
                    let interface = if p.eat("->") { Some(p.name()?) } else { None };
                    Ok(Binding { machine, interface })
                })?;
                self.expect("}")?;
                ModuleKind::Bind(bindings)
            }
            T::Ident => ModuleKind::Name(self.any_name()),
            T::Key(key @ (K::Compose | K::Union)) => {
                self.bump();
                let parts = self.list(Self::module)?;
                if parts.len() < 2 {
                    return Err(self.unexpected("`,` and another module"));
                }
                ModuleKind::Join { compose: key == K::Compose, parts }
            }
            T::Key(K::Hidee) => {
                self.bump();
                let events = self.list(Self::event_name)?;
                ModuleKind::HideEvents(events, self.in_module()?)
            }
            T::Key(key @ (K::Hidei | K::Assert)) => {
                self.bump();
                let names = self.list(Self::name)?;
                let inner = self.in_module()?;
                if key == K::Assert {
                    ModuleKind::Assert(names, inner)
                } else {
                    ModuleKind::HideInterfaces(names, inner)
                }
            }
            T::Key(K::Rename) => {
                self.bump();
                let old = self.name()?;
                self.expect(K::To)?;
                let new = self.name()?;
                ModuleKind::Rename(old, new, self.in_module()?)
            }
            T::Key(K::Main) => {
                self.bump();
                self.name()?;
                ModuleKind::Main(self.in_module()?)
            }
            _ => return Err(self.unexpected("a module")),
        };
        Ok(ModuleExpr { kind, span: self.since(start) })
    }

    fn in_module(&mut self) -> Parsed<Box<ModuleExpr>> {
        self.expect(K::In)?;
        Ok(Box::new(self.module()?))
    }

    pub(super) fn test(&mut self) -> Parsed<()> {
        self.bump();
        let params = if self.eat(K::Param) { self.test_params()? } else { Vec::new() };
        let assume = if self.eat(K::Assume) { Some(self.expr()?) } else { None };
        let wise = self.wise()?;
        let name = self.name()?;
        let main = Some(self.main_clause()?);
        self.expect(":")?;
        let body = self.module()?;
        let refines = if self.eat(K::Refines) { Some(self.module()?) } else { None };
        self.expect(";")?;
        self.ast.tests.push(TestDecl { name, main, body, refines, params, assume, wise });
        Ok(())
    }

    fn test_params(&mut self) -> Parsed<Vec<ParamDomain>> {
        self.expect("(")?;
        let params = self.list(|p| {
            let name = p.name()?;
            p.expect(K::In)?;
            p.expect("[")?;
            let values = p.list(Self::param_value)?;
            p.expect("]")?;
            Ok(ParamDomain { name, values })
        })?;
        self.expect(")")?;
        Ok(params)
    }

    fn param_value(&mut self) -> Parsed<ParamValue> {
        let start = self.span();
        let value = match self.peek() {
            T::Key(key @ (K::True | K::False)) => {
                self.bump();
                Literal::Bool(key == K::True)
            }
            T::Op("-") => {
                self.bump();
                Literal::Int(-self.number()?)
            }
            _ => Literal::Int(self.number()?),
        };
        Ok(ParamValue { value, span: self.since(start) })
    }

    fn wise(&mut self) -> Parsed<Option<Wise>> {
        let start = self.span();
        if self.eat(K::Pairwise) {
            return Ok(Some(Wise { n: 2, span: start }));
        }
        if !self.eat("(") {
            return Ok(None);
        }
        let n = self.number()?;
        self.expect(K::Wise)?;
        self.expect(")")?;
        Ok(Some(Wise { n, span: self.since(start) }))
    }

    pub(super) fn implementation(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name()?;
        let main = if self.is("[") { Some(self.main_clause()?) } else { None };
        self.expect(":")?;
        let body = self.module()?;
        self.expect(";")?;
        self.ast.tests.push(TestDecl {
            name,
            main,
            body,
            refines: None,
            params: Vec::new(),
            assume: None,
            wise: None,
        });
        Ok(())
    }
}
