"""Digits of the size of the README's training example, and datasets of them that loader workers can import."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.data import Dataset

D = 784
C = 10


def digits(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """So many images of noise, and labels."""
    generator = torch.Generator().manual_seed(0)
    images = torch.rand(count, D, generator=generator)
    return images, torch.randint(0, C, (count,), generator=generator)


class Augmented(Dataset):
    """Images that are turned over by chance, and made brighter or darker, as they are read."""

    def __init__(self, count: int) -> None:
        self.images, self.labels = digits(count)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> Any:
        image = self.images[index].view(28, 28)
        if torch.rand(()) < 0.5:
            image = image.flip(1)
        return (image * (0.8 + 0.4 * torch.rand(()))).reshape(D), self.labels[index]
