// flags: --constraint true
machine Main {
  start state Idle { }
}

test only [main = Main]: { Main };
