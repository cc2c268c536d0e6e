"""The main job, from source to result: check, catch a mistake, then run attention over a real photograph.

Run by `nox -s demo`, or by hand where shapescript, torch and scikit-learn are installed:

    python examples/demo.py
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

EXAMPLES = Path(__file__).parent


def shapescript(*arguments: str) -> int:
    """Runs the command line, as a person would type it, and gives its exit code."""
    print(f"$ shapescript {' '.join(arguments)}", flush=True)
    return subprocess.run(
        [sys.executable, "-m", "shapescript", *arguments], cwd=EXAMPLES, check=False
    ).returncode


def heading(text: str) -> None:
    print(f"\n== {text} ==", flush=True)


def check_examples() -> None:
    heading("1. The checker proves every shape of the examples, without running them")
    code = shapescript("check", "attention.ss", "patches.ss")
    if code != 0:
        raise SystemExit("the examples should check")


def catch_a_mistake() -> None:
    """Swaps two names of attention's last einsum: PyTorch would run it and give wrong numbers."""
    heading("2. One mistake: two axes swapped in the last einsum")
    source = (EXAMPLES / "attention.ss").read_text(encoding="utf-8")
    right = "einsum(attended, v: b H n m, b H m Dh -> b H n Dh)"
    wrong = "einsum(attended, v: b H m n, b H m Dh -> b H n Dh)"
    if right not in source:
        raise SystemExit("attention.ss no longer has the line that this shows a mistake in")
    with tempfile.TemporaryDirectory() as folder:
        mistaken = Path(folder) / "mistaken.ss"
        mistaken.write_text(source.replace(right, wrong), encoding="utf-8")
        if shapescript("check", str(mistaken)) != 1:
            raise SystemExit("the mistake should have been caught")


def attend_to_a_photograph() -> None:
    """Photograph to patches to causal attention, beside torch's own attention on the same numbers."""
    import torch
    from sklearn.datasets import load_sample_image

    import shapescript

    shapescript.install()
    sys.path.insert(0, str(EXAMPLES))
    import attention
    import patches

    heading("3. A photograph, cut into patches, through causal attention")
    pixels = torch.from_numpy(load_sample_image("flower.jpg").copy())
    image = pixels[:416, :640].permute(2, 0, 1)[None].float() / 255
    print(f"photograph {tuple(pixels.shape)}, cropped and scaled to {tuple(image.shape)}")
    tokens = patches.patchify(image)
    filled = patches.nonempty_rows(tokens[0])
    print(f"patchify gives {tuple(tokens.shape)} tokens, {len(filled)} of them not empty")

    generator = torch.Generator().manual_seed(0)
    width = attention.D
    w_qkv = torch.randn(width, 3 * width, generator=generator) / width**0.5
    w_o = torch.randn(width, width, generator=generator) / width**0.5
    ours = attention.causal_attention(tokens, w_qkv, w_o)
    theirs = torch_attention(tokens, w_qkv, w_o, attention.H)
    difference = (ours - theirs).abs().max().item()
    print(f"causal_attention gives {tuple(ours.shape)}")
    print(f"largest difference from torch's scaled_dot_product_attention: {difference:.1e}")
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-5)
    print("they agree")


def torch_attention(x, w_qkv, w_o, heads):  # type: ignore[no-untyped-def]
    """The same attention, written by hand with torch's own kernel."""
    from torch.nn.functional import scaled_dot_product_attention

    b, n, width = x.shape
    q, k, v = (x @ w_qkv).view(b, n, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
    attended = scaled_dot_product_attention(q, k, v, is_causal=True)
    return attended.transpose(1, 2).reshape(b, n, width) @ w_o


def main() -> None:
    check_examples()
    catch_a_mistake()
    attend_to_a_photograph()


if __name__ == "__main__":
    main()
