// For `dally verify`: the usual cases of accesses without loops, for all values.

// No cell overlaps these bytes, other than one that begins with the first of them.
function $quiet(cells: [int]int, a: int, width: int): bool
{
  $width(cells[a - 1]) <= 1 && $width(cells[a - 2]) <= 2 && $width(cells[a - 3]) <= 3 && $width(cells[a - 4]) <= 4 &&
  $width(cells[a - 5]) <= 5 && $width(cells[a - 6]) <= 6 && $width(cells[a - 7]) <= 7 &&
  (width <= 1 || cells[a + 1] == 0) && (width <= 2 || cells[a + 2] == 0) && (width <= 3 || cells[a + 3] == 0) &&
  (width <= 4 || cells[a + 4] == 0) && (width <= 5 || cells[a + 5] == 0) && (width <= 6 || cells[a + 6] == 0) &&
  (width <= 7 || cells[a + 7] == 0) &&
  cells[a] < 32 && (cells[a] == 0 || $width(cells[a]) == width)
}

procedure $to_write(a: int, cell: int)
{
  if ($quiet($cell, a, $width(cell)))
  {
    $cell[a] := cell;
  }
  else
  {
    call $to_write_slowly(a, cell);
  }
}

procedure $to_read(a: int, cell: int)
{
  var bits: int;
  if ($quiet($cell, a, $width(cell)))
  {
    if ($cell[a] != 0)
    {
      bits := $mem[a] mod $power($width(cell));
    }
    else
    {
      bits := 0;
      if ($zeroed[a div 4294967296] mod 2 != 1)
      {
        havoc bits;
        assume 0 <= bits && bits < $power($width(cell));
      }
    }
    $cell[a] := cell;
    $mem[a] := $as_cell(bits, cell);
  }
  else
  {
    call $to_read_slowly(a, cell);
  }
}

// The cells stay: an access looks at the size, too.
procedure $release(p: int)
{
  $size[p div 4294967296] := -1;
  $zeroed[p div 4294967296] := if $zeroed[p div 4294967296] >= 2 then -2 else -1;
}
