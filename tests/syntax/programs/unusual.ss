
# Odd but right.

import python   torch
fn one_line() -> int = 3
fn brackets(
    x: [n
        D],   # the rows
    y: [n D],
) -> [n D]:
  a = f(x,
y,
      over=D,)
  b = (
    a)
  if a == b:


      c = 1
      # a comment
  else:
     c = 2
  return ((a)) + -(-b) * !c

fn names(model: int, data: float, logs: int, export: int, devices: int, python: int, over: int, mut: int, param: int) = model
fn größe(ﬁn: [n]) = ﬁn
dim  X=2*( 3+4 )/ 7 - 1
domain Q = [-inf, inf)
data e:
  x: [] over over over
	
