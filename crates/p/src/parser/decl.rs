//! Declarations.

use super::Parser;
use crate::ast::{
    Action, Element, Entry, Enum, EventDecl, EventSetDecl, Fun, FunId, InterfaceDecl, Item, ItemKind,
    Machine, MachineKind, Name, State, Temperature, TypeDef,
};
use crate::lexer::{K, T};
use dally_text::parse::{Parse, Parsed};

/// The keywords that begin declarations.
const STARTS: [K; 22] = [
    K::Type,
    K::Enum,
    K::Event,
    K::EventSet,
    K::Interface,
    K::Machine,
    K::Spec,
    K::Scenario,
    K::Fun,
    K::Pure,
    K::Module,
    K::Test,
    K::Implementation,
    K::Param,
    K::Invariant,
    K::Lemma,
    K::Theorem,
    K::Axiom,
    K::Init,
    K::Proof,
    K::Paramtest,
    K::Safe,
];

impl Parser<'_> {
    pub(super) fn program(&mut self) {
        while self.peek() != T::Eof && !self.cursor.is_full() {
            if self.decl().is_err() {
                self.recover(&STARTS.map(T::Key));
                // An unbalanced closing brace.
                while self.is("}") {
                    self.bump();
                }
            }
        }
    }

    fn decl(&mut self) -> Parsed<()> {
        let T::Key(key) = self.peek() else { return Err(self.unexpected("a declaration")) };
        match key {
            K::Type => self.typedef(),
            K::Enum => self.enumeration(),
            K::Event => self.event(),
            K::EventSet => self.event_set(),
            K::Interface => self.interface(),
            K::Machine => self.machine(MachineKind::Machine),
            K::Spec => self.machine(MachineKind::Spec),
            K::Scenario => self.machine(MachineKind::Scenario),
            K::Fun => {
                let fun = self.fun()?;
                self.ast.globals.push(fun);
                Ok(())
            }
            K::Module => self.module_decl(),
            K::Test => self.test(),
            K::Implementation => self.implementation(),
            K::Param => {
                self.bump();
                let decl = self.typed_names()?;
                self.expect(";")?;
                self.ast.params.push(decl);
                Ok(())
            }
            K::Invariant | K::Lemma | K::Theorem | K::Axiom | K::Init | K::Proof | K::Pure => {
                self.verifier_decl(key)
            }
            _ => Err(self.unexpected("a declaration")),
        }
    }

    fn typedef(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name()?;
        let body = if self.eat("=") { Some(self.ty()?) } else { None };
        self.expect(";")?;
        self.ast.typedefs.push(TypeDef { name, body });
        Ok(())
    }

    fn enumeration(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name()?;
        self.expect("{")?;
        let mut next = 0;
        let mut numbered = None;
        let elements = self.list(|p| {
            let name = p.name()?;
            let numbers = *numbered.get_or_insert_with(|| p.is("="));
            if numbers {
                p.expect("=")?;
                next = p.number()?;
            }
            next += 1;
            Ok(Element { name, value: next - 1 })
        })?;
        self.expect("}")?;
        self.ast.enums.push(Enum { name, elements });
        Ok(())
    }

    fn event(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name()?;
        let payload = if self.eat(":") { Some(self.ty()?) } else { None };
        self.expect(";")?;
        self.ast.events.push(EventDecl { name, payload });
        Ok(())
    }

    fn event_set(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name()?;
        self.expect("=")?;
        self.expect("{")?;
        let events = self.list(Self::event_name)?;
        self.expect("}")?;
        self.expect(";")?;
        self.ast.event_sets.push(EventSetDecl { name, events });
        Ok(())
    }

    fn interface(&mut self) -> Parsed<()> {
        self.bump();
        let name = self.name()?;
        self.expect("(")?;
        let payload = if self.is(")") { None } else { Some(self.ty()?) };
        self.expect(")")?;
        self.expect(K::Receives)?;
        let receives = if self.is(";") { Vec::new() } else { self.list(Self::event_name)? };
        self.expect(";")?;
        self.ast.interfaces.push(InterfaceDecl { name, payload, receives });
        Ok(())
    }

    fn machine(&mut self, kind: MachineKind) -> Parsed<()> {
        self.bump();
        let name = self.name()?;
        let mut observes = Vec::new();
        let (mut receives, mut sends) = (None, None);
        if kind == MachineKind::Machine {
            while let T::Key(key @ (K::Receives | K::Sends)) = self.peek() {
                self.bump();
                let events = if self.is(";") { Vec::new() } else { self.list(Self::event_name)? };
                self.expect(";")?;
                let set: &mut Option<Vec<Name>> = if key == K::Receives { &mut receives } else { &mut sends };
                set.get_or_insert_default().extend(events);
            }
        } else {
            self.expect(K::Observes)?;
            observes = self.list(Self::event_name)?;
        }
        self.expect("{")?;
        let entries = self.entries();
        self.expect("}")?;
        self.ast.machines.push(Machine { name, kind, receives, sends, observes, entries });
        Ok(())
    }

    fn entries(&mut self) -> Vec<Entry> {
        const STARTS: [T; 6] = [
            T::Key(K::Var),
            T::Key(K::Fun),
            T::Key(K::State),
            T::Key(K::Start),
            T::Key(K::Hot),
            T::Key(K::Cold),
        ];
        let mut entries = Vec::new();
        while !self.is("}") && self.peek() != T::Eof {
            match self.entry() {
                Ok(entry) => entries.push(entry),
                Err(_) => self.recover(&STARTS),
            }
        }
        entries
    }

    fn entry(&mut self) -> Parsed<Entry> {
        match self.peek() {
            T::Key(K::Var) => Ok(Entry::Vars(self.var_decl()?)),
            T::Key(K::Fun) => Ok(Entry::Fun(self.fun()?)),
            T::Key(K::Start | K::Hot | K::Cold | K::State) => Ok(Entry::State(self.state()?)),
            _ => Err(self.unexpected("`var`, `fun` or `state`")),
        }
    }

    fn state(&mut self) -> Parsed<State> {
        let start = self.eat(K::Start);
        let temperature = if self.eat(K::Hot) {
            Temperature::Hot
        } else if self.eat(K::Cold) {
            Temperature::Cold
        } else {
            Temperature::Warm
        };
        self.expect(K::State)?;
        let name = self.name()?;
        self.expect("{")?;
        let mut items = Vec::new();
        while !self.is("}") && self.peek() != T::Eof {
            match self.item() {
                Ok(item) => items.push(item),
                Err(_) => self.recover(&[K::Entry, K::Exit, K::Defer, K::Ignore, K::On].map(T::Key)),
            }
        }
        self.expect("}")?;
        Ok(State { name, start, temperature, items })
    }

    fn item(&mut self) -> Parsed<Item> {
        let start = self.span();
        let kind = match self.peek() {
            T::Key(K::Entry) => {
                self.bump();
                ItemKind::Entry(self.action(true)?)
            }
            T::Key(K::Exit) => {
                self.bump();
                ItemKind::Exit(self.action(false)?)
            }
            T::Key(key @ (K::Defer | K::Ignore)) => {
                self.bump();
                let events = self.list(Self::event_name)?;
                self.expect(";")?;
                if key == K::Defer { ItemKind::Defer(events) } else { ItemKind::Ignore(events) }
            }
            T::Key(K::On) => self.on()?,
            _ => return Err(self.unexpected("`entry`, `exit`, `on`, `defer` or `ignore`")),
        };
        Ok(Item { kind, span: self.since(start) })
    }

    fn on(&mut self) -> Parsed<ItemKind> {
        self.bump();
        let events = self.list(Self::trigger)?;
        if self.eat(K::Do) {
            return Ok(ItemKind::Do(events, self.action(true)?));
        }
        if !self.eat(K::Goto) {
            return Err(self.unexpected("`do` or `goto`"));
        }
        let target = self.name()?;
        if self.eat(K::With) {
            return Ok(ItemKind::Goto(events, target, Some(self.action(true)?)));
        }
        self.expect(";")?;
        Ok(ItemKind::Goto(events, target, None))
    }

    /// A block, or the name of a function and a semicolon.
    fn action(&mut self, may_have_param: bool) -> Parsed<Action> {
        if self.peek() == T::Ident {
            let name = self.any_name();
            self.expect(";")?;
            return Ok(Action::Named(name));
        }
        Ok(Action::Block(self.handler(may_have_param)?))
    }

    fn fun(&mut self) -> Parsed<FunId> {
        let start = self.bump().span;
        let name = self.name()?;
        self.expect("(")?;
        let params = if self.is(")") { Vec::new() } else { self.params()? };
        self.expect(")")?;
        let mut ret = if self.eat(":") { Some(self.ty()?) } else { None };
        let mut creates = Vec::new();
        if self.eat(K::Creates) {
            creates.push(self.name()?);
        }
        let span = self.since(start);
        let foreign = !self.is("{");
        let body = if foreign {
            self.contract(&mut ret)?;
            None
        } else {
            Some(self.body()?)
        };
        Ok(self.add_fun(Fun { name: Some(name), span, params, ret, body, creates, is_pure: false }))
    }

    /// The end of a foreign function: a semicolon, or a contract for the verifier.
    fn contract(&mut self, ret: &mut Option<crate::ast::TypeId>) -> Parsed<()> {
        if self.eat(";") {
            return Ok(());
        }
        if self.eat(K::Return) {
            self.expect("(")?;
            *ret = Some(self.param()?.ty);
            self.expect(")")?;
            self.expect(";")?;
        } else if !matches!(self.peek(), T::Key(K::Requires | K::Ensures)) {
            return Err(self.unexpected("`{` or `;`"));
        }
        while let T::Key(key @ (K::Requires | K::Ensures)) = self.peek() {
            let start = self.bump().span;
            self.ignored(start, key.text());
            self.expr()?;
            self.expect(";")?;
        }
        Ok(())
    }

    /// `[main = M]`.
    pub(super) fn main_clause(&mut self) -> Parsed<Name> {
        self.expect("[")?;
        self.expect(K::Main)?;
        self.expect("=")?;
        let main = self.name()?;
        self.expect("]")?;
        Ok(main)
    }
}
