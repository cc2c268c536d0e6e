# Layers, losses and further functions of PyTorch that every file sees. Parameters are named as in PyTorch
# where the Python function is PyTorch's own; `over` names the axis to work along.

# --- layers ---

## `input @ weight` transposed, plus `bias`: the last axis becomes `weight`'s first.
extern fn linear(input: [... Din], weight: [Dout Din], bias: [Dout] = none) -> [... Dout] = "torch.nn.functional.linear"

## The rows of `weight` that the indices name.
extern fn embedding(input: [...] Index[V], weight: [V D]) -> [... D] = "torch.nn.functional.embedding"

## Shifts and scales along one axis to mean 0 and variance 1, then applies `weight` and `bias` (Ba et al., 2016).
extern fn layer_norm(x: [...], over: Axis[D], weight: [D] = none, bias: [D] = none, eps: float = 1e-5) -> [...] = "shapescript_runtime.nn.layer_norm"

## Scales along one axis to a root mean square of 1, then applies `weight` (Zhang and Sennrich, 2019). Without `eps`
## it is PyTorch's: the gap between 1 and the next number of the dtype, f32's for the smaller ones.
extern fn rms_norm(x: [...], over: Axis[D], weight: [D] = none, eps: float = 1.1920929e-7) -> [...] = "shapescript_runtime.nn.rms_norm"

## Shifts and scales each group of channels of each example to mean 0 and variance 1 (Wu and He, 2018). The number of
## groups has to divide the number of channels.
extern fn group_norm(input: [b C ...], num_groups: Size[G], weight: [C] = none, bias: [C] = none, eps: float = 1e-5) -> [b C ...] = "torch.nn.functional.group_norm"

## Attention: for each query, the mean of the values weighted by the softmax of its scaled products with the keys.
## `attn_mask` is true where a query may look; `is_causal` lets each look up to its own position. Not both.
extern fn scaled_dot_product_attention(query: [... n D], key: [... m D], value: [... m E], attn_mask: [n m] Mask = none, is_causal: bool = false) -> [... n E] = "shapescript_runtime.nn.scaled_dot_product_attention"

# --- convolutions and pooling ---

## Convolves along one axis. `weight` has, for each output channel, a kernel for each input channel of its group.
extern fn conv1d(input: [b Cin*G L], weight: [Cout Cin k], bias: [Cout] = none, stride: Size[S] = 1, padding: Size[P] = 0, dilation: Size[R] = 1, groups: Size[G] = 1) -> [b Cout (L + 2*P - R*(k - 1) - 1)/S + 1] = "torch.nn.functional.conv1d"

## Convolves along two axes. `weight` has, for each output channel, a kernel for each input channel of its group.
extern fn conv2d(input: [b Cin*G H W], weight: [Cout Cin kh kw], bias: [Cout] = none, stride: Size[S] = 1, padding: Size[P] = 0, dilation: Size[R] = 1, groups: Size[G] = 1) -> [b Cout (H + 2*P - R*(kh - 1) - 1)/S + 1 (W + 2*P - R*(kw - 1) - 1)/S + 1] = "torch.nn.functional.conv2d"

## Convolves along three axes. `weight` has, for each output channel, a kernel for each input channel of its group.
extern fn conv3d(input: [b Cin*G T H W], weight: [Cout Cin kt kh kw], bias: [Cout] = none, stride: Size[S] = 1, padding: Size[P] = 0, dilation: Size[R] = 1, groups: Size[G] = 1) -> [b Cout (T + 2*P - R*(kt - 1) - 1)/S + 1 (H + 2*P - R*(kh - 1) - 1)/S + 1 (W + 2*P - R*(kw - 1) - 1)/S + 1] = "torch.nn.functional.conv3d"

## The adjoint of `conv1d` with the same weight, which makes the axis longer.
extern fn conv_transpose1d(input: [b Cin L], weight: [Cin Cout k], bias: [Cout] = none, stride: Size[S] = 1, padding: Size[P] = 0, output_padding: Size[O] = 0) -> [b Cout (L - 1)*S - 2*P + k + O] = "torch.nn.functional.conv_transpose1d"

## The adjoint of `conv2d` with the same weight, which makes images larger.
extern fn conv_transpose2d(input: [b Cin H W], weight: [Cin Cout kh kw], bias: [Cout] = none, stride: Size[S] = 1, padding: Size[P] = 0, output_padding: Size[O] = 0) -> [b Cout (H - 1)*S - 2*P + kh + O (W - 1)*S - 2*P + kw + O] = "torch.nn.functional.conv_transpose2d"

## The largest value in each window of `kernel_size` positions; windows follow each other unless `stride` is given.
extern fn max_pool1d(input: [b C L], kernel_size: Size[K], stride: Size[S] = K, padding: Size[P] = 0) -> [b C (L + 2*P - K)/S + 1] = "torch.nn.functional.max_pool1d"

## The largest value in each square window; windows follow each other unless `stride` is given.
extern fn max_pool2d(input: [b C H W], kernel_size: Size[K], stride: Size[S] = K, padding: Size[P] = 0) -> [b C (H + 2*P - K)/S + 1 (W + 2*P - K)/S + 1] = "torch.nn.functional.max_pool2d"

## The mean of each window of `kernel_size` positions, padding counted; windows follow each other unless `stride` is
## given.
extern fn avg_pool1d(input: [b C L], kernel_size: Size[K], stride: Size[S] = K, padding: Size[P] = 0) -> [b C (L + 2*P - K)/S + 1] = "torch.nn.functional.avg_pool1d"

## The mean of each square window, padding counted; windows follow each other unless `stride` is given.
extern fn avg_pool2d(input: [b C H W], kernel_size: Size[K], stride: Size[S] = K, padding: Size[P] = 0) -> [b C (H + 2*P - K)/S + 1 (W + 2*P - K)/S + 1] = "torch.nn.functional.avg_pool2d"

## Means over as many windows as give an image of `output_size` by `output_size`.
extern fn adaptive_avg_pool2d(input: [b C H W], output_size: Size[O]) -> [b C O O] = "torch.nn.functional.adaptive_avg_pool2d"

## Each pixel repeated `scale_factor` times in both directions.
extern fn interpolate(input: [b C H W], scale_factor: Size[F]) -> [b C F*H F*W] = "shapescript_runtime.nn.interpolate"

## Turns every `r * r` channels into a square of pixels (Shi et al., 2016).
extern fn pixel_shuffle(input: [b C*r*r H W], upscale_factor: Size[r]) -> [b C H*r W*r] = "torch.nn.functional.pixel_shuffle"

## Turns every square of `r * r` pixels into channels: undoes `pixel_shuffle`.
extern fn pixel_unshuffle(input: [b C H*r W*r], downscale_factor: Size[r]) -> [b C*r*r H W] = "torch.nn.functional.pixel_unshuffle"

# --- along an axis ---

## Each vector along one axis divided by its length, or by `eps` where it is shorter.
extern fn normalize(x: [...], over: Axis[D], eps: float = 1e-12) -> [...] = "shapescript_runtime.nn.normalize"

## The largest value up to each position.
extern fn cummax(x: [...], over: Axis[n]) -> [...] = "shapescript_runtime.nn.cummax"

## The smallest value up to each position.
extern fn cummin(x: [...], over: Axis[n]) -> [...] = "shapescript_runtime.nn.cummin"

## The logarithm of the sum of exponentials up to each position.
extern fn logcumsumexp(x: [...], over: Axis[n]) -> [...] = "shapescript_runtime.nn.logcumsumexp"

## The first half of the last axis times the sigmoid of the second half (Dauphin et al., 2017).
extern fn glu(input: [... 2*n]) -> [... n] = "torch.nn.functional.glu"

## The distance of each row of `x1` to each row of `x2`.
extern fn cdist(x1: [... n D], x2: [... m D]) -> [... n m] NonNeg = "torch.cdist"

# --- losses: the mean over all elements ---

## The mean of the magnitudes of the errors.
extern fn l1_loss(input: [...], target: [...]) -> [] NonNeg = "torch.nn.functional.l1_loss"

## Half the squared error where it is below 1, and the magnitude less a half elsewhere.
extern fn smooth_l1_loss(input: [...], target: [...]) -> [] NonNeg = "torch.nn.functional.smooth_l1_loss"

## The cross-entropy of independent yes-or-no targets, from probabilities. From logits,
## `binary_cross_entropy_with_logits` is the stable choice.
extern fn binary_cross_entropy(input: [...] Unit, target: [...] Unit) -> [] NonNeg = "torch.nn.functional.binary_cross_entropy"

## The cross-entropy of independent yes-or-no targets, from logits.
extern fn binary_cross_entropy_with_logits(input: [...], target: [...] Unit) -> [] NonNeg = "torch.nn.functional.binary_cross_entropy_with_logits"

# --- further functions of numbers ---

## `x * tanh(softplus(x))` (Misra, 2019).
extern fn mish(x: Real) -> Real = "torch.nn.functional.mish"

## The scaled exponential linear unit, which keeps mean and variance from layer to layer (Klambauer et al., 2017).
extern fn selu(x: Real) -> Real = "torch.nn.functional.selu"

## `x` where it is from 0 to 6, and the nearer of the two elsewhere.
extern fn relu6(x: Real) -> NonNeg = "torch.nn.functional.relu6"

## `x / 6 + 1/2`, from 0 to 1: a sigmoid of straight lines.
extern fn hardsigmoid(x: Real) -> Unit = "torch.nn.functional.hardsigmoid"

## `x * hardsigmoid(x)` (Howard et al., 2019).
extern fn hardswish(x: Real) -> Real = "torch.nn.functional.hardswish"

## `x / (1 + abs(x))`.
extern fn softsign(x: Real) -> Signed = "torch.nn.functional.softsign"

## 2 to the power of `x`.
extern fn exp2(x: Real) -> NonNeg = "torch.exp2"

## The logarithm to base 2.
extern fn log2(x: Real) -> Real = "torch.log2"

## The logarithm to base 10.
extern fn log10(x: Real) -> Real = "torch.log10"

## `log(exp(x) + exp(y))`, computed so that nothing overflows.
extern fn logaddexp(x: Real, y: Real) -> Real = "shapescript_runtime.nn.logaddexp"

## The tangent of an angle in radians.
extern fn tan(x: Real) -> Real = "torch.tan"

## The angle whose tangent is `x`, in radians from -pi/2 to pi/2.
extern fn atan(x: Real) -> Real = "torch.atan"

## The hyperbolic sine.
extern fn sinh(x: Real) -> Real = "torch.sinh"

## The hyperbolic cosine.
extern fn cosh(x: Real) -> Pos = "torch.cosh"

## The number whose hyperbolic sine is `x`.
extern fn asinh(x: Real) -> Real = "torch.asinh"

## The number from 0 whose hyperbolic cosine is `x`, for numbers from 1.
extern fn acosh(x: Real) -> NonNeg = "torch.acosh"

## The number whose hyperbolic tangent is `x`, for numbers between -1 and 1.
extern fn atanh(x: Real) -> Real = "torch.atanh"

## `1 - erf(x)`, which stays exact where that is small.
extern fn erfc(x: Real) -> NonNeg = "torch.erfc"

## The number whose error function is `x`, for numbers between -1 and 1.
extern fn erfinv(x: Real) -> Real = "torch.erfinv"

## The logarithm of the magnitude of the gamma function.
extern fn lgamma(x: Real) -> Real = "torch.lgamma"

## The derivative of the logarithm of the gamma function.
extern fn digamma(x: Real) -> Real = "torch.digamma"

## True where a value is not a number.
extern fn isnan(x: Real) -> Mask = "torch.isnan"

## True where a value is infinite.
extern fn isinf(x: Real) -> Mask = "torch.isinf"

## True where a value is neither infinite nor not a number.
extern fn isfinite(x: Real) -> Mask = "torch.isfinite"

## Batch normalization: each index of the axis `over`, the channel, is normalized over every other axis of `x`. With
## Train, by the batch's own mean and biased variance; with Eval, by `running_mean` and `running_var`, which must be given
## then. It keeps no state: running statistics are values like any other, such as a model's buffers.
extern fn batch_norm(x: [...], mode: Mode, over: Axis[C], weight: [C] = none, bias: [C] = none, running_mean: [C] = none, running_var: [C] = none, eps: float = 1e-5) -> [...] = "shapescript_runtime.batch_norm"
