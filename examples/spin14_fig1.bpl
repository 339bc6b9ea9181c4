// [SPIN14] Fig. 1: a page that shows an image, set up by code that looks sequential but is not.
//
// `navigated` calls its base class, which starts to load the image without waiting for it. Then it waits for a
// sound, and uses the image. The image is available only if it loads faster than the sound.
//
// dfw runs all tasks that were started before it continues past a wait, and misses the bug without delays; one
// delay of any part of the loading finds it. Round robin moves to the next task at each wait, and needs no delay.
//
// check: bug 0
// check --scheduler dfw: bug 1
// check --scheduler rr:reverse: bug 0

var created: bool;
var width: int; // of the image: 0 until it is loaded

procedure {:entrypoint} navigated()
{
  var sound: task;

  created := false;
  width := 0;
  call base_navigated();
  call {:async} sound := play_sound();
  call wait(sound);
  assert created && width > 0; // places the image at the right border
}

procedure base_navigated()
{
  call {:async} load_state(); // `async void`: it cannot be awaited
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
