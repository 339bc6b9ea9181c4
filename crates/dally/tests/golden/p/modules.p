event eStart;
event eOther;

interface Service() receives eOther;

machine Main
receives eStart;
sends eStart;
{
    start state Init { entry { new Worker(); } }
}

machine Worker {
    start state Init { entry { } }
}

machine Listener {
    start state Init { entry (x: int) { } }
}

spec Watch observes eOther { start state One { } }

module Both = { Main, Worker };
module Twice = union Both, { Worker };
module Named = { Worker, Main -> Service };
module Missing = union Both, Nowhere;

test Open [main=Main]: { Main };
test NoMain [main=Listener]: Both;
test Listening [main=Listener]: { Listener };
test Watching [main=Main]: assert Watch in { Main };
test param (size in [1, 2]) Sized [main=Main]: Both;
test Refining [main=Main]: Both refines Both;
