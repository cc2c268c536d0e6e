"""Datasets: what they take, what becomes of their items, and in what order they come."""

from __future__ import annotations

from typing import Any

import numpy
import pytest
import torch
from torch.utils.data import DataLoader, IterableDataset, Subset, TensorDataset

import shapescript_runtime as rt
from tests.training.loaded import Counted, Many
from tests.training.mlp import C, D, Digit, images

pytestmark = pytest.mark.usefixtures("no_workers")


def dataset(items: Any, record: type[rt.Batch] = Digit) -> rt.Dataset:
    return rt.as_dataset(items, record, "a.ss:9:9", "train", "run")


def labels(batches: Any) -> list[list[int]]:
    return [batch.label.tolist() for batch in batches]


def firsts(batches: Any) -> list[int]:
    return [int(image[0]) for batch in batches for image in batch.img]


class TestBatches:
    def test_the_last_one_is_shorter(self) -> None:
        batches = rt.batched(dataset(Counted(10)), 4)
        assert len(batches) == 3
        assert [len(batch.label) for batch in batches] == [4, 4, 2]
        assert firsts(batches) == list(range(10))

    def test_they_are_batches_of_the_record(self) -> None:
        (batch,) = rt.batched(dataset(Counted(3)), 8)
        assert type(batch) is Digit
        assert (batch.img.shape, batch.img.dtype) == ((3, D), torch.float32)
        assert (batch.label.shape, batch.label.dtype) == ((3,), torch.int64)
        assert repr(batch) == "Digit(img=[3, 12], label=[3])"

    def test_an_empty_dataset_has_none(self) -> None:
        assert list(rt.batched(dataset([]), 4)) == []

    @pytest.mark.parametrize(("size", "error"), [(0, ValueError), (-1, ValueError), (2.0, TypeError)])
    def test_a_size_is_an_int_of_at_least_1(self, size: Any, error: type[Exception]) -> None:
        with pytest.raises(error):
            rt.batched(dataset(Counted(3)), size)


class TestShuffling:
    def test_the_order_is_the_seeds(self) -> None:
        one = firsts(rt.batched(rt.shuffled(dataset(Counted(50)), 1), 8))
        assert sorted(one) == list(range(50))
        assert one != list(range(50))
        assert firsts(rt.batched(rt.shuffled(dataset(Counted(50)), 1), 8)) == one
        assert firsts(rt.batched(rt.shuffled(dataset(Counted(50)), 2), 8)) != one

    def test_it_is_the_same_for_a_dataset_kept_on_the_device(self) -> None:
        tensors = TensorDataset(torch.arange(50.0)[:, None].expand(50, D), torch.zeros(50, dtype=torch.int64))
        kept = firsts(rt.batched(rt.shuffled(dataset(tensors), 1), 8))
        assert kept == firsts(rt.batched(rt.shuffled(dataset(Counted(50)), 1), 8))

    def test_torchs_generator_is_left_alone(self) -> None:
        before = torch.get_rng_state()
        torch.manual_seed(5)
        one = firsts(rt.batched(rt.shuffled(dataset(Counted(50)), 1), 8))
        torch.set_rng_state(before)
        assert firsts(rt.batched(rt.shuffled(dataset(Counted(50)), 1), 8)) == one
        assert torch.equal(torch.get_rng_state(), before)

    def test_shuffling_twice_is_another_order(self) -> None:
        once = rt.shuffled(dataset(Counted(50)), 1)
        twice = firsts(rt.batched(rt.shuffled(once, 2), 50))
        assert sorted(twice) == list(range(50))
        assert twice != firsts(rt.batched(once, 50))

    def test_it_takes_a_dataset_and_an_int(self) -> None:
        with pytest.raises(
            rt.KindError, match="argument `dataset` of `shuffle` should be a dataset, got a list"
        ):
            rt.shuffled([], 1)
        with pytest.raises(TypeError, match="the seed of shuffle is an int, not a float"):
            rt.shuffled(dataset(Counted(3)), 1.0)
        with pytest.raises(rt.KindError, match="argument `dataset` of `batches` should be a dataset"):
            rt.batched(Counted(3), 1)


class TestParameters:
    """What `train: Dataset[Digit]` takes."""

    @pytest.mark.parametrize("items", [[(torch.zeros(D), 1)], ((torch.zeros(D), 1),), Counted(1)])
    def test_anything_with_a_length_and_items(self, items: Any) -> None:
        assert len(dataset(items)) == 1

    def test_a_dataset_stays_the_same(self) -> None:
        one = dataset(Counted(3))
        assert rt.as_dataset(one, Digit, "a.ss:1:1") is one

    @pytest.mark.parametrize("value", [3, None, "text", iter([1])])
    def test_nothing_else(self, value: Any) -> None:
        message = (
            r"^a\.ss:9:9: argument `train` of `run` should be a dataset of `Digit`, an object with __len__"
        )
        with pytest.raises(rt.KindError, match=message):
            dataset(value)

    def test_a_loader_and_an_iterable_dataset_say_what_to_do(self) -> None:
        class Endless(IterableDataset[Any]):
            def __iter__(self) -> Any:
                return iter([])

            def __len__(self) -> int:
                return 1

        with pytest.raises(rt.KindError, match="got a DataLoader: pass the dataset itself"):
            dataset(DataLoader(Counted(3)))
        with pytest.raises(rt.KindError, match="got an Endless, whose examples have no numbers"):
            dataset(Endless())

    def test_no_dataset_of_another_record(self) -> None:
        other = type("Other", (rt.Batch,), {"_ss_fields": Digit._ss_fields})
        with pytest.raises(rt.KindError, match="should be a dataset of `Digit`, got one of `Other`"):
            dataset(rt.as_dataset([], other, "a.ss:1:1"))


class TestItems:
    """What an example may be."""

    @pytest.mark.parametrize(
        "item",
        [
            (torch.arange(12.0), torch.tensor(1)),
            [numpy.arange(12, dtype=numpy.float64), numpy.int32(1)],
            {"label": 1, "img": list(range(12)), "name": "ignored"},
            Digit(img=torch.arange(12), label=torch.tensor(1, dtype=torch.uint8)),
            (torch.arange(12.0, requires_grad=True), True),
            (torch.arange(12.0).as_subclass(torch.nn.Parameter), 1),
        ],
    )
    def test_it_is_converted_to_the_fields_dtypes(self, item: Any) -> None:
        (batch,) = rt.batched(dataset([item] * 2), 2)
        assert torch.equal(batch.img, torch.arange(12.0).expand(2, 12))
        assert batch.label.tolist() == [1, 1]
        assert batch.label.dtype == torch.int64
        assert not batch.img.requires_grad

    def test_items_of_a_batch_may_differ(self) -> None:
        items = [
            (torch.zeros(D), 1),
            (numpy.ones(D), torch.tensor(2)),
            {"img": [2] * D, "label": numpy.int8(0)},
        ]
        (batch,) = rt.batched(dataset(items), 3)
        assert batch.img[:, 0].tolist() == [0.0, 1.0, 2.0]
        assert batch.label.tolist() == [1, 2, 0]

    def test_read_only_arrays_are_taken_without_a_warning(self, recwarn: Any) -> None:
        array = numpy.ones(D, dtype=numpy.float32)
        array.setflags(write=False)
        (batch,) = rt.batched(dataset([(array, 0), (array, 1)]), 2)
        assert batch.img.sum() == 2 * D
        assert not recwarn.list

    def test_several_can_be_read_at_once(self) -> None:
        batches = list(rt.batched(dataset(Many(5)), 2))
        assert firsts(batches) == [0, 1, 2, 3, 4]
        assert labels(batches) == [[0, 1], [2, 0], [1]]

    def test_they_may_come_stacked(self) -> None:
        class Stacked(Many):
            def __getitems__(self, indices: list[int]) -> Any:
                img = numpy.stack([numpy.full(D, i) for i in indices])
                return {"label": torch.tensor(indices) % C, "img": img, "more": None}

        batches = list(rt.batched(rt.shuffled(dataset(Stacked(5)), 1), 2))
        assert sorted(firsts(batches)) == [0, 1, 2, 3, 4]
        assert [value for batch in batches for value in batch.label] == [n % C for n in firsts(batches)]
        assert batches[0].img.dtype == torch.float32

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"img": torch.zeros(3, D)}, "returned 3 values of `img` for 2 indices"),
            ({"img": torch.zeros(2, D - 1)}, "field `img` of item 0 should be .* got shape"),
            ({"label": torch.zeros(2)}, "field `label` of item 0 should be .*of integers"),
            ({"label": torch.tensor([0, C])}, "field `label` of item 1 should be"),
            ({"label": 1}, "returned 1 values of `label` for 2 indices"),
        ],
    )
    def test_what_comes_stacked_is_checked_too(self, change: Any, message: str) -> None:
        class Stacked(Many):
            def __getitems__(self, indices: list[int]) -> Any:
                return {"img": torch.zeros(2, D), "label": torch.zeros(2, dtype=torch.int64), **change}

        with pytest.raises((rt.ShapeError, rt.DomainError), match=message):
            list(rt.batched(dataset(Stacked(2)), 2))

    def test_a_record_with_one_field_takes_its_value(self) -> None:
        class One(rt.Batch):
            _ss_fields = (rt.DataField("x", (3,), torch.float32, "[3]", "a.ss:1:1"),)

        for item in (torch.ones(3), [1, 1, 1], (torch.ones(3),), {"x": torch.ones(3)}, numpy.ones(3)):
            (batch,) = rt.batched(dataset([item] * 2, One), 2)
            assert torch.equal(batch.x, torch.ones(2, 3))
        (batch,) = rt.batched(dataset(torch.arange(6.0).view(2, 3), One), 2)
        assert torch.equal(batch.x, torch.arange(6.0).view(2, 3))

    def test_a_list_of_one_number_is_an_example_of_one_number(self) -> None:
        class One(rt.Batch):
            _ss_fields = (rt.DataField("x", (1,), torch.float32, "[1]", "a.ss:1:1"),)

        (batch,) = rt.batched(dataset([[5.0], (torch.tensor([6.0]),)], One), 2)
        assert batch.x.tolist() == [[5.0], [6.0]]

    @pytest.mark.parametrize(
        ("item", "message"),
        [
            (
                (torch.zeros(D - 1), 0),
                "mlp.ss:21:5: field `img` of item 1 should be [D] = (12,), got shape (11,)",
            ),
            (
                (torch.zeros(1, D), 0),
                "mlp.ss:21:5: field `img` of item 1 should be [D] = (12,), got shape (1, 12)",
            ),
            (
                (torch.zeros(D), [0]),
                "mlp.ss:22:5: field `label` of item 1 should be [] Index[C] = (), got shape (1,)",
            ),
            (
                (torch.zeros(D), 0.5),
                "mlp.ss:22:5: field `label` of item 1 should be [] Index[C] = (), of integers, got float32",
            ),
            (
                (torch.zeros(D, dtype=torch.complex64), 0),
                "mlp.ss:21:5: field `img` of item 1 should be [D] = (12,), of real numbers, got complex64",
            ),
            (
                (torch.zeros(D), "one"),
                "mlp.ss:22:5: field `label` of item 1 should be [] Index[C] = (), got a str, "
                "which torch.as_tensor doesn't take",
            ),
            (
                {"img": torch.zeros(D)},
                "mlp.ss:22:5: field `label` of item 1 should be [] Index[C] = (), got no `label`: the item has img",
            ),
            (
                (torch.zeros(D), 0, 1),
                "mlp.ss:21:5: field `img` of item 1 should be [D] = (12,), got 3 values in the item, not 2, "
                "for img, label",
            ),
            (
                torch.zeros(D),
                "mlp.ss:21:5: field `img` of item 1 should be [D] = (12,), got a tensor of shape (12,) as the item, "
                "not a dict or a tuple with img, label",
            ),
            (
                (torch.zeros(D), 10**30),
                "mlp.ss:22:5: field `label` of item 1 should be [] Index[C] = (), "
                "got the int 1000000000000000000000000000000, which torch.as_tensor doesn't take",
            ),
        ],
    )
    def test_one_that_does_not_fit_is_named(self, item: Any, message: str) -> None:
        with pytest.raises(rt.ShapeError) as raised:
            list(rt.batched(dataset([(torch.zeros(D), 0), item]), 4))
        assert str(raised.value) == message

    def test_a_value_outside_its_domain_is_named(self) -> None:
        items = [(torch.zeros(D), 0), (torch.zeros(D), 1), (torch.zeros(D), C)]
        with pytest.raises(rt.DomainError) as raised:
            list(rt.batched(dataset(items), 4))
        assert str(raised.value) == (
            "mlp.ss:22:5: field `label` of item 2 should be [] Index[C]; value 3 is above 2"
        )

    def test_an_integer_that_its_dtype_would_wrap_is_named(self) -> None:
        class Byte(rt.Batch):
            _ss_fields = (rt.DataField("x", (2,), torch.uint8, "[2] u8", "a.ss:1:1"),)

        assert next(iter(rt.batched(dataset([[255, 0]], Byte), 1))).x.tolist() == [[255, 0]]
        with pytest.raises(rt.DomainError) as raised:
            list(rt.batched(dataset([[1, 2], [3, 300]], Byte), 2))
        assert str(raised.value) == (
            "a.ss:1:1: field `x` of item 1 should be [2] u8 = (2,), got 300, outside uint8's 0 to 255"
        )

    def test_what_the_dataset_raises_is_raised(self) -> None:
        with pytest.raises(IndexError):
            list(rt.batched(dataset(Subset(Counted(3), [0, 1])), 1)) and list(rt.batched(dataset(Short()), 8))

    def test_and_says_which_item_it_was(self) -> None:
        class Broken(Counted):
            def __getitem__(self, index: int) -> Any:
                return super().__getitem__(index) if index != 4 else {}["missing"]

        with pytest.raises(KeyError, match="missing") as raised:
            list(rt.batched(dataset(Broken(6)), 6))
        assert raised.value.__notes__ == ["Raised by item 4 of the dataset."]


class Short(list):
    def __len__(self) -> int:
        return 3


class TestKeptOnTheDevice:
    def tensors(self, **changes: Any) -> TensorDataset:
        x, y = images()
        return TensorDataset(changes.get("x", x), changes.get("y", y))

    def read(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        """Counts the items that are read one by one."""
        read: list[int] = []
        original = TensorDataset.__getitem__

        def counted(self: Any, index: Any) -> Any:
            read.append(index)
            return original(self, index)

        monkeypatch.setattr(TensorDataset, "__getitem__", counted)
        return read

    def test_no_item_is_read(self, monkeypatch: pytest.MonkeyPatch) -> None:
        read = self.read(monkeypatch)
        tensors = self.tensors(y=images()[1].to(torch.int32))
        batches = list(rt.batched(rt.shuffled(dataset(tensors), 1), 16))
        assert read == []
        assert batches[0].label.dtype == torch.int64
        assert [len(batch.label) for batch in batches] == [16, 16, 8]

    def test_batches_are_theirs_to_change(self) -> None:
        tensors = self.tensors()
        for shuffled in (dataset(tensors), rt.shuffled(dataset(tensors), 1)):
            before = tensors.tensors[0].clone()
            next(iter(rt.batched(shuffled, 40))).img.zero_()
            assert torch.equal(tensors.tensors[0], before)

    def test_it_is_checked_once_until_it_changes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from shapescript_runtime import resident

        checked: list[str] = []
        original = resident.converted

        def counted(field: Any, *rest: Any) -> Any:
            checked.append(field.name)
            return original(field, *rest)

        monkeypatch.setattr(resident, "converted", counted)
        tensors = self.tensors()
        for _ in range(3):
            list(rt.batched(dataset(tensors), 16))
        assert checked == ["img", "label"]
        tensors.tensors[0][0] = 5.0
        assert next(iter(rt.batched(dataset(tensors), 1))).img[0, 0] == 5.0
        assert checked == ["img", "label"] * 2

    @pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64, numpy.uint8])
    def test_a_change_through_an_array_is_noticed(self, dtype: Any) -> None:
        x = numpy.zeros((40, D), dtype)
        tensors = self.tensors(x=torch.from_numpy(x))
        assert next(iter(rt.batched(dataset(tensors), 40))).img.sum() == 0.0
        x[30] = 1
        assert next(iter(rt.batched(dataset(tensors), 40))).img.sum() == D

    def test_parts_of_one_are_kept_too(self, monkeypatch: pytest.MonkeyPatch) -> None:
        read = self.read(monkeypatch)
        x, y = images()
        part = Subset(Subset(TensorDataset(x, y), [30, 2, -1, 7]), [2, 0])
        (batch,) = rt.batched(dataset(part), 4)
        assert torch.equal(batch.img, x[[-1, 30]])
        assert read == []

    @pytest.mark.parametrize(
        "bad", [{"x": torch.zeros(40, D - 1)}, {"y": torch.full((40,), C)}, {"y": torch.rand(40)}]
    )
    def test_one_with_an_item_that_does_not_fit_raises_as_any_other(self, bad: Any) -> None:
        tensors = self.tensors(**bad)
        with pytest.raises((rt.ShapeError, rt.DomainError), match="of item 0 should be"):
            list(rt.batched(dataset(tensors), 16))
        assert len(self.tensors(**bad)) == 40

    def test_items_before_the_one_that_does_not_fit_are_given(self) -> None:
        y = images()[1]
        y[20] = C
        batches = iter(rt.batched(dataset(self.tensors(y=y)), 16))
        assert torch.equal(next(batches).label, y[:16])
        with pytest.raises(rt.DomainError, match="field `label` of item 20"):
            next(batches)

    def test_a_subclass_that_changes_items_is_loaded(self) -> None:
        class Brighter(TensorDataset):
            def __getitem__(self, index: Any) -> Any:
                image, label = super().__getitem__(index)
                return image + 1, label

        x, y = images()
        (batch,) = rt.batched(dataset(Brighter(x, y)), 40)
        assert torch.equal(batch.img, x + 1)

    def test_a_subclass_that_changes_nothing_is_kept(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Named(TensorDataset):
            name = "digits"

        read = self.read(monkeypatch)
        (batch,) = rt.batched(dataset(Named(*images())), 40)
        assert torch.equal(batch.img, images()[0])
        assert read == []


class TestBatchParameters:
    """What `batch: [b] Digit` takes."""

    def test_a_batch_is_taken_as_it_is(self) -> None:
        batch = Digit(img=torch.zeros(2, D), label=torch.zeros(2))
        assert rt.as_batch(batch, Digit, "a.ss:1:1") is batch

    def test_a_dict_with_the_fields_becomes_one(self) -> None:
        values = {"label": torch.zeros(2), "img": torch.zeros(2, D), "more": 1}
        batch = rt.as_batch(values, Digit, "a.ss:1:1", "batch", "loss")
        assert type(batch) is Digit
        assert batch.img is values["img"]

    def test_a_function_of_one_compiles(self) -> None:
        def count(values: Any) -> torch.Tensor:
            return rt.as_batch(values, Digit, "a.ss:1:1").label.sum()

        values = {"img": torch.zeros(2, D), "label": torch.tensor([1, 2])}
        compiled = torch.compile(count, fullgraph=True, backend="eager")
        assert compiled(values) == 3
        assert compiled(Digit(**values)) == 3

    def test_so_does_a_batch_of_the_record_loaded_again(self) -> None:
        again = type("Digit", (rt.Batch,), {"_ss_fields": Digit._ss_fields})
        batch = rt.as_batch(again(img=torch.zeros(2, D), label=torch.zeros(2)), Digit, "a.ss:1:1")
        assert type(batch) is Digit

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            ({"img": 1}, "should be a batch of `Digit`, got a dict without `label`"),
            ([1, 2], "should be a batch of `Digit`, or a dict of its fields, got a list"),
            (torch.zeros(2), "should be a batch of `Digit`, or a dict of its fields, got a tensor"),
        ],
    )
    def test_anything_else_is_refused(self, value: Any, message: str) -> None:
        with pytest.raises(rt.ShapeError, match=r"^a\.ss:1:1: argument `batch` of `loss` " + message):
            rt.as_batch(value, Digit, "a.ss:1:1", "batch", "loss")

    def test_one_of_another_record_is_refused(self) -> None:
        other = type("Other", (rt.Batch,), {"_ss_fields": Digit._ss_fields})
        with pytest.raises(rt.KindError, match="should be a batch of `Digit`, got one of `Other`"):
            rt.as_batch(other(img=1, label=1), Digit, "a.ss:1:1", "batch", "loss")

    def test_only_what_was_loaded_counts_as_checked(self) -> None:
        (batch,) = rt.batched(dataset(Counted(3)), 8)
        assert batch._ss_checked
        batch.label = torch.full((3,), 99)
        assert not batch._ss_checked
        assert not Digit(img=1, label=1)._ss_checked  # type: ignore[arg-type]

    def test_one_is_made_of_its_fields(self) -> None:
        with pytest.raises(TypeError, match="Digit is made of img, label, not img"):
            Digit(img=torch.zeros(2))


def test_numbers_keep_what_their_field_can_hold() -> None:
    class Wide(rt.Batch):
        _ss_fields = (rt.DataField("x", (), torch.float64, "[] f64", "a.ss:1:1"),)

    (batch,) = rt.batched(dataset([[0.1], [1 / 3], [numpy.float64(0.2)], [7]], Wide), 4)
    assert batch.x.tolist() == [0.1, 1 / 3, 0.2, 7.0]
