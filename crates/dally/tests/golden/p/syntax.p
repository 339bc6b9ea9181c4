evnt eStart;
event eOther: (int;
machine Main {
    start state Init {
        entry { assert 1 +; x = ; }
        onn eOther do { }
    }
    vra x: int;
}
fun F() { x = "abc }
