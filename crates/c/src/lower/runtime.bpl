// Memory. An address is the number of an object times 2^32, plus an offset. A scalar is stored in `$mem` at the address of its first
// byte; `$cell` has its size there, negated if it is signed, and 16 more for a pointer. A cell exists only inside of a live object,
// so code that finds the expected cell needs no further checks. If a pointer is divided, each of its bytes has the whole address,
// so that the object is still referred to: byte i has the cell 32 + i, or 40 + i if pointers have 4 bytes.
var {:heap_cells} $mem: [int]int;
var {:heap_cells 0} $cell: [int]int;
// The size of each object; 0: there is no such object, -1: it was released, -2: it is empty.
var {:heap_objects -1} $size: [int]int;
// Odd for objects whose bytes are zero where there is no cell; 2 more for those that are not on the heap. After the release, -1 and
// for those -2.
var {:heap_objects -1} $zeroed: [int]int;
var {:heap_counter 1291845632, 32} $heap: int;
// True once the program has observed the number of an object: the objects keep their numbers from then on.
var {:heap_fixed} $fixed: bool;

procedure $allocate(size: int, zeroed: int) returns (p: int)
{
  var object: int;
  object := 1291845632 + $heap;
  $heap := $heap + 1;
  $size[object] := if size == 0 then -2 else size;
  $zeroed[object] := zeroed;
  p := object * 4294967296;
}

// A new object, or one of the heap that was freed, at its address.
procedure $allocate_or_reuse(size: int, zeroed: int) returns (p: int)
{
  var object: int;
  var found: bool;
  object := 1291845632;
  found := false;
  while (!found && object < 1291845632 + $heap)
  {
    if ($zeroed[object] == -1)
    {
      if (*)
      {
        object := object + 1;
      }
      else
      {
        found := true;
      }
    }
    else
    {
      object := object + 1;
    }
  }
  if (found)
  {
    $size[object] := if size == 0 then -2 else size;
    $zeroed[object] := zeroed;
    p := object * 4294967296;
  }
  else
  {
    call p := $allocate(size, zeroed);
  }
}

// The object no longer exists; its cells neither.
procedure $release(p: int)
{
  var a: int;
  var end: int;
  var width: int;
  a := p;
  end := p + $size[p div 4294967296];
  while (a < end)
  {
    width := $width($cell[a]);
    if (width != 0)
    {
      $cell[a] := 0;
      $mem[a] := 0;
      a := a + width;
    }
    else
    {
      a := a + 1;
    }
  }
  $size[p div 4294967296] := -1;
  $zeroed[p div 4294967296] := if $zeroed[p div 4294967296] >= 2 then -2 else -1;
}

function $width(cell: int): int { if cell < 0 then -cell else if cell >= 32 then 1 else cell mod 16 }

// An address of an object whose number a search may change.
function $movable(value: int): bool { value >= 5548434740920451072 }

function $power(bytes: int): int
{
  if bytes == 1 then 256 else if bytes == 2 then 65536 else if bytes == 4 then 4294967296 else 18446744073709551616
}

function $as_cell(bits: int, cell: int): int
{
  if cell < 0 && bits >= $power(-cell) div 2 then bits - $power(-cell) else bits
}

// Replaces the cell at `a` by cells of one byte.
procedure $split(a: int)
{
  var width: int;
  var first: int;
  var i: int;
  var bits: int;
  width := $width($cell[a]);
  if ($cell[a] >= 16 && $mem[a] >= 4294967296)
  {
    bits := $mem[a];
    first := if width == 8 then 32 else 40;
    i := 0;
    while (i < width)
    {
      $cell[a + i] := first + i;
      $mem[a + i] := bits;
      i := i + 1;
    }
  }
  else
  {
    bits := $mem[a] mod $power(width);
    i := 0;
    while (i < width)
    {
      $cell[a + i] := 1;
      $mem[a + i] := bits mod 256;
      bits := bits div 256;
      i := i + 1;
    }
  }
}

// Makes the bytes from `a` on a pointer again if they are those of a divided one.
procedure $join(a: int)
{
  var width: int;
  var address: int;
  var i: int;
  width := if $cell[a] == 32 then 8 else 4;
  address := $mem[a];
  i := 1;
  while (i < width && $cell[a + i] == $cell[a] + i && $mem[a + i] == address)
  {
    i := i + 1;
  }
  if (i == width)
  {
    call $remove(a, width);
    $cell[a] := 16 + width;
    $mem[a] := address;
  }
}

// The value of the byte at `a`, which has a cell of its own. The upper half of a pointer has the number of the object.
procedure $byte(a: int) returns (byte: int)
{
  var i: int;
  byte := $mem[a];
  assert {:unsupported "a part of an address with 32-bit pointers"} $cell[a] < 40;
  if ($cell[a] >= 36 && $movable(byte))
  {
    $fixed := true;
  }
  i := if $cell[a] >= 32 then $cell[a] - 32 else 0;
  while (i > 0)
  {
    byte := byte div 256;
    i := i - 1;
  }
  byte := byte mod 256;
}

// Makes sure that no cell overlaps the bytes from `a` on, other than cells of one byte.
procedure $isolate(a: int, width: int)
{
  var i: int;
  i := a - 7;
  while (i < a + width)
  {
    if ($width($cell[i]) > 1 && i + $width($cell[i]) > a)
    {
      call $split(i);
    }
    i := i + 1;
  }
}

// Removes the cells that begin in these bytes; they must not reach beyond.
procedure $remove(a: int, width: int)
{
  var i: int;
  i := 0;
  while (i < width)
  {
    $cell[a + i] := 0;
    $mem[a + i] := 0;
    i := i + 1;
  }
}

// Makes a cell for a value that is about to be stored.
procedure $to_write(a: int, cell: int)
{
  call $isolate(a, $width(cell));
  call $remove(a, $width(cell));
  $cell[a] := cell;
}

// Makes a cell that holds the value of the bytes. Bytes without a cell are zero or arbitrary.
procedure $to_read(a: int, cell: int)
{
  var width: int;
  var bits: int;
  width := $width(cell);
  if (($cell[a] == 32 && width == 8) || ($cell[a] == 40 && width == 4))
  {
    call $join(a);
  }
  if (width > 1 && $width($cell[a]) == width)
  {
    bits := $mem[a];
    if ($cell[a] >= 16 && cell < 16)
    {
      assert {:unsupported "an address as an integer with 32-bit pointers"} width == 8 || bits < 4294967296;
      if ($movable(bits))
      {
        $fixed := true;
      }
    }
    if (bits < 0)
    {
      bits := bits mod $power(width);
    }
  }
  else
  {
    call bits := $bytes(a, width);
    call $remove(a, width);
  }
  $cell[a] := cell;
  $mem[a] := $as_cell(bits, cell);
}

// The value of some bytes.
procedure $bytes(a: int, width: int) returns (bits: int)
{
  var i: int;
  var byte: int;
  var written: bool;
  call $isolate(a, width);
  written := $zeroed[a div 4294967296] mod 2 == 1;
  bits := 0;
  i := width;
  while (i > 0)
  {
    i := i - 1;
    if ($cell[a + i] != 0)
    {
      written := true;
    }
  }
  if (!written)
  {
    havoc {:range 0, 2} bits;
  }
  i := width;
  while (written && i > 0)
  {
    i := i - 1;
    if ($cell[a + i] == 0)
    {
      byte := 0;
      if ($zeroed[a div 4294967296] mod 2 != 1)
      {
        havoc {:range 0, 1} byte;
      }
    }
    else
    {
      call byte := $byte(a + i);
    }
    bits := bits * 256 + byte;
  }
}

// Copies bytes; the areas may overlap. Cells are copied as they are.
procedure $copy(to: int, from: int, n: int)
{
  var i: int;
  var cells: [int]int;
  var values: [int]int;
  if (n > 0)
  {
    call $isolate_edges(from, n);
    call $isolate_edges(to, n);
    cells := $cell;
    values := $mem;
    i := 0;
    while (i < n)
    {
      if (cells[from + i] == 0 && $zeroed[from div 4294967296] mod 2 == 1)
      {
        call $zero_byte(cells, from, i, to);
      }
      else
      {
        $cell[to + i] := cells[from + i];
        $mem[to + i] := values[from + i];
      }
      i := i + 1;
    }
  }
}

// A byte that no cell of the source covers is zero.
procedure $zero_byte(cells: [int]int, from: int, i: int, to: int)
{
  var covered: bool;
  var j: int;
  covered := false;
  j := 1;
  while (j < 8)
  {
    if ($width(cells[from + i - j]) > j)
    {
      covered := true;
    }
    j := j + 1;
  }
  $cell[to + i] := if covered then 0 else 1;
  $mem[to + i] := 0;
}

// Splits the cells that lie across one of the ends of an area.
procedure $isolate_edges(a: int, n: int)
{
  var i: int;
  i := 1;
  while (i < 8)
  {
    if ($width($cell[a - i]) > i)
    {
      call $split(a - i);
    }
    if ($width($cell[a + n - i]) > i)
    {
      call $split(a + n - i);
    }
    i := i + 1;
  }
}

procedure $fill(p: int, byte: int, n: int)
{
  var i: int;
  if (n > 0)
  {
    call $isolate_edges(p, n);
    if (byte == 0 && $size[p div 4294967296] == n)
    {
      call $remove(p, n);
      $zeroed[p div 4294967296] := $zeroed[p div 4294967296] div 2 * 2 + 1;
    }
    else
    {
      i := 0;
      while (i < n)
      {
        $cell[p + i] := 1;
        $mem[p + i] := byte;
        i := i + 1;
      }
    }
  }
}

// A part of an area that is filled: 8 bytes become one cell.
procedure $fill_piece(p: int, byte: int, n: int)
{
  var i: int;
  call $isolate_edges(p, n);
  call $remove(p, n);
  if (byte != 0 || $zeroed[p div 4294967296] mod 2 != 1)
  {
    if (n == 8)
    {
      $cell[p] := 8;
      $mem[p] := byte * 72340172838076673;
    }
    else
    {
      i := 0;
      while (i < n)
      {
        $cell[p + i] := 1;
        $mem[p + i] := byte;
        i := i + 1;
      }
    }
  }
}

// Threads: which have ended, their results, and their number.
var $ended: [int]bool;
var $result: [int]int;
var $threads: int;
var {:thread_local} {:number} $self: int;

// Event-driven programs: the level and the buffer of the task, and the atomic sections that it is in; whether interrupts are masked;
// whether the initial values are set.
var {:thread_local} {:c ""} $level: int;
var {:thread_local} {:c ""} $buffer: int;
var {:thread_local} {:c ""} $section: int;
var {:c ""} $masked: int;
var {:c ""} $started: int;
