"""Operations that take a pattern, `b n (h d) -> b h n d`: reading it, typing it, and the plain torch it becomes."""
