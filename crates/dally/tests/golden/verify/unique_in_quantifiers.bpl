// A constant that nothing mentions is a value of its type all the same, other than those of other unique constants.
type T;
const unique a: T;
const unique b: T;

procedure main()
{
  assert (exists t: T :: t != a);
}
