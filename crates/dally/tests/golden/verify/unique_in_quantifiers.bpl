// An unused unique constant is a value of its type, distinct from all other unique constants.
type T;
const unique a: T;
const unique b: T;

procedure main()
{
  assert (exists t: T :: t != a);
}
