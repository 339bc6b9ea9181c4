//! Foreign types and functions, and their stubs.
//!
//! A foreign type or function is declared without a body: `type T;`, `fun F(x: T): int;`. In P its body is in C# or
//! Java. Here another declaration of the same name can be its *stub*: `type T = seq[int];`, `fun F(x: T): int { … }`.
//! A function outside of machines is also the stub of foreign functions of that name inside of machines. A stub
//! must have the signature of the foreign declaration. Pure functions of P's verifier can have stubs as well, which
//! replace their definitions.

use dally_text::diagnostic::Diagnostic;
use dally_text::symbol::Sym;
use rustc_hash::FxHashMap;

use super::Checker;
use crate::ast::FunId;
use crate::codes;

impl Checker<'_> {
    /// The functions outside of machines that have a body, by name.
    fn global_bodies(&self) -> FxHashMap<Sym, FunId> {
        let with_body = self.ast.globals.iter().filter_map(|fun| {
            let decl = &self.ast.funs[fun.index()];
            if decl.may_have_stub() { None } else { Some((decl.name?.sym, *fun)) }
        });
        with_body.collect()
    }

    /// Finds the stubs of foreign functions, and checks their signatures.
    pub(super) fn link_stubs(&mut self) {
        let bodies = self.global_bodies();
        for (index, foreign) in self.ast.funs.iter().enumerate() {
            let Some(name) = foreign.name.filter(|_| foreign.may_have_stub()) else { continue };
            let Some(stub) = bodies.get(&name.sym).copied() else { continue };
            let foreign = FunId(index as u32);
            self.check_stub(foreign, stub);
            self.info.stubs.insert(foreign, stub);
            // The effects of a function are those of its callees.
            self.info.funs[index].callees.push(stub);
        }
    }

    fn check_stub(&mut self, foreign: FunId, stub: FunId) {
        let same_result = self.info.funs[foreign.index()].ret == self.info.funs[stub.index()].ret;
        if same_result && self.param_types(foreign) == self.param_types(stub) {
            return;
        }
        let (wanted, found) = (self.signature(foreign), self.signature(stub));
        let message = format!("this body is for `{found}`, but the foreign function is `{wanted}`");
        let declared = self.ast.funs[foreign.index()].span;
        let diagnostic = Diagnostic::new(codes::BAD_STUB, self.ast.funs[stub.index()].span, message);
        self.report(diagnostic.with(declared, "declared here"));
    }

    fn signature(&self, fun: FunId) -> String {
        self.info.signature(self.ast, fun)
    }
}
