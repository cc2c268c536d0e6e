"""Datasets in a module of their own, which loader workers import."""

from __future__ import annotations

import os
import random
import signal
import sys
from typing import Any

import numpy
import torch
from torch.utils.data import Dataset, get_worker_info

from tests.training.mlp import C, D


class Counted(Dataset):
    """Item i is an image of i's, with a label."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        return torch.full((D,), float(index)), index % C


class Where(Counted):
    """Images of the process that read the item, whether it knows the program's main module, and its workers."""

    def __getitem__(self, index: int) -> Any:
        image = torch.zeros(D)
        image[0] = os.getpid()
        image[1] = float(hasattr(sys.modules["__main__"], "pytest"))
        info = get_worker_info()
        image[2] = -1 if info is None else info.num_workers
        image[3] = torch.get_num_threads()
        return image, 0


class Narrow(Counted):
    """Item 37 has an image that is too small."""

    def __getitem__(self, index: int) -> Any:
        return torch.zeros(D - 1 if index == 37 else D), 0


class Mislabelled(Counted):
    """Item 21 has a label that there isn't."""

    def __getitem__(self, index: int) -> Any:
        return torch.zeros(D), 99 if index == 21 else 0


class Failing(Counted):
    """Item 5 can't be read."""

    def __getitem__(self, index: int) -> Any:
        if index == 5:
            raise KeyError("no such file")
        return super().__getitem__(index)


class Odd(Exception):
    """Can't be pickled: it is made of two arguments, and says it was made of one."""

    def __init__(self, what: str, where: str) -> None:
        super().__init__(f"{what} in {where}")


class FailingOddly(Counted):
    def __getitem__(self, index: int) -> Any:
        raise Odd("nothing", "particular")


class Leaving(Counted):
    """Reading item 5 ends the process."""

    def __getitem__(self, index: int) -> Any:
        if index == 5:
            sys.exit(3)
        return super().__getitem__(index)


class Killed(Counted):
    """Reading item 5 kills the process."""

    def __getitem__(self, index: int) -> Any:
        if index == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


class Noisy(Counted):
    """Images of noise, as augmentations draw it."""

    def __getitem__(self, index: int) -> Any:
        image = torch.rand(D)
        image[0] = random.random()
        image[1] = numpy.random.rand()
        return image, 0


class Held(Counted):
    """Holds a large array and a tensor, and can be written to."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.array = numpy.arange(count, dtype=numpy.float32)
        self.tensor = torch.arange(count, dtype=torch.bfloat16)

    def __getitem__(self, index: int) -> Any:
        self.array[index] += 1
        return {"img": torch.full((D,), self.array[index] + self.tensor[index]), "label": 0}


class Broken(Counted):
    """Can be pickled, and not unpickled."""

    def __reduce__(self) -> Any:
        return _raise, ()


def _raise() -> None:
    raise OSError("the data isn't on this machine")


class Large(Counted):
    """Items of 4 MB."""

    def __getitem__(self, index: int) -> Any:
        return torch.full((2**20,), float(index))


class Many(Counted):
    """Reads several items at once."""

    def __getitems__(self, indices: list[int]) -> Any:
        return [{"label": index % C, "img": [float(index)] * D, "more": None} for index in indices]
