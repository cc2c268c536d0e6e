"""After an edit of one file, a program of several is checked as a fresh one is, and only what reads the edit again."""

from __future__ import annotations

import pytest

from shapescript_check import Checker
from tests.check.files import check
from tests.language.observed import observe

PROGRAM = {
    "sizes.ss": """\
dim Width = 4
dim Classes = 3
domain Level = [0, 1]
""",
    "scaling.ss": """\
fn twice(x: Real) -> Real = x * 2

fn leveled(x: [n], by: float) -> [n] NonNeg = relu(x) * 2

fn inferred(x: [n k]) = sum(x, over=k)

fn aside(x: [n]) -> [n] = -x
""",
    "training.ss": """\
## One step on whatever has a loss.
fn descend(mut m: M, mut opt: SGD[M], batch: [b] E) -> []:
    l, g = value_and_grad(loss, m, batch)
    update(mut m, mut opt, g)
    return l

fn fit(mut m: M, examples: Dataset[E]):
    opt = sgd(m, lr=0.1)
    for batch in examples |> batches(8):
        l = descend(mut m, mut opt, batch)

fn measured(m: M, batch: [b] E) -> [] = loss(m, batch) |> shown

fn shown(x: Real) -> Real = x * 100
""",
    "models.ss": """\
import sizes
import scaling

model Line:
    param slope: [sizes.Width sizes.Classes] = normal(std=0.1)

data Point:
    x: [sizes.Width]
    label: [] Index[sizes.Classes]

fn forward(m: Line, x: [b sizes.Width]) -> [b sizes.Classes] = x @ m.slope |> scaling.twice

fn loss(m: Line, batch: [b] Point) -> []:
    return cross_entropy(forward(m, batch.x), batch.label, over=sizes.Classes)
""",
    "main.ss": """\
import models
import sizes
import scaling
import training

fn start() -> models.Line = models.Line.init(seed=0)

fn scores(m: models.Line, x: [b sizes.Width]):
    y = forward(m, x)
    z = softmax(y, over=sizes.Classes)
    return z

fn levels(x: [n] sizes.Level):
    y = x |> scaling.twice
    z = sqrt(y)
    return z

fn totals(x: [n sizes.Width]) = scaling.inferred(x)

fn train(mut m: models.Line, points: Dataset[models.Point]):
    training.fit(mut m, points)

fn error_of(m: models.Line, batch: [b] models.Point) -> []:
    return training.measured(m, batch)

fn apart(x: [n]) -> [n] = x * 3
""",
}


class Project:
    """Files in an editor: each `edit` is checked with what is kept from before, and held against a fresh check."""

    def __init__(self, texts: dict[str, str]) -> None:
        self.texts = dict(texts)
        self.checker = Checker()
        self.check()

    def check(self) -> dict[str, list[str]]:
        """The bodies that were worked out, by file."""
        for path in self.texts:
            self.checker.kept(path).bodies.computed.clear()
        self.program = check(self.texts, checker=self.checker)
        assert observe(self.program) == observe(check(self.texts))
        computed = {p: [str(k) for k in self.checker.kept(p).bodies.computed] for p in self.texts}
        return {path: names for path, names in computed.items() if names}

    def edit(self, path: str, old: str, new: str) -> dict[str, list[str]]:
        assert self.texts[path].count(old) == 1
        self.texts[path] = self.texts[path].replace(old, new)
        return self.check()

    @property
    def codes(self) -> list[str]:
        return [d.code for d in self.program.diagnostics]


@pytest.fixture
def project() -> Project:
    made = Project(PROGRAM)
    assert made.codes == []
    return made


def test_each_body_is_checked_once() -> None:
    texts = dict(PROGRAM)
    checker = Checker()
    check(texts, checker=checker)
    computed = {path: checker.kept(path).bodies.computed for path in texts}
    assert computed["scaling.ss"] == ["twice", "leveled", "inferred", "aside"]
    assert computed["models.ss"] == ["forward", "loss"]
    # A generic function has no body of its own: each instance is checked in the file that calls it.
    assert computed["training.ss"] == ["shown"]
    assert sorted(map(str, computed["main.ss"])) == [
        "apart",
        "error_of",
        "levels",
        "scores",
        "start",
        "totals",
        "train",
        "training.descend[models.Line,models.Point]",
        "training.fit[models.Line,models.Point]",
        "training.measured[models.Line,models.Point]",
    ]


def test_nothing_changed_computes_nothing(project: Project) -> None:
    assert project.check() == {}


def test_a_body_is_checked_alone_where_nothing_depends_on_it(project: Project) -> None:
    assert project.edit("scaling.ss", "= -x", "= x - 1") == {"scaling.ss": ["aside"]}


def test_a_loss_s_body_is_read_where_it_is_differentiated(project: Project) -> None:
    assert project.edit("models.ss", "    return cross", "    unused = m\n    return cross") == {
        "models.ss": ["loss"],
        "main.ss": ["training.descend[models.Line,models.Point]"],
    }


def test_text_that_moves_everything_checks_nothing(project: Project) -> None:
    assert project.edit("sizes.ss", "dim Width", "# A note.\n\ndim Width") == {}
    assert project.edit("scaling.ss", "fn twice", "# A note.\n\nfn twice") == {}


def test_a_declaration_that_is_new_concerns_nobody(project: Project) -> None:
    assert project.edit("scaling.ss", "fn twice", "fn thrice(x: Real) -> Real = x * 3\n\nfn twice") == {
        "scaling.ss": ["thrice"]
    }
    assert project.edit("training.ss", "fn shown", "dim Unused = 3\n\nfn shown") == {}


def test_a_range_that_changes_is_followed_into_the_other_file(project: Project) -> None:
    computed = project.edit("scaling.ss", "= x * 2\n\nfn leveled", "= x * 5\n\nfn leveled")
    assert computed["scaling.ss"] == ["twice"]
    assert computed["models.ss"] == ["forward"]
    assert "levels" in computed["main.ss"]
    assert not {"scores", "apart", "train"} & set(computed["main.ss"])


def test_a_result_that_is_inferred_is_followed_into_the_other_file(project: Project) -> None:
    computed = project.edit("scaling.ss", "sum(x, over=k)", "x")
    assert computed == {"scaling.ss": ["inferred"], "main.ss": ["totals"]}


def test_a_signature_that_changes_is_followed(project: Project) -> None:
    computed = project.edit("models.ss", "fn forward(m: Line, x: [b", "fn forward(m: Line, x: [a")
    assert project.codes == ["E2303"]
    project.edit("models.ss", "[a sizes.Width]) -> [b", "[a sizes.Width]) -> [a")
    assert project.codes == []
    assert computed["models.ss"] == ["forward", "loss"]


def test_a_dim_is_followed_everywhere(project: Project) -> None:
    computed = project.edit("sizes.ss", "dim Width = 4", "dim Width = 5")
    assert project.codes == []
    assert computed["models.ss"] == ["forward", "loss"]
    assert {"scores", "totals"} <= set(computed["main.ss"])
    assert not {"levels", "apart"} & set(computed["main.ss"])


def test_a_dim_that_goes_is_missed_where_it_is_read(project: Project) -> None:
    project.edit("sizes.ss", "dim Classes = 3\n", "")
    assert set(project.codes) == {"E2303", "E2304"}
    project.edit("sizes.ss", "dim Width", "dim Classes = 3\ndim Width")
    assert project.codes == []


def test_a_generic_function_s_body_is_checked_again_for_its_instances(project: Project) -> None:
    computed = project.edit("training.ss", "    return l\n", "    twice = l * 2\n    return twice\n")
    assert set(computed) == {"main.ss"}
    assert "training.measured[models.Line,models.Point]" not in computed["main.ss"]
    assert not {"scores", "train", "error_of"} & set(computed["main.ss"])
    computed = project.edit("training.ss", "x * 100", "x * 10")
    assert computed == {"training.ss": ["shown"], "main.ss": ["training.measured[models.Line,models.Point]"]}


def test_an_error_in_a_generic_function_is_told_at_the_call(project: Project) -> None:
    project.edit("training.ss", "    return l\n", "    return g\n")
    assert project.codes == ["E2312"]
    assert "training.ss:5:12" in project.program.diagnostics[0].notes[0]
    # The place moves with the file that it is in.
    project.edit("training.ss", "## One step", "## One\n## step")
    assert "training.ss:6:12" in project.program.diagnostics[0].notes[0]
    project.edit("training.ss", "    return g\n", "    return l\n")
    assert project.codes == []


def test_a_model_that_loses_its_loss_and_gets_it_back(project: Project) -> None:
    project.edit("models.ss", "fn loss(", "fn losses(")
    assert project.codes == ["E2311", "E2311"]
    computed = project.edit("models.ss", "fn losses(", "fn loss(")
    assert project.codes == []
    assert "apart" not in computed["main.ss"]


def test_a_generic_function_that_goes_and_comes_back(project: Project) -> None:
    project.edit("training.ss", "fn measured(m: M, batch: [b] E)", "fn gauged(m: M, batch: [b] E)")
    assert project.codes == ["E2304"]
    project.edit("training.ss", "fn gauged(m: M, batch: [b] E)", "fn measured(m: M, batch: [b] E)")
    assert project.codes == []
    project.edit("training.ss", "fn measured(m: M, batch: [b] E)", "fn measured(m: [b], batch: [b])")
    assert project.codes == ["E2303"]


def test_a_broken_file_that_is_repaired(project: Project) -> None:
    project.edit("scaling.ss", "= -x", "= -y")
    assert project.codes == ["E2303"]
    assert project.edit("scaling.ss", "= -y", "= -x")["scaling.ss"] == ["aside"]
    assert project.codes == []


def test_an_import_that_comes_and_goes(project: Project) -> None:
    project.edit("main.ss", "import sizes\n", "")
    assert project.codes != []
    project.edit("main.ss", "import models\n", "import models\nimport sizes\n")
    assert project.codes == []
    project.edit("main.ss", "import sizes\n", "import sizes as of\n")
    assert project.codes != []
    project.edit("main.ss", "import sizes as of\n", "import sizes\n")
    assert project.codes == []


def test_a_circle_that_comes_and_goes(project: Project) -> None:
    project.edit("sizes.ss", "dim Width", "import models\n\ndim Width")
    assert project.codes != []
    project.edit("sizes.ss", "import models\n\ndim Width", "dim Width")
    assert project.codes == []


def test_another_file_of_the_name(project: Project) -> None:
    project.texts["other/models.ss"] = project.texts["models.ss"].replace("normal(std=0.1)", "zeros")
    project.edit("main.ss", "import models\n", "import other.models\n")
    assert project.codes == []
    project.edit("main.ss", "import other.models\n", "import models\n")
    assert project.codes == []


def test_what_a_file_is_checked_from_makes_no_difference(project: Project) -> None:
    for path in PROGRAM:
        program = check(project.texts, path, checker=project.checker)
        assert observe(program) == observe(check(project.texts, path))
    assert project.check() == {}
