// C23's attributes are read; most of them are ignored.
[[nodiscard]] int f(void) { return 1; }
[[maybe_unused]] static int unused;
struct [[deprecated("x")]] s { [[maybe_unused]] int x; int y [[gnu::aligned(4)]]; };
enum e { A [[deprecated]], B };
int main([[maybe_unused]] int argc, char **argv [[maybe_unused]]) {
  [[maybe_unused]] int x = 1;
  switch (x) { case 1: x = 2; [[fallthrough]]; case 2: break; }
  [[likely]] if (x) x = 3;
  int y [[maybe_unused]] = f();
  __builtin_ia32_pause();
  for ([[maybe_unused]] int i = 0; i < 2; i++) ;
  [[gnu::cold]] ;
  lab: [[maybe_unused]] ;
  return 0;
}
