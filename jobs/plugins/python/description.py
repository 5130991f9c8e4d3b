"""Scripts: loaded, what goes wrong in them as sentences, and what describe() returned, checked.

CMakeLists.txt compiles this text into the plug-in, as the module scow_description.
"""
import difflib
import math
import operator
import os
import sys
import traceback
import types

import numpy

KEYS = ("tasks", "records", "measured", "grid", "reduction", "emits", "batch", "given")
GRID_KEYS = ("shape", "dtype", "tile", "picture")
MOST = 2**53
README = "see jobs/plugins/python/README.md"
TYPES = {}  # scow's number of each type of numpy's; the plug-in fills it


class Refusal(Exception):
    """A script, or what it does, cannot be used; says so in a sentence."""


# ---- sentences ----------------------------------------------------------------------------------


def one_line(text):
    """Without what scow's sentences cannot have: newlines, zeros, bytes that were no UTF-8."""
    text = " ".join(text.replace("\0", " ").split())
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def message_of(error):
    """What an exception says, on one line."""
    try:
        said = str(error.msg if isinstance(error, SyntaxError) else error)
    except Exception:
        said = ""
    if isinstance(error, SystemExit):
        said = "a script cannot end the run; raise an exception that says what is wrong"
    said = one_line(said)
    return f"{type(error).__name__}: {said[:220]}" if said else type(error).__name__


def place_of(error, path):
    """The script's line that an exception comes from, and what it called there."""
    name = os.path.basename(path)
    steps = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        steps.append((error.filename, error.lineno))
    own = [line for file, line in steps if file == path]
    if not own:
        return name
    file, line = steps[-1]
    within = f" (within {os.path.basename(file)}, line {line})" if file != path else ""
    return f"{name}, line {own[-1]}{within}"


def explain(error, path):
    """An exception as one sentence that names the script and its line."""
    if isinstance(error, Refusal):
        return str(error)
    return f"{place_of(error, path)}: {message_of(error)}"


def refuse(path, function, sentence):
    """Raise a refusal of what this function of the script is or does."""
    code = getattr(function, "__code__", None)
    name = os.path.basename(path)
    line = f", line {code.co_firstlineno}" if code and code.co_filename == path else ""
    raise Refusal(one_line(f"{name}{line}: {sentence}"))


# ---- scripts ------------------------------------------------------------------------------------

_modules = {}


def script_load(path, text):
    """The script as a module, run once a process. Its folder is searched for what it imports."""
    if (path, text) not in _modules:
        module = types.ModuleType("scow_script")
        module.__file__ = path
        sys.modules["scow_script"] = module
        sys.argv = [path]
        if os.path.dirname(path) not in sys.path:
            sys.path.insert(0, os.path.dirname(path))
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
        _modules[path, text] = module
    return _modules[path, text]


def function_find(module, name, form, needed=True):
    """A function of a script's; None where it has none and needs none."""
    found = getattr(module, name, None)
    if found is None and not needed:
        return None
    if not callable(found):
        refuse(module.__file__, None, f"defines no function {form}: {README}")
    return found


# ---- what describe returns ----------------------------------------------------------------------


def name_of(dtype):
    return dtype.kind + str(dtype.itemsize)


class Description:
    """What describe() returned, checked. The same on every rank: pickled by the master."""

    def __init__(self, path, function, said, lines):
        self.path = path
        self.function = function
        if not isinstance(said, dict):
            form = '{"tasks": 1000, "records": [("area", "f8")]}'
            self.refuse(f"describe must return a dict such as {form}, not {said!r:.60}")
        self.keys_check(said, KEYS, "describe's dict")
        self.measured = self.names(said.get("measured", []))
        self.records = self.records_check(said.get("records"))
        self.grid = self.grid_check(said.get("grid"))
        self.reduction = self.reduction_check(said.get("reduction"))
        self.emits = bool(said.get("emits", False))
        self.given = said.get("given")
        self.batch = self.whole(said.get("batch", 0), "'batch'", 0, MOST)
        if self.records is None and not (self.grid or self.reduction or self.emits):
            self.refuse('describe names no results: add "records", "grid" or "reduction"')
        self.tasks = self.tasks_check(said.get("tasks"), lines)
        del self.function

    def refuse(self, sentence):
        refuse(self.path, self.function, sentence)

    def keys_check(self, said, known, what):
        for key in said:
            if key not in known:
                near = difflib.get_close_matches(str(key), known, 1)
                hint = f" (did you mean '{near[0]}'?)" if near else ""
                self.refuse(f"{what} has an unknown key {key!r:.60}{hint}")

    def whole(self, value, what, least, most):
        try:
            number = operator.index(value)
        except TypeError:
            self.refuse(f"{what} must be a whole number, not {value!r:.60}")
        if not least <= number <= most:
            self.refuse(f"{what} must be from {least} to {most}, not {number}")
        return number

    def names(self, said):
        if isinstance(said, str) or not all(isinstance(name, str) for name in said):
            self.refuse(f"'measured' must be a list of names of fields, not {said!r:.60}")
        return list(said)

    def dtype(self, said, what):
        try:
            return numpy.dtype(said)
        except Exception as error:
            self.refuse(f"{what} is no numpy dtype: {message_of(error)}")

    def type_check(self, dtype, what, text):
        """Must be a number that scow knows, or, in records, bytes."""
        bytes_fit = text and dtype.kind == "S" and dtype.itemsize > 0
        if not (bytes_fit or name_of(dtype) in TYPES and dtype.isnative):
            known = [name for name in TYPES if name != "S"] + ["S1, S2, ..."] * text
            self.refuse(f"{what} is {dtype}, which scow cannot store: use {', '.join(known)}")

    def records_check(self, said):
        dtype = None if said is None else self.dtype(said, "'records'")
        if dtype is not None and not dtype.names:
            form = '[("area", "f8"), ("steps", "i4")]'
            self.refuse(f"'records' must be fields with names, such as {form}")
        for name in dtype.names if dtype else ():
            self.type_check(dtype[name].base, f"'records': field '{name}'", True)
        for name in self.measured:
            if not dtype or name not in dtype.names:
                self.refuse(f"'measured' names '{name:.60}', which is no field of 'records'")
        return dtype

    def extent(self, said, what):
        try:
            extent = tuple(said)
        except TypeError:
            extent = (said,)
        return tuple(self.whole(number, what, 1, MOST) for number in extent)

    def grid_check(self, said):
        if said is None:
            return None
        if not isinstance(said, dict) or not {"shape", "dtype", "tile"} <= said.keys():
            form = '{"shape": (1200, 1600), "dtype": "u2", "tile": (100, 100)}'
            self.refuse(f"'grid' must be a dict such as {form}")
        self.keys_check(said, GRID_KEYS, "'grid'")
        dtype = self.dtype(said["dtype"], "'grid': dtype")
        self.type_check(dtype, "'grid': dtype", False)
        shape = self.extent(said["shape"], "'grid': shape")
        tile = self.extent(said["tile"], "'grid': tile")
        if not 1 <= len(shape) <= 3 or len(tile) != len(shape):
            self.refuse("'grid': shape and tile must have the same one to three dimensions")
        tile = tuple(min(pair) for pair in zip(tile, shape))
        picture = bool(said.get("picture", False))
        return {"shape": shape, "dtype": dtype, "tile": tile, "picture": picture}

    def reduction_check(self, said):
        if said is None:
            return None
        dtype = self.dtype(said, "'reduction'")
        if dtype.hasobject or not 1 <= dtype.itemsize <= 2**24:
            self.refuse("'reduction' must be a dtype without objects, of 1 byte to 16 MiB")
        return dtype

    def tasks_check(self, said, lines):
        if self.grid:
            counts = [-(-n // t) for n, t in zip(self.grid["shape"], self.grid["tile"])]
            derived, of = math.prod(counts), "tiles of the grid"
            if lines >= 0 and lines != derived:
                self.refuse(f"each line is a core task: {lines}, but the grid has {derived} tiles")
        elif lines >= 0:
            derived, of = lines, "lines"
        elif said is None:
            self.refuse("describe does not say how many 'tasks' there are")
        else:
            return self.whole(said, "'tasks'", 1, MOST)
        if said is not None and self.whole(said, "'tasks'", 1, MOST) != derived:
            self.refuse(f"'tasks' is {said}, but there are {derived} {of}: leave it out")
        return derived
