# Functions of one number that every file sees. The ranges of their results are worked out from the
# argument's at each call; the return types here are what holds for any argument.

## e to the power of `x`. Large arguments overflow to infinity.
extern fn exp(x: Real) -> NonNeg = "torch.exp"

## `exp(x) - 1`, which stays exact for `x` near 0.
extern fn expm1(x: Real) -> Real = "torch.expm1"

## The natural logarithm, for numbers above 0.
extern fn log(x: Real) -> Real = "torch.log"

## `log(1 + x)`, which stays exact for `x` near 0. For numbers above -1.
extern fn log1p(x: Real) -> Real = "torch.log1p"

## The square root, for numbers from 0.
extern fn sqrt(x: Real) -> Real = "torch.sqrt"

## `1 / sqrt(x)`, for numbers above 0.
extern fn rsqrt(x: Real) -> Real = "torch.rsqrt"

## The sine of an angle in radians.
extern fn sin(x: Real) -> Signed = "torch.sin"

## The cosine of an angle in radians.
extern fn cos(x: Real) -> Signed = "torch.cos"

## The hyperbolic tangent: an S-curve from -1 to 1.
extern fn tanh(x: Real) -> Signed = "torch.tanh"

## `1 / (1 + exp(-x))`: an S-curve from 0 to 1. For its logarithm, `log_sigmoid` is the stable choice.
extern fn sigmoid(x: Real) -> Unit = "torch.sigmoid"

## The error function: how much of a normal distribution is within `x * sqrt(2)` deviations, with `x`'s sign.
extern fn erf(x: Real) -> Signed = "torch.erf"

## `x` times the normal distribution's cumulative probability at `x` (Hendrycks and Gimpel, 2016).
extern fn gelu(x: Real) -> Real = "torch.nn.functional.gelu"

## `x * sigmoid(x)`, which is also called swish (Elfwing et al., 2018).
extern fn silu(x: Real) -> Real = "torch.nn.functional.silu"

## `log(1 + exp(x))`: a smooth relu.
extern fn softplus(x: Real) -> NonNeg = "torch.nn.functional.softplus"

## `log(sigmoid(x))`, computed so that it stays finite where the sigmoid rounds to 0.
extern fn log_sigmoid(x: Real) -> Real = "torch.nn.functional.logsigmoid"
