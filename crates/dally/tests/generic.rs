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
