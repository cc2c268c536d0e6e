"""`scatter_add(x, idx, values, over=a)`."""

from __future__ import annotations

from shapescript_check.operations.families.indices import Scatter

OPERATION = Scatter(
    "scatter_add",
    "fn scatter_add(x: [... n], idx: [... m] Index[n], values: [... m], over: Axis[n]) -> [... n]",
    "A copy of x with values added along an axis at the positions in `idx`; where a position comes twice, both are "
    "added. It is the adjoint of `gather`.",
    """\
dim Accounts = 6

## Each branch's accounts after a list of payments.
fn settled(funds: [b Accounts], payee: [b t] Index[Accounts], paid: [b t]) -> [b Accounts]:
    return scatter_add(funds, payee, paid, over=Accounts)
""",
    template="torch.scatter_add(x, dim=d, index=i, src=v)",
    values="values",
    adds=True,
)
