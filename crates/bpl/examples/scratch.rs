fn main() {
    let mut ok = 0; let mut bad = 0;
    let quiet = std::env::var("Q").is_ok();
    for f in std::env::args().skip(1) {
        let Ok(t) = std::fs::read_to_string(&f) else { println!("{f}: unreadable"); continue };
        let mut m = dally_bpl::source::SourceMap::default();
        m.add(f.clone(), t).unwrap();
        let (ast, d) = dally_bpl::parse(&m);
        if d.is_empty() { ok += 1 } else { bad += 1; if !quiet { for d in d.sorted().iter().take(3) { let p = m.place(d.primary.span); println!("{f}:{}:{}: {} {}", p.as_ref().map_or(0, |p|p.line), p.as_ref().map_or(0,|p|p.column), d.code, d.message); } } }
        let _ = ast.decls.len();
    }
    println!("{ok} ok {bad} bad");
}
