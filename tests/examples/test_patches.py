"""examples/patches.ss against einops and torch by hand."""

from __future__ import annotations

from types import ModuleType

import einops
import pytest
import torch

import shapescript


@pytest.mark.parametrize(("batch", "rows", "columns"), [(1, 1, 1), (2, 14, 14), (3, 2, 5)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_patches_are_in_reading_order(
    patches: ModuleType, batch: int, rows: int, columns: int, dtype: torch.dtype
) -> None:
    images = torch.rand(batch, 3, 16 * rows, 16 * columns, generator=torch.Generator().manual_seed(0)).to(
        dtype
    )
    tokens = patches.patchify(images)
    wanted = einops.rearrange(images, "b c (gh p) (gw q) -> b (gh gw) (p q c)", p=16, q=16)
    assert tokens.dtype == dtype
    assert torch.equal(tokens, wanted)


def test_images_that_do_not_divide_into_patches_are_refused(patches: ModuleType) -> None:
    with pytest.raises(shapescript.ShapeError, match="230 isn't divisible by 16"):
        patches.patchify(torch.zeros(1, 3, 230, 224))


def test_pixels_outside_the_domain_are_refused(patches: ModuleType) -> None:
    with pytest.raises(shapescript.DomainError, match=r"value 255\.0 at"):
        patches.patchify(torch.full((1, 3, 16, 16), 255.0))


@pytest.mark.parametrize("kept", [0, 1, 7])
def test_empty_rows_are_dropped(patches: ModuleType, kept: int) -> None:
    rows = torch.zeros(9, patches.D)
    rows[:kept] = torch.rand(kept, patches.D, generator=torch.Generator().manual_seed(1)) + 0.1
    assert torch.equal(patches.nonempty_rows(rows), rows[:kept])


def test_a_claim_about_a_size_is_checked_when_it_runs(patches: ModuleType) -> None:
    full = torch.rand(196, patches.D, generator=torch.Generator().manual_seed(2)) + 0.1
    assert torch.equal(patches.full_tokens(full), full)
    full[3] = 0.0
    with pytest.raises(shapescript.ShapeError, match=r"\[196 D\].*got shape \(195, 768\)"):
        patches.full_tokens(full)
