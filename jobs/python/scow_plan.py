"""Plans and predictions for work on clusters: scow's planner, without MPI and without a command line.

    import scow_plan
    profile = scow_plan.Profile.read("profile.json")      # what 'scow calibrate' wrote
    plan = profile.plan(tasks=100_000)
    print(plan.makespan_s, plan.interval_s, plan.workers)
    plan.write("plan.json")                               # what 'scow run' takes

    for workers in (8, 16, 32):                           # how many are worth it?
        print(workers, profile.plan(100_000, workers=workers).makespan_s)

The module calls the library libscow-plan, whose header scow-plan.h says more; it finds it where it is
installed beside it, where SCOW_PLAN_LIBRARY says, or where the system's loader does. Objects never change
once they are made, and any number of threads may use them: planning does not hold Python's lock.

Core tasks, packages and rounds are counted from 0, workers from 1, as the ranks of a run are.
"""

import collections
import ctypes
import json
import os
import pathlib
import weakref

__all__ = ["Plan", "PlanError", "Profile", "Infeasible", "Mismatch", "Package", "Simulation", "Usage",
           "objectives", "rules", "schedulers", "version"]

_ABI = 1
_PACKAGES_AT_A_TIME = 4096


class PlanError(Exception):
    """What the library says: one sentence. `code` is as the command's exit code; 1: the machine said no
    (a file that is missing, no memory)."""

    code = 1


class Usage(PlanError, ValueError):
    """What was asked for makes no sense."""

    code = 2


class Infeasible(PlanError):
    """No plan does what was asked for."""

    code = 3


class Mismatch(PlanError, ValueError):
    """A profile or a plan is wrong, or they do not match."""

    code = 4


#: A package of a plan: its round, the rank of its worker, its first core task and how many it has.
Package = collections.namedtuple("Package", "round rank first tasks")

#: What a simulation says; all but the counts packages and workers in seconds or as shares. The last four
#: are of all seeds.
Simulation = collections.namedtuple(
    "Simulation", "makespan_s ideal_s busy_share network_utilization earliest_end_s latest_end_s end_variation "
    "packages workers least_s median_s p95_s greatest_s")


# ---- the library ------------------------------------------------------------------------------------


class _Error(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("text", ctypes.c_char * 480)]


class _PlanRequest(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("tasks", ctypes.c_int64), ("workers", ctypes.c_int64),
                ("like", ctypes.c_char_p), ("scheduler", ctypes.c_char_p), ("set", ctypes.c_char_p),
                ("block", ctypes.c_int64), ("tail", ctypes.c_char_p), ("buffers", ctypes.c_int64),
                ("deadline_s", ctypes.c_double), ("effort_s", ctypes.c_double), ("real_valued", ctypes.c_int),
                ("within", ctypes.c_char_p), ("objective", ctypes.c_char_p), ("budget", ctypes.c_double),
                ("require", ctypes.c_char_p), ("exclude", ctypes.c_char_p), ("at_most", ctypes.c_char_p),
                ("price", ctypes.c_char_p), ("waits", ctypes.c_char_p)]


class _SimulationRequest(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("rule", ctypes.c_char_p), ("tasks", ctypes.c_int64),
                ("workers", ctypes.c_int64), ("set", ctypes.c_char_p), ("block", ctypes.c_int64),
                ("tail", ctypes.c_char_p), ("replan", ctypes.c_char_p), ("ahead", ctypes.c_int64),
                ("buffers", ctypes.c_int64), ("noise", ctypes.c_double), ("seed", ctypes.c_uint64),
                ("seeds", ctypes.c_int64), ("slow", ctypes.c_int64), ("slow_factor", ctypes.c_double),
                ("slow_from_s", ctypes.c_double), ("lose", ctypes.c_int64), ("lost_s", ctypes.c_double)]


class _Simulation(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t)] + [
        (name, ctypes.c_int64 if name in ("packages", "workers") else ctypes.c_double) for name in Simulation._fields]


class _Package(ctypes.Structure):
    _fields_ = [("round", ctypes.c_int64), ("rank", ctypes.c_int64), ("first", ctypes.c_double),
                ("tasks", ctypes.c_double)]


def _candidates():
    """Where the library may be, in order."""
    named = os.environ.get("SCOW_PLAN_LIBRARY")
    if named:
        return [named]
    soname = f"libscow-plan.so.{_ABI}"
    beside = [found for folder in list(pathlib.Path(__file__).resolve().parents)[:6]
              for pattern in (f"lib*/{soname}", f"lib/*/{soname}") for found in sorted(folder.glob(pattern))]
    return [*map(str, beside), soname]


def _load():
    tried = []
    for name in _candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError as error:
            tried.append(str(error))
            continue
        if library.scow_plan_abi() != _ABI:
            raise ImportError(f"{name} has interface {library.scow_plan_abi()}, and this module is for {_ABI}: "
                              "install both from one scow")
        return library
    raise ImportError("libscow-plan is not found: install scow, or say in SCOW_PLAN_LIBRARY where it is ("
                      + "; ".join(tried) + ")")


_library = _load()

_handle, _text, _request = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
_out, _error = ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(_Error)
_prototypes = {
    "scow_plan_version": (_text, []),
    "scow_scheduler_name": (_text, [ctypes.c_size_t]),
    "scow_scheduler_summary": (_text, [ctypes.c_size_t]),
    "scow_rule_name": (_text, [ctypes.c_size_t]),
    "scow_rule_summary": (_text, [ctypes.c_size_t]),
    "scow_objective_name": (_text, [ctypes.c_size_t]),
    "scow_objective_summary": (_text, [ctypes.c_size_t]),
    "scow_plan_text_free": (None, [_handle]),
    "scow_profile_read": (ctypes.c_int, [_out, _text, _error]),
    "scow_profile_parse": (ctypes.c_int, [_out, _text, ctypes.c_size_t, _text, _error]),
    "scow_profile_free": (None, [_handle]),
    "scow_profile_kernel": (_text, [_handle]),
    "scow_profile_sha256": (_text, [_handle]),
    "scow_profile_workers": (ctypes.c_int64, [_handle]),
    "scow_profile_settings": (ctypes.c_size_t, [_handle]),
    "scow_profile_text": (ctypes.c_int, [_out, _handle, _error]),
    "scow_plan_make": (ctypes.c_int, [_out, _handle, _request, _error]),
    "scow_plan_read": (ctypes.c_int, [_out, _text, _error]),
    "scow_plan_parse": (ctypes.c_int, [_out, _text, ctypes.c_size_t, _text, _error]),
    "scow_plan_free": (None, [_handle]),
    "scow_plan_text": (ctypes.c_int, [_out, _handle, _error]),
    "scow_plan_scheduler": (_text, [_handle]),
    "scow_plan_tail": (_text, [_handle]),
    "scow_plan_tasks": (ctypes.c_double, [_handle]),
    "scow_plan_workers": (ctypes.c_int64, [_handle]),
    "scow_plan_workers_needed": (ctypes.c_int64, [_handle]),
    "scow_plan_rounds": (ctypes.c_int64, [_handle]),
    "scow_plan_packages": (ctypes.c_int64, [_handle]),
    "scow_plan_makespan_s": (ctypes.c_double, [_handle]),
    "scow_plan_without_variation_s": (ctypes.c_double, [_handle]),
    "scow_plan_lower_bound_s": (ctypes.c_double, [_handle]),
    "scow_plan_gap": (ctypes.c_double, [_handle]),
    "scow_plan_busy_share": (ctypes.c_double, [_handle]),
    "scow_plan_interval_s": (ctypes.c_int, [_handle, ctypes.POINTER(ctypes.c_double),
                                            ctypes.POINTER(ctypes.c_double)]),
    "scow_plan_package_list": (ctypes.c_size_t, [_handle, ctypes.c_int64, ctypes.c_size_t,
                                                 ctypes.POINTER(_Package)]),
    "scow_plan_walltime_s": (ctypes.c_int, [ctypes.POINTER(ctypes.c_double), _handle, ctypes.c_double, _error]),
    "scow_plan_batch_text": (ctypes.c_int, [_out, _handle, _text, ctypes.c_double, _error]),
    "scow_plan_objective": (_text, [_handle]),
    "scow_plan_charge": (ctypes.c_double, [_handle]),
    "scow_plan_energy_j": (ctypes.c_double, [_handle]),
    "scow_plan_cpu_s": (ctypes.c_double, [_handle]),
    "scow_plan_turnaround_s": (ctypes.c_double, [_handle]),
    "scow_plan_pareto_text": (ctypes.c_int, [_out, _handle, _request, _error]),
    "scow_plan_compare_text": (ctypes.c_int, [_out, _handle, _request, _error]),
    "scow_plan_sweep_text": (ctypes.c_int, [_out, _handle, _request, _error]),
    "scow_simulate": (ctypes.c_int, [ctypes.POINTER(_Simulation), _handle, _handle, _request, _error]),
    "scow_simulate_text": (ctypes.c_int, [_out, _handle, _handle, _request, _error]),
}
for _name, (_result, _arguments) in _prototypes.items():
    getattr(_library, _name).restype = _result
    getattr(_library, _name).argtypes = _arguments


def _call(name, *arguments):
    """Call a function that can fail, with room for what it says."""
    error = _Error()
    if getattr(_library, name)(*arguments, ctypes.byref(error)) != 0:
        kinds = {kind.code: kind for kind in (Usage, Infeasible, Mismatch)}
        raise kinds.get(error.code, PlanError)(error.text.decode(errors="replace"))


def _made(name, *arguments):
    """The handle, or the address of the text, that such a function makes."""
    made = ctypes.c_void_p()
    _call(name, ctypes.byref(made), *arguments)
    return made.value


def _taken(name, *arguments):
    """The text that such a function makes, as Python's own."""
    address = _made(name, *arguments)
    try:
        return ctypes.string_at(address).decode()
    finally:
        _library.scow_plan_text_free(address)


def _bytes(word):
    return None if word is None else os.fsencode(word)


def _filled(kind, values):
    """A request with these fields; those that are None stay 0."""
    request = kind(size=ctypes.sizeof(kind))
    for name, value in values.items():
        if value is None:
            continue
        if name == "set" and not isinstance(value, (str, bytes)):
            value = ",".join(f"{key}={word}" for key, word in value.items())
        try:
            setattr(request, name, _bytes(value) if isinstance(value, (str, os.PathLike)) else value)
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    return request


def _listed(what):
    found = {}
    while (name := getattr(_library, f"scow_{what}_name")(len(found))) is not None:
        found[name.decode()] = getattr(_library, f"scow_{what}_summary")(len(found)).decode()
    return found


def version():
    """Of the library: "0.1.0"."""
    return _library.scow_plan_version().decode()


def schedulers():
    """Names of the schedulers that plan, each with a line that says what it does. "auto" tries them all."""
    return _listed("scheduler")


def rules():
    """Names of the rules that assign packages on request, each with a line that says what it does."""
    return _listed("rule")


def objectives():
    """Names of what workers are chosen by, each with a line that says what it is."""
    return _listed("objective")


def _number(value):
    """None in place of what is not known."""
    return None if value != value else value


# ---- profiles and plans -----------------------------------------------------------------------------


class _Handle:
    """What the library made, freed when nobody knows it any more."""

    def __init__(self, address, free):
        self._as_parameter_ = ctypes.c_void_p(address)
        weakref.finalize(self, free, ctypes.c_void_p(address))


class Profile(_Handle):
    """What every operation costs on a cluster, as 'scow calibrate' measured it."""

    def __init__(self, address):
        super().__init__(address, _library.scow_profile_free)

    @classmethod
    def read(cls, path):
        """From a file, which plans then name."""
        return cls(_made("scow_profile_read", _bytes(path)))

    @classmethod
    def parse(cls, text, name=None):
        """From JSON: a str, bytes, or what json.loads makes of it. `name` is what errors call it."""
        if not isinstance(text, (str, bytes)):
            text = json.dumps(text)
        text = text.encode() if isinstance(text, str) else text
        return cls(_made("scow_profile_parse", text, len(text), _bytes(name)))

    @property
    def kernel(self):
        """Name of the core task that it is of."""
        return _library.scow_profile_kernel(self).decode()

    @property
    def sha256(self):
        """Of its text."""
        return _library.scow_profile_sha256(self).decode()

    @property
    def workers(self):
        """How many were measured."""
        return _library.scow_profile_workers(self)

    @property
    def settings(self):
        """Of how many combinations of parameters there are costs."""
        return _library.scow_profile_settings(self)

    def text(self):
        """As JSON."""
        return _taken("scow_profile_text", self)

    def plan(self, tasks, *, workers=None, like=None, scheduler=None, set=None, block=None, tail=None, buffers=None,
             deadline_s=None, within=None, effort_s=None, real_valued=False, objective=None, budget=None,
             require=None, exclude=None, at_most=None, price=None, waits=None):
        """A Plan for a job of so many core tasks. The arguments are those of 'scow plan': the first `workers`
        workers, more than the profile has being like its last ones (or like the class `like`); `scheduler`
        one of schedulers(), or "auto"; `set` the parameters that a setting must have, "name=value,..." or a
        dict; `tail` the rule that assigns the plan's end on request, or "none"; `deadline_s` for the fewest
        workers that keep it; `within` ("5%") for fewer worker-seconds in a makespan longer by at most so much;
        `effort_s` for about how long "auto" may take. Workers are chosen by `objective` (one of objectives()),
        within `deadline_s` and `budget`, with at least one of the classes `require` ("gpu,big"), none of
        `exclude`, and at most so many as `at_most` ("big=4") says; `price` ("gpu=2.1,master=0.4", or
        "energy") in place of the profile's prices, `waits` the path of a file of waits in the queue. Raises
        Infeasible where there is no such plan."""
        return Plan(_made("scow_plan_make", self, self._request(tasks, locals())))

    def pareto(self, tasks, *, workers=None, like=None, scheduler=None, set=None, block=None, deadline_s=None,
               effort_s=None, objective=None, budget=None, require=None, exclude=None, at_most=None, price=None,
               waits=None):
        """All compromises between makespan and charge, the fastest first: what 'scow plan --pareto --json' prints."""
        return json.loads(_taken("scow_plan_pareto_text", self, self._request(tasks, locals())))

    def compare(self, tasks, *, workers=None, like=None, set=None, block=None, buffers=None, effort_s=None):
        """All schedulers' plans for the job, the best first: what 'scow plan --compare --json' prints."""
        return json.loads(_taken("scow_plan_compare_text", self, self._request(tasks, locals())))

    def sweep(self, tasks, *, workers=None, like=None, scheduler=None, set=None, block=None, buffers=None):
        """Makespan and efficiency by the number of workers, beyond the profile's, too: what
        'scow plan --sweep --json' prints."""
        return json.loads(_taken("scow_plan_sweep_text", self, self._request(tasks, locals())))

    def simulate(self, plan=None, *, rule=None, tasks=None, workers=None, set=None, block=None, tail=None, replan=None,
                 ahead=None, buffers=None, noise=None, seed=None, seeds=None, slow=None, slow_factor=None,
                 slow_from_s=None, lose=None, lost_s=None):
        """A Simulation of a Plan, or of a rule that assigns so many tasks on request: with `noise` (relative
        standard deviation) on every operation, `seeds` times; the first `slow` workers slow since
        slow_from_s, the worker of rank `lose` lost at lost_s."""
        request = self._simulation(locals())
        outcome = _Simulation(size=ctypes.sizeof(_Simulation))
        _call("scow_simulate", ctypes.byref(outcome), self, plan, ctypes.byref(request))
        return Simulation(*(getattr(outcome, name) for name in Simulation._fields))

    @staticmethod
    def _request(tasks, values):
        values = {name: value for name, value in values.items() if name not in ("self", "tasks")}
        return ctypes.byref(_filled(_PlanRequest, {**values, "tasks": tasks}))

    @staticmethod
    def _simulation(values):
        return _filled(_SimulationRequest,
                       {name: value for name, value in values.items() if name not in ("self", "plan")})


class Plan(_Handle):
    """Which worker gets which package in which round, and how long a run of it is predicted to take."""

    def __init__(self, address):
        super().__init__(address, _library.scow_plan_free)

    @classmethod
    def read(cls, path):
        """One that was written before."""
        return cls(_made("scow_plan_read", _bytes(path)))

    @classmethod
    def parse(cls, text, name=None):
        """From JSON: a str, bytes, or what json.loads makes of it. `name` is what errors call it."""
        if not isinstance(text, (str, bytes)):
            text = json.dumps(text)
        text = text.encode() if isinstance(text, str) else text
        return cls(_made("scow_plan_parse", text, len(text), _bytes(name)))

    def text(self):
        """As JSON: the file that 'scow run' takes."""
        return _taken("scow_plan_text", self)

    def write(self, path):
        """Write that file."""
        pathlib.Path(path).write_text(self.text(), encoding="utf-8")

    @property
    def scheduler(self):
        """Which one made it."""
        return _library.scow_plan_scheduler(self).decode()

    @property
    def tail(self):
        """The rule that assigns its end on request; None: no rule does."""
        tail = _library.scow_plan_tail(self)
        return None if tail is None else tail.decode()

    @property
    def tasks(self):
        """Core tasks of the job."""
        return int(_library.scow_plan_tasks(self))

    @property
    def workers(self):
        """How many get a package."""
        return _library.scow_plan_workers(self)

    @property
    def workers_needed(self):
        """How many a run must have, beside its master: the highest rank with a package."""
        return _library.scow_plan_workers_needed(self)

    @property
    def rounds(self):
        """How many there are."""
        return _library.scow_plan_rounds(self)

    @property
    def makespan_s(self):
        """Predicted: from the first package's start to the last worker's end, in the median of runs."""
        return _library.scow_plan_makespan_s(self)

    @property
    def without_variation_s(self):
        """The same by mean costs."""
        return _library.scow_plan_without_variation_s(self)

    @property
    def lower_bound_s(self):
        """No schedule is faster."""
        return _library.scow_plan_lower_bound_s(self)

    @property
    def gap(self):
        """How much longer than the lower bound, relative."""
        return _library.scow_plan_gap(self)

    @property
    def busy_share(self):
        """Of the workers' time, 0 to 1."""
        return _library.scow_plan_busy_share(self)

    @property
    def interval_s(self):
        """90 % of runs are predicted to lie between these two; None: the profile does not say how sure it is."""
        least, most = ctypes.c_double(), ctypes.c_double()
        known = _library.scow_plan_interval_s(self, ctypes.byref(least), ctypes.byref(most))
        return (least.value, most.value) if known else None

    @property
    def objective(self):
        """What workers were chosen for; None: nothing was asked for."""
        objective = _library.scow_plan_objective(self)
        return None if objective is None else objective.decode()

    @property
    def charge(self):
        """Of all ranks, by their prices; None: no rank has any."""
        return _number(_library.scow_plan_charge(self))

    @property
    def energy_j(self):
        """Of all ranks, by their watts; None: these are not known."""
        return _number(_library.scow_plan_energy_j(self))

    @property
    def cpu_s(self):
        """Sum of the times that workers are busy; None where neither prices nor an objective were given."""
        return _number(_library.scow_plan_cpu_s(self))

    @property
    def turnaround_s(self):
        """From submission on, with the wait in the queue; None: waits are not known."""
        return _number(_library.scow_plan_turnaround_s(self))

    def __len__(self):
        """Packages."""
        return _library.scow_plan_packages(self)

    def packages(self):
        """Each Package, in the order of sending."""
        room, at = (_Package * _PACKAGES_AT_A_TIME)(), 0
        while count := _library.scow_plan_package_list(self, at, _PACKAGES_AT_A_TIME, room):
            for package in room[:count]:
                whole = package.tasks == int(package.tasks) and package.first == int(package.first)
                yield Package(package.round, package.rank, *map(int if whole else float,
                                                                (package.first, package.tasks)))
            at += count

    def walltime_s(self, risk=0.01):
        """What to ask a batch system for: exceeded by that share of runs. Of plans that Profile.plan made."""
        walltime = ctypes.c_double()
        _call("scow_plan_walltime_s", ctypes.byref(walltime), self, risk)
        return walltime.value

    def batch_lines(self, system="slurm", risk=0.01):
        """The lines of a batch job's script that ask for walltime, nodes, ranks and memory; "slurm" or "pbs"."""
        return _taken("scow_plan_batch_text", self, _bytes(system), risk)
