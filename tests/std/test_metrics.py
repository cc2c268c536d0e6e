"""std.metrics against scikit-learn and torch."""

from __future__ import annotations

import math
from types import ModuleType

import pytest
import sklearn.metrics
import torch
import torch.nn.functional as F

import shapescript

each_size = pytest.mark.parametrize(("count", "classes"), [(1, 2), (50, 3), (400, 10)])
dtypes = pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])


@each_size
@dtypes
def test_accuracy_and_confusion_matrix_are_those_of_scikit_learn(
    metrics: ModuleType, count: int, classes: int, dtype: torch.dtype
) -> None:
    labels = torch.randint(classes, (count,))
    scores = (torch.randn(count, classes) + F.one_hot(labels, classes)).to(dtype)
    predicted = scores.argmax(dim=1)
    accuracy = metrics.accuracy(scores, labels)
    assert accuracy.item() == pytest.approx(sklearn.metrics.accuracy_score(labels, predicted))
    matrix = metrics.confusion_matrix(scores, labels)
    expected = sklearn.metrics.confusion_matrix(labels, predicted, labels=range(classes))
    assert matrix.dtype == torch.int64
    assert matrix.tolist() == expected.tolist()
    assert accuracy.item() == pytest.approx((matrix.trace() / count).item())


def test_probabilities_are_scores_too(metrics: ModuleType) -> None:
    logits, labels = torch.randn(30, 4), torch.randint(4, (30,))
    assert metrics.accuracy(torch.softmax(logits, dim=1), labels) == metrics.accuracy(logits, labels)


def test_a_label_that_is_no_class_is_refused(metrics: ModuleType) -> None:
    with pytest.raises(shapescript.DomainError, match=r"argument `labels` of `accuracy`.*Index\[classes\]"):
        metrics.accuracy(torch.randn(3, 4), torch.tensor([0, 4, 1]))
    with pytest.raises(shapescript.ShapeError, match="argument `labels` of `confusion_matrix`"):
        metrics.confusion_matrix(torch.randn(3, 4), torch.tensor([0, 1]))


@dtypes
@pytest.mark.parametrize("shape", [(1, 1, 2), (3, 7, 11)])
def test_perplexity_is_the_exponential_of_torchs_cross_entropy(
    metrics: ModuleType, shape: tuple[int, int, int], dtype: torch.dtype
) -> None:
    logits = torch.randn(*shape, dtype=dtype)
    targets = torch.randint(shape[2], shape[:2])
    expected = F.cross_entropy(logits.flatten(0, 1), targets.flatten()).exp()
    torch.testing.assert_close(metrics.perplexity(logits, targets), expected)


def test_perplexity_counts_equally_likely_tokens(metrics: ModuleType) -> None:
    targets = torch.randint(8, (2, 5))
    assert metrics.perplexity(torch.zeros(2, 5, 8), targets).item() == pytest.approx(8)
    sure = 1e4 * F.one_hot(targets, 8).float()
    assert metrics.perplexity(sure, targets).item() == 1.0
    two = torch.full((2, 5, 8), -math.inf)
    two[:, :, :2] = 0.0
    assert metrics.perplexity(two, targets % 2).item() == pytest.approx(2)
