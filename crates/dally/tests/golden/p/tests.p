machine Main {
    start state Init { entry { } }
}

test One [main=Main]: { Main };
test Two [main=Main]: { Main };
