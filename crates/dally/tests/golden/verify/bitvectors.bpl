// Bitvectors wrap around, have signed and unsigned comparisons, extraction and concatenation.
function {:bvbuiltin "bvadd"} add(x: bv8, y: bv8): bv8;
function {:bvbuiltin "bvult"} below(x: bv8, y: bv8): bool;
function {:bvbuiltin "bvslt"} signed_below(x: bv8, y: bv8): bool;
function {:bvbuiltin "bvand"} both(x: bv8, y: bv8): bv8;
function {:bvbuiltin "zero_extend 8"} wide(x: bv8): bv16;

procedure main()
{
  var x: bv8;
  assert below(1bv8, 255bv8) && signed_below(255bv8, 1bv8);
  assert add(x, 255bv8) != x;
  assert 18bv8[4:0] == 2bv4 && 1bv4 ++ 2bv4 == 18bv8;
  assert wide(x)[16:8] == 0bv8;
  assert both(x, 15bv8) == 0bv4 ++ x[4:0];
  assert below(x, add(x, 1bv8));
}
