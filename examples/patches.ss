# Cutting photographs into patches, the tokens of a vision transformer.

devices cpu

## The side of a patch, in pixels.
dim P = 16
## The width of a token: three colours of P by P pixels.
dim D = 3 * P * P

## Cuts each image into a row of patches, left to right and top to bottom. Any height and width that are multiples of
## 16 will do: the caller's image decides how many rows and columns of patches there are.
fn patchify(img: [b 3 16gh 16gw] Unit) -> [b (gh gw) D] Unit:
    return img |> rearrange(b c (gh p) (gw q) -> b (gh gw) (p q c))

## The rows that hold anything at all. How many is only known once the values are.
fn nonempty_rows(x: [n D]) -> [?k D] = x[sum(x, over=D) != 0.0]

## The tokens of a 224 by 224 image none of whose patches is black. The claim that there are 14 * 14 of them is checked
## when it runs.
fn full_tokens(tokens: [n D]) -> [196 D] = nonempty_rows(tokens) as [196 D]
