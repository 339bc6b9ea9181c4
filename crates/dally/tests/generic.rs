//! Programs with type variables: maps whose types bind them, quantifiers over types, generic procedures. These tests need a
//! solver.
#![allow(missing_docs, clippy::unwrap_used, reason = "test code")]

mod common;

const HEAP: &str = "type Ref; type Field a;\n\
                    var heap: <a>[Ref, Field a]a;\n\
                    const unique size: Field int;\n\
                    const unique width: Field int;\n\
                    const unique full: Field bool;\n";

fn verify(declarations: &str, body: &str) -> Option<i32> {
    let text = format!("{declarations}procedure main(r: Ref, s: Ref)\n  modifies heap;\n{{ {body} }}");
    let (code, said) = common::verify(&text, &[]);
    assert!(matches!(code, Some(0 | 1)), "{said}\n{text}");
    code
}

#[test]
fn elements_of_other_types_and_places_stay() {
    let heap = |body: &str| verify(HEAP, body);
    assert_eq!(heap("heap[r, size] := 3; heap[r, full] := true; assert heap[r, size] == 3;"), Some(0));
    assert_eq!(heap("heap[r, size] := 3; heap[r, width] := 4; assert heap[r, size] == 3;"), Some(0));
    assert_eq!(heap("heap[r, size] := 3; heap[s, size] := 4; assert heap[r, size] == 3;"), Some(1));
    let chain = "assert heap[r, size := 1][r, full := true][r, size] == 1;";
    assert_eq!(heap(chain), Some(0));
    assert_eq!(heap("heap := heap[r, size := 1]; assert heap == old(heap);"), Some(1));
}

/// Nothing is known of maps that the program does not access.
#[test]
fn maps_are_not_equal_by_themselves() {
    assert_eq!(verify(HEAP, "havoc heap; assert heap == old(heap);"), Some(1));
}

#[test]
fn quantifiers_over_types() {
    let same = "assume (forall<a> o: Ref, f: Field a :: o == r || heap[o, f] == old(heap)[o, f]);";
    let after = |rest: &str| verify(HEAP, &format!("havoc heap; {same} {rest}"));
    assert_eq!(after("assert s != r ==> heap[s, size] == old(heap[s, size]);"), Some(0));
    assert_eq!(after("assert s != r ==> (heap[s, full] <==> old(heap[s, full]));"), Some(0));
    assert_eq!(after("assert heap[s, size] == old(heap[s, size]);"), Some(1));
    // A quantifier that is asserted holds for types that the program does not mention, too.
    let all = "assert (forall<a> f: Field a :: heap[r, f] == heap[r, f]);";
    assert_eq!(verify(HEAP, all), Some(0));
    let wrong =
        "heap[r, size] := 0; heap[s, size] := 0; heap[r, full] := true; heap[s, full] := true; havoc heap;
                 assume (forall f: Field int :: heap[r, f] == heap[s, f]);
                 assert (forall<a> f: Field a :: heap[r, f] == heap[s, f]);";
    let text = format!("{HEAP}procedure main(r: Ref, s: Ref)\n  modifies heap;\n{{ {wrong} }}");
    // The solver may not confirm a bug under quantifiers, but there is no proof.
    assert_ne!(common::verify(&text, &[]).0, Some(0));
}

#[test]
fn generic_procedures_and_functions() {
    let text = "function id<T>(x: T): T { x }\n\
                function {:inline} second<T>(m: [int]T): T { m[1] }\n\
                datatype Pair<T, U> { Pair(m: [T]bool, n: U) }\n\
                function none<T>(): [T]bool;\n\
                function {:inline} empty<T, U>(u: U): Pair T U { Pair(none(), u) }\n\
                procedure swap<T>(x: T, y: T) returns (a: T, b: T)\n  ensures a == y && b == x;\n{ a := id(y); b := x; }\n\
                procedure main() {\n\
                  var a, b: int; var c, d: bool; var m: [int]bool;\n\
                  call a, b := swap(1, 2); assert a == 2;\n\
                  call c, d := swap(true, false); assert !c;\n\
                  m[1] := true; assert second(m);\n\
                  assert (empty(3): Pair int int)->n == 3;\n\
                }";
    for flags in [&[][..], &["--modular"], &["--modular", "--entry", "swap"]] {
        let (code, said) = common::verify(text, flags);
        assert_eq!(code, Some(0), "{flags:?}: {said}");
    }
    let wrong = text.replace("assert a == 2", "assert a == 1");
    assert_eq!(common::verify(&wrong, &[]).0, Some(1));
    assert_eq!(
        common::verify(&text.replace("b := x", "b := y"), &["--modular", "--entry", "swap"]).0,
        Some(1)
    );
}

/// Instances without end are refused.
#[test]
fn polymorphic_recursion_ends() {
    let text = "type Box a;\nfunction box<a>(x: a): Box a;\nfunction f<a>(x: a): int { f(box(x)) }\n\
                procedure main() { assert f(1) == f(2); }";
    let (code, said) = common::verify(text, &[]);
    assert_eq!(code, Some(3), "{said}");
}

/// As in Boogie, a value must be taken apart by the constructor that made it.
#[test]
fn values_are_taken_apart_by_their_constructor() {
    let verify = |body: &str| {
        let text = format!(
            "datatype Side {{ Left(i: int), Right(i: int) }}\nprocedure main(s: Side) {{ var x: int; {body} Left(x) := s; }}"
        );
        common::verify(&text, &[]).0
    };
    assert_eq!([verify("assume s is Left;"), verify("")], [Some(0), Some(1)]);
}

/// A lambda with type parameters has an element at each type.
#[test]
fn lambdas_with_type_parameters() {
    let frame = "var frame: <a>[Ref, Field a]bool;\n";
    let verify = |body: &str| {
        let text = format!(
            "{HEAP}{frame}procedure main(r: Ref, s: Ref)\n  modifies heap, frame;\n{{ assume r != s; {body} }}"
        );
        common::verify(&text, &[]).0
    };
    let own = "frame := (lambda<a> o: Ref, f: Field a :: o == r);";
    assert_eq!(
        verify(&format!("{own} assert frame[r, size] && frame[r, full] && !frame[s, size];")),
        Some(0)
    );
    assert_eq!(verify(&format!("{own} assert frame[r, size] && frame[s, full];")), Some(1));
    assert_eq!(verify(&format!("{own} assert (forall<b> f: Field b :: frame[r, f]);")), Some(0));
    assert_ne!(verify(&format!("{own} assert (forall<b> f: Field b :: frame[s, f]);")), Some(0));
    let copy = "heap := (lambda<a> o: Ref, f: Field a :: if o == r then heap[s, f] else heap[o, f]);";
    assert_eq!(verify(&format!("{copy} assert heap[r, size] == old(heap[s, size]);")), Some(0));
    // The solver may not confirm a bug under quantifiers, but there is no proof.
    assert_ne!(verify(&format!("{copy} assert heap[r, size] == old(heap[r, size]);")), Some(0));
    let other = "heap := (lambda<a> o: Ref, f: Field a :: heap[s, f]);";
    assert_eq!(verify(&format!("{other} assert heap[r, size] == 3;")), Some(1));
    // The program accesses no element, but the lambdas differ.
    let other = "(lambda<a> o: Ref, f: Field a :: o == s)";
    assert_eq!(verify(&format!("{own} assert frame == (lambda<b> p: Ref, g: Field b :: p == r);")), Some(0));
    assert_ne!(verify(&format!("{own} assert frame == {other};")), Some(0));
    assert_ne!(verify(&format!("{own} assert frame != {other};")), Some(1));
}

/// The elements of a lambda at two types that are equal say nothing about those at different types.
#[test]
fn lambdas_with_two_type_parameters() {
    let declarations =
        "type Pair a b;\nfunction f<a, b>(p: Pair a b): int;\nfunction g<a, b>(p: Pair a b): int;\n";
    let verify = |axiom: &str| {
        let text = format!(
            "{declarations}{axiom}procedure main() {{\n\
             assert (lambda<a, b> p: Pair a b :: f(p)) == (lambda<a, b> p: Pair a b :: g(p)); }}"
        );
        common::verify(&text, &[]).0
    };
    assert_ne!(verify(""), Some(0));
    assert_ne!(verify("axiom (forall<a> p: Pair a a :: f(p) == g(p));\n"), Some(0));
}

/// A lambda may depend on the variables of a quantifier or of another lambda.
#[test]
fn lambdas_inside_binders() {
    let verify = |body: &str| common::verify(&format!("procedure main(n: int) {{ {body} }}"), &[]).0;
    let sum =
        |claim: &str| verify(&format!("assert (forall x: int :: (lambda y: int :: y + x)[1] == {claim});"));
    assert_eq!(sum("x + 1"), Some(0));
    assert_ne!(sum("x"), Some(0));
    let nested = "(lambda x: int :: (lambda y: int :: n * x + y))";
    assert_eq!(verify(&format!("assert {nested}[1][2] == n + 2;")), Some(0));
    assert_eq!(verify(&format!("assert {nested}[1][2] == n;")), Some(1));
    assert_eq!(verify(&format!("assert {nested}[n] == {nested}[1];")), Some(1));
    let constant = "(lambda x: int :: (lambda y: int :: x))";
    assert_eq!(verify(&format!("assert {constant}[n][2] == n;")), Some(0));
    assert_eq!(verify(&format!("assert {constant}[n][2] == 2;")), Some(1));
}

/// An execution with a lambda of two variables is replayed.
#[test]
fn lambdas_of_two_variables_are_replayed() {
    let text = "type Key;\n\
                procedure main(k: Key) {\n\
                  var m: [int, Key]int;\n\
                  m := (lambda i: int, j: Key :: if j == k then i else 12);\n\
                  assert m[1, k] == 2;\n\
                }";
    let (code, said) = common::verify(text, &[]);
    assert_eq!(code, Some(1), "{said}");
}
