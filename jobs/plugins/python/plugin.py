"""The plug-in's side in Python: packages as arrays, and a script made ready on a rank.

CMakeLists.txt compiles this text into the plug-in, as the module scow_plugin, and calls describe(),
explain(), Job and its methods. The plug-in puts here what compute may ask of scow: _reject, _emit.
"""
import hashlib
import json
import math
import operator
import os
import pickle
import platform
import sys
import types

import numpy

from scow_description import (
    TYPES,
    Description,
    explain,
    function_find,
    name_of,
    one_line,
    refuse,
    script_load,
)

# What scripts print is for people; standard output belongs to scow's results.
sys.stdout = sys.stderr

MERGE = "merge(state, part), which a reduction needs"
NEXT = "next_level(level), which a search in levels needs"


class Stopped(BaseException):
    """The run is being stopped. No Exception, so that scripts do not catch it by mistake."""


def describe(path, arguments, lines, longest, total, levels):
    """What all ranks must know, pickled, and the number of core tasks. lines < 0: no input."""
    with open(path, "rb") as file:
        text = file.read()
    module = script_load(path, text)
    function = function_find(module, "describe", "describe(arguments)")
    function_find(module, "compute", "compute(package)")
    description = Description(path, function, function(arguments), lines)
    if description.reduction is not None:
        function_find(module, "merge", MERGE)
    if levels:
        function_find(module, "next_level", NEXT)
    shared = (path, text, arguments, description, longest, total)
    return shared_of(shared, 1, description.given), description.tasks


def shared_of(job, number, given):
    """Of a level; `given` is what the script has for all ranks to know."""
    return pickle.dumps((job, number, given))


# ---- packages -----------------------------------------------------------------------------------


def array_over(buffer, dtype):
    """All of a buffer as one value of that type: a 0-d array, or of the type's own shape."""
    return numpy.frombuffer(buffer, dtype.base).reshape(dtype.shape)


class Package:
    """What compute(package) is given: some consecutive core tasks, and where their results go."""

    def __init__(self, job, records, grid, reduction, text, offsets):
        self._job = job
        self._buffers = {"records": records, "grid": grid, "reduction": reduction}
        self._text, self._offsets = text, offsets
        self.arguments = job.arguments
        self.context = None
        self.level, self.given = job.level, job.given
        self._forget()

    def _forget(self):
        self.records = self.reduction = self.text = self.offsets = self._cells = None

    def _begin(self, first, count, rank):
        said = self._job.said
        self.first, self.count, self.rank = first, count, rank
        if said.records is not None:
            self.records = numpy.frombuffer(self._buffers["records"], said.records)
        if said.reduction is not None:
            self.reduction = array_over(self._buffers["reduction"], said.reduction)
        if said.grid:
            cells = numpy.frombuffer(self._buffers["grid"], said.grid["dtype"])
            self._cells = cells.reshape(count, -1)
        if self._job.lines:
            self.text = numpy.frombuffer(self._text, "u1")
            self.offsets = numpy.frombuffer(self._offsets, "i8")

    @property
    def tasks(self):
        """The numbers of the core tasks, as an array."""
        return numpy.arange(self.first, self.first + self.count)

    @property
    def lines(self):
        """One str for each core task; bytes that are no UTF-8 become surrogates."""
        ends = self.offsets.tolist()
        start = ends[0]
        text = self.text[start : ends[-1]].tobytes()
        return [
            text[a - start : b - start].decode("utf-8", "surrogateescape")
            for a, b in zip(ends, ends[1:])
        ]

    def tiles(self):
        """(task, slices of the grid, array to fill) for each core task."""
        grid = self._job.said.grid
        if not grid:
            raise TypeError('describe says nothing of a "grid"')
        shape, tile = grid["shape"], grid["tile"]
        counts = [-(-n // t) for n, t in zip(shape, tile)]
        for k in range(self.count):
            index, where = self.first + k, []
            for n, t, c in reversed(list(zip(shape, tile, counts))):
                index, i = divmod(index, c)
                where.insert(0, slice(i * t, min(n, (i + 1) * t)))
            extent = [s.stop - s.start for s in where]
            values = self._cells[k, : math.prod(extent)].reshape(extent)
            yield self.first + k, tuple(where), values

    def _check(self, task):
        task = operator.index(task)
        if not self.first <= task < self.first + self.count:
            last = self.first + self.count - 1
            raise ValueError(f"core task {task} is not in this package ({self.first} to {last})")
        return task

    def reject(self, task, why):
        """That core task could not be done; the others go on."""
        _reject(self._check(task), one_line(str(why)))

    def emit(self, task, data):
        """Append bytes to what that core task leaves behind."""
        if not self._job.said.emits:
            raise TypeError('describe does not say "emits": True')
        _emit(self._check(task), data)


# ---- jobs ---------------------------------------------------------------------------------------


def plain(value):
    """As JSON can have it: numpy's values as Python's, infinities (which it lacks) as null."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    return None if isinstance(value, float) and not math.isfinite(value) else value


def fields_of(state):
    return {name: state[name] for name in state.dtype.names} if state.dtype.names else state


def json_of(value):
    return json.dumps(plain(value), default=str, allow_nan=False)


class Job:
    """A script made ready on one rank."""

    def __init__(self, shared):
        self.shared, self.level, self.given = pickle.loads(shared)
        self.path, text, self.arguments, self.said, self.longest, self.total = self.shared
        self.lines = self.longest >= 0
        self.module = script_load(self.path, text)
        self.digest = hashlib.sha256(text).hexdigest()
        self.compute = function_find(self.module, "compute", "compute(package)")
        self.start = function_find(self.module, "start", "start(arguments)", False)
        self.broken = None
        self.reduction_ready()

    def reduction_ready(self):
        """Errors in merge come to light here, not after the first package."""
        if self.said.reduction is None:
            return
        self.merging = function_find(self.module, "merge", MERGE)
        self.resetting = function_find(self.module, "reset", "reset(state)", False)
        self.outcome = function_find(self.module, "outcome", "outcome(state)", False)
        state, part = (bytearray(self.said.reduction.itemsize) for _ in range(2))
        self.clear(state)
        self.clear(part)
        self.add(state, part)

    def layout(self):
        """For the C side: grid, records, reduction, emitting, batch; lines' lengths; method."""
        grid, records = self.said.grid, self.said.records
        missing = 3 - len(grid["shape"]) if grid else 0
        pad = (1,) * missing
        return (
            TYPES[name_of(grid["dtype"])] if grid else 0,
            pad + grid["shape"] if grid else (0, 0, 0),
            pad + grid["tile"] if grid else (0, 0, 0),
            bool(grid and grid["picture"]),
            self.fields(),
            records.itemsize if records is not None else 0,
            self.said.reduction.itemsize if self.said.reduction is not None else 0,
            self.said.emits,
            self.said.batch,
            self.longest,
            self.total,
            f"{os.path.basename(self.path)} (sha256 {self.digest[:12]}) with Python "
            f"{platform.python_version()}, numpy {numpy.__version__}",
        )

    def fields(self):
        said = []
        for name in self.said.records.names if self.said.records is not None else ():
            dtype, offset = self.said.records.fields[name][:2]
            numbers = math.prod(dtype.shape)
            if dtype.base.kind == "S":
                kind, count = TYPES["S"], dtype.base.itemsize * numbers
            else:
                kind, count = TYPES[name_of(dtype.base)], numbers
            said.append((name, kind, offset, count, name in self.said.measured))
        return said

    def package(self, *buffers):
        """A package to be used again and again by one caller."""
        package = Package(self, *buffers)
        if self.start:
            package.context = self.start(self.arguments)
        return package

    def run(self, package, first, count, rank):
        package._begin(first, count, rank)
        records, reduction = package.records, package.reduction
        try:
            returned = self.compute(package)
            if package.records is not records or package.reduction is not reduction:
                form = 'package.records["area"] = ...'
                self.refuse(f"compute replaces an array of the package's: fill it in place, {form}")
            if returned is not None:
                self.columns_store(records, returned)
        finally:
            package._forget()

    def columns_store(self, records, columns):
        """What compute returned instead of filling the records."""
        names = records.dtype.names if records is not None else ()
        if not isinstance(columns, dict) or columns.keys() != set(names):
            form = "a dict of arrays: " + (", ".join(names) or "but there are no records")
            self.refuse(f"compute must return nothing or {form}; not {columns!r:.60}")
        for name, column in columns.items():
            column, field = numpy.asarray(column), records[name]
            if column.shape != field.shape:
                self.refuse(f"compute returns '{name}' of shape {column.shape}, not {field.shape}")
            if not numpy.can_cast(column.dtype, field.dtype, "same_kind"):
                form = f"convert it, numpy.asarray(..., '{name_of(field.dtype)}')"
                self.refuse(f"compute returns '{name}' as {column.dtype}: {form}")
            field[...] = column

    def refuse(self, sentence):
        refuse(self.path, self.compute, sentence)

    def kept(self):
        """Its memory is another package's from now on."""
        self.refuse("compute keeps an array of the package's: keep a copy, array.copy()")

    def clear(self, buffer):
        numpy.frombuffer(buffer, "u1")[...] = 0
        if self.resetting:
            self.resetting(array_over(buffer, self.said.reduction))

    def add(self, buffer, part):
        self.merging(array_over(buffer, self.said.reduction), array_over(part, self.said.reduction))

    def next_level(self, places, emitted):
        """The next level, as describe() has the first; no core tasks where there is none."""
        function = function_find(self.module, "next_level", NEXT)
        ends = numpy.frombuffer(places, "i8").tolist()
        emitted = bytes(emitted)
        level = types.SimpleNamespace(
            number=self.level,
            given=self.given,
            arguments=self.arguments,
            emitted=[emitted[a:b] for a, b in zip(ends, ends[1:])],
        )
        said = function(level)
        if said is None:
            return b"", 0
        if not isinstance(said, dict) or not {"tasks"} <= said.keys() <= {"tasks", "given"}:
            form = '{"tasks": 100, "given": ...}'
            refuse(self.path, function, f"next_level must return None or {form}, not {said!r:.60}")
        try:
            tasks = operator.index(said["tasks"])
        except TypeError:
            refuse(self.path, function, f"'tasks' must be a whole number, not {said['tasks']!r:.60}")
        return shared_of(self.shared, self.level + 1, said.get("given")), tasks

    def reset(self, buffer):
        self.guarded(self.clear, buffer)

    def merge(self, buffer, part):
        self.guarded(self.add, buffer, part)

    def guarded(self, function, *buffers):
        """Nothing can be refused here: errors are said at once, and spoil the run's outcome."""
        try:
            function(*buffers)
        except BaseException as error:
            if not self.broken:
                self.broken = explain(error, self.path)
                print(f"scow: {self.broken}", file=sys.stderr)

    def outcome_json(self, buffer):
        """None where merging went wrong."""
        if self.broken:
            return None
        state = array_over(buffer, self.said.reduction)
        try:
            return json_of((self.outcome or fields_of)(state))
        except BaseException as error:
            # What was computed is worth more than how it is shown.
            sentence = explain(error, self.path)
            print(f"scow: {sentence}", file=sys.stderr)
            return json_of({"error": sentence, "state": fields_of(state)})
