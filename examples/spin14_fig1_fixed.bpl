// The page of spin14_fig1.bpl, which waits until its base class has loaded the image.
//
// check: proved
// check --scheduler dfw: proved

var created: bool;
var width: int; // of the image: 0 until it is loaded

procedure {:entrypoint} navigated()
{
  var loading, sound: task;

  created := false;
  width := 0;
  call loading := base_navigated();
  call {:async} sound := play_sound();
  call wait(sound);
  call wait(loading);
  assert created && width > 0; // places the image at the right border
}

procedure base_navigated() returns (loading: task)
{
  call {:async} loading := load_state();
}

procedure load_state()
{
  var file, stream, source: task;

  created := true;
  call {:async} file := get_file();
  call wait(file);
  call {:async} stream := open_file();
  call wait(stream);
  call {:async} source := set_source();
  call wait(source);
}

procedure get_file()
{
}

procedure open_file()
{
}

procedure set_source()
{
  width := 640;
}

procedure play_sound()
{
}
