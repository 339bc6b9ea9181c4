use dally_bpl::*;
fn main() {
    for f in std::env::args().skip(1) {
        let mut m = source::SourceMap::default();
        for g in f.split('+') {
            let Ok(t) = std::fs::read_to_string(g) else { println!("UNREADABLE {f}"); continue };
            m.add(g.to_string(), t).unwrap();
        }
        let (ast, d) = parse(&m);
        let mut v = d.sorted();
        if v.is_empty() {
            let s1 = print(&ast);
            let mut m2 = source::SourceMap::default();
            m2.add(f.clone(), s1.clone()).unwrap();
            let (ast2, d) = parse(&m2);
            if !d.is_empty() || print(&ast2) != s1 { println!("ROUNDTRIP {f}"); continue; }
            let (_, d) = check(&ast2);
            let n2 = d.len();
            let (_, d) = check(&ast);
            if d.len() != n2 { println!("RECHECK {f}"); }
            v = d.sorted();
        }
        let word = if v.is_empty() { "ACCEPT" } else if v.iter().all(|d| d.severity() == diagnostic::Severity::Unsupported) { "UNSUPPORTED" } else { "REJECT" };
        println!("{word} {f}");
        for d in v.iter().take(if std::env::var("ALL").is_ok() { 999 } else { 4 }) { let p = m.place(d.primary.span); println!("    {}:{}: {} {}", p.as_ref().map_or(0, |p|p.line), p.as_ref().map_or(0,|p|p.column), d.code, d.message); }
    }
}
