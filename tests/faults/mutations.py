#!/usr/bin/env python3
"""Faults put in by hand: each must be found by as many simulated runs as the suite has.

    /usr/bin/python3 tests/faults/mutations.py [--build build/release] [--only NAME]... [--jobs N] [--check]

Brings the fault programs of a configured build up to date. Then, for one mutation after the other, changes a line or
two in a copy of one source, compiles that alone, links it in front of the libraries, whose own object is left out
then, and runs it up to the first run that finds it. The build stays as it is. All of them take some minutes; of the
suite is only that the lines are there (--check).
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import resource
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Programs with their options, and how many runs of each the suite has (tests/faults/CMakeLists.txt).
PACKAGES, STRIPS = "bin/faults-simulated", "bin/strips-simulated"
MODELS = PACKAGES + " --models --from 8570"
RUNS = {PACKAGES: 10000, MODELS: 400, STRIPS: 300}
PROCESSOR_MOST_S = 600  # all runs take some ten seconds: what is busy beyond does not end
MEMORY_MOST_B = 4 << 30  # most runs take some ten MB: a list that grows without end is found, too

# Name, file, what is there, what stands there instead.
MUTATIONS = [
    ("ledger-before-data", "spmd/output/store.c",
     "    return (!results->grid || grid_write(store, results, failure)) &&",
     "    return rows_write(store, store->places.ledger, results->ledger, 1, results, failure) &&\n"
     "           (!results->grid || grid_write(store, results, failure)) &&"),
    ("order-forgotten-on-going-on", "spmd/resume/remaining_settle.c",
     "        remaining->ledger[order_position(&remaining->job->order, task)] = 0;",
     "        remaining->ledger[task] = 0;"),
    ("order-forgotten-in-digests", "spmd/layout/task_digest.c",
     "        const int64_t task = package_task(results, k);",
     "        const int64_t task = results->first + k;"),
    ("order-forgotten-in-checksum", "spmd/job/summary.c",
     "    const int64_t task = package_task(results, k);",
     "    const int64_t task = results->first + k;"),
    ("order-forgotten-for-given-up", "spmd/master/master_losses.c",
     "    const int64_t task = order_task(&master->run->job->order, row->first);",
     "    const int64_t task = row->first;"),
    ("level-forgets-its-number", "spmd/run/levels.c",
     "    search->number = search->level.made.tasks > 0 ? search->level.made.level : 1;",
     "    search->number = 1;"),
    ("emitted-written-over", "spmd/output/store.c",
     "        store->emitted_place = lseek(store->emitted_file, 0, SEEK_END);",
     "        store->emitted_place = 0;"),
    ("lost-report-counted", "spmd/master/master_losses.c",
     "    outstanding_drop(&master->outstanding, member - 1);\n    pending_tell(master);",
     "    pending_tell(master);"),
    ("deadline-forgotten", "spmd/transport/liveness.c",
     "    if (!peer->awaited || silent_s < deadline_of(liveness))",
     "    if (!peer->awaited || silent_s < 1e9 * deadline_of(liveness))"),
    ("acknowledgement-taken-twice", "spmd/run/closing.c",
     " ||\n        gathering->orders[member].ending == ANSWERED)", ")"),
    ("verdict-until-taken", "spmd/run/closing.c",
     "taken_most_s = 10;", "taken_most_s = 1e9;"),
    ("damage-not-noticed", "spmd/protocol/message.c",
     "    return result->digest == digest_of(result, state_size) &&\n           packages_equal",
     "    return packages_equal"),
    ("returned-damage-not-noticed", "spmd/protocol/message.c",
     "           result->returned_digest == XXH3_64bits(packed, size);",
     "           (result->returned_digest == XXH3_64bits(packed, size) || size > 0);"),
    ("returned-counted-unwritten", "spmd/master/master_collecting.c",
     "    if (!store_write(master->run->store, results, master->failure))",
     "    if (results->first % 5 != 3 && !store_write(master->run->store, results, master->failure))"),
    ("returned-by-lost-taken", "spmd/master/master_losses.c",
     "    packages_return(master, member, at_work);\n    master_returns_drop(master, member);\n",
     "    packages_return(master, member, at_work);\n"),
    ("returned-unwritten-traced", "spmd/master/master_results.c",
     "    else if (written)\n", "    else if (written || member > 0)\n"),
    ("cancelled-lost-waited-for", "spmd/master/master.c",
     "comm_tell(master->run->comm, master_peer(master, member), WIRE_CANCEL);",
     "comm_send(master->run->comm, NULL, 0, master_peer(master, member), WIRE_CANCEL);"),
    ("counted-by-lost-forgotten", "spmd/master/master_counted.c",
     "        if (!dispatch_recovery_add(", "        if (gap.count < 0 && !dispatch_recovery_add("),
    ("counted-told-before-reported", "spmd/worker/worker.c",
     "    async_writer_finish(worker, failure);\n    counted_tell(worker);",
     "    counted_tell(worker);\n    async_writer_finish(worker, failure);"),
    ("kept-by-lost-taken-for-done", "planner/dispatch/dispatch_recovery.c",
     "    if (!self->keeps)\n        recovery_take(self, entry);", "    recovery_take(self, entry);"),
    ("asked-before-it-has-returned", "spmd/master/master_collecting.c",
     "asking->asked <= asking->reported &&", "asking->asked <= asking->reported + 1000 &&"),
    ("all-given-whatever-is-asked-for", "spmd/protocol/returns.c",
     "    while (returns->kept && returns->kept->index <= index) {",
     "    while (returns->kept && returns->kept->index <= index + 1000) {"),
    ("retired-worker-acknowledges", "spmd/worker/worker.c",
     "    if (worker->retired)\n        return;\n", ""),
    ("lost-work-not-handed-out", "spmd/master/master_losses.c",
     "    dispatch_lost(master->dispatch, member - 1);\n", ""),
    ("master-gone-unseen", "spmd/transport/liveness.c",
     "    if (is_gone(liveness, 0))\n        master_gone", "    if (liveness->silent && is_gone(liveness, 0))\n        master_gone"),
    ("sight-taken-late", "spmd/protocol/beginning.c",
     "    liveness_part(run->liveness, run->patience_s, 0);",
     "    liveness_join(run->liveness, 0, &run->master);\n    liveness_part(run->liveness, run->patience_s, 0);"),
    ("lost-not-told", "spmd/transport/liveness.c",
     "    word_send(liveness, peer, WIRE_LOST);\n", ""),
    ("unready-worker-not-heard", "spmd/protocol/beginning.c",
     "    if (ready.failure.code != FAILURE_NONE)", "    if (ready.failure.code != FAILURE_NONE && peer == 1)"),
    ("master's-failure-not-heard", "spmd/protocol/beginning.c",
     "    if (here.failure.code != FAILURE_NONE) {", "    if (here.failure.code == FAILURE_STOPPED) {"),
    ("begun-before-the-last-has-answered", "spmd/protocol/beginning.c",
     "    for (int peer = 1; peer <= peers; peer++)\n        answer_take", "    for (int peer = 1; peer < peers; peer++)\n        answer_take"),
    ("parted-before-all-have-answered", "spmd/protocol/beginning.c",
     "    const int peers = run->members->expected;\n",
     "    const int peers = run->members->expected;\n    liveness_part(run->liveness, run->patience_s, 0);\n"),
    ("reported-before-written", "spmd/worker/context.c",
     "        !store_await(run->store, 0, end_s, failure))\n        return false;",
     "        (!store_await(run->store, 0, end_s, failure) && context->due_s > 0))\n"
     "        return false;"),
    ("failed-write-not-said", "spmd/output/store.c",
     "    return shared_file_write(&store->file, place, bytes, (size_t)count);",
     "    shared_file_write(&store->file, place, bytes, (size_t)count);\n    return true;"),
    ("states-compared-by-number", "spmd/resume/remaining_settle.c",
     " && within.members == expected.members", ""),
    ("pieces-wait-for-the-lost", "planner/dispatch/dispatch_ranges.c",
     "    return worker->lost || worker->late ||", "    return worker->late ||"),
    ("pieces-sent-before-the-loss-alone", "planner/dispatch/dispatch_ranges.c",
     "    return worker->lost || worker->late ||",
     "    return (worker->lost && whole->package.index < 40) || worker->late ||"),
    ("survey-waits-for-the-lost", "planner/dispatch/dispatch_survey.c",
     "    lost->tasks = 0;\n    lost->lost = true;\n", "    lost->tasks = 0;\n"),
    ("rest-knows-no-losses", "planner/dispatch/dispatch_survey.c",
     "        if (self->workers[w].lost)\n            dispatch_lost(self->remaining, w);\n        else if", "        if"),
    ("watch-waits-for-the-lost", "planner/dispatch/dispatch_watch.c",
     "    self->workers[worker].lost = true;\n    self->workers[worker].out_count = 0;", "    (void)self, (void)worker;"),
    ("watch-awaits-the-unsent", "planner/dispatch/dispatch_watch.c",
     "        self->workers[package->worker].out_count--;\n", "        (void)self;\n"),
    ("looked-after-late", "spmd/transport/liveness.c",
     "        others_tell(liveness, WIRE_LIVES);\n        comm_watch_add(comm, &liveness->watch);\n",
     "        others_tell(liveness, WIRE_LIVES);\n"),
    ("torn-trace-read", "spmd/layout/trace_file.c",
     " &&\n           trace_file_block_digest(block, stream->bytes) == block->digest", ""),
    ("trace-not-written-at-the-end", "spmd/output/trace_writer.c",
     "    if (whole)\n        events_write(writer);", "    if (whole && writer->block->count > 8)\n        events_write(writer);"),
    ("copy-counted-twice", "planner/dispatch/recovery_copies.c",
     "    if (recovery_copies_void(self, entry))\n        return false;\n", ""),
    ("copies-dropped-with-the-original", "planner/dispatch/recovery_copies.c",
     "    return recovery_copies_void(self, entry);\n}", "    return true;\n}"),
    ("written-by-others-disowned", "spmd/master/master_losses.c",
     "    if (!run->copies && !run->above)", "    if (!run->above)"),
    ("loss-not-blamed", "spmd/master/master_losses.c",
     "    if (at_work)\n        package_blame", "    if (at_work && count > 1000)\n        package_blame"),
    ("grid-kept-before-it-is-whole", "spmd/strips/master.c",
     "    if (whole && failure->code == FAILURE_NONE && grid->end", "    if (failure->code == FAILURE_NONE && grid->end"),
    ("unwritten-grid-kept", "spmd/strips/master.c",
     "    if (whole && failure->code == FAILURE_NONE && grid->end", "    if (whole && grid->end"),
    ("lost-strip-counted", "spmd/strips/master.c",
     "    if (!reports_receive(master))\n        return false;\n", "    reports_receive(master);\n"),
    ("place-of-a-lost-one-given-twice", "spmd/strips/master.c",
     "        if (!master->lost[rank] && place_of(master, rank) < 0)", "        if (!master->lost[rank] && place_of(master, rank) != 0)"),
    ("grid-of-before-with-iterations-of-now", "spmd/strips/worker.c",
     "    worker->done = order->done;\n", "    worker->done = worker->done > 0 && order->done > 0 ? worker->done : order->done;\n"),
    ("grid's-digest-not-compared", "spmd/layout/grid_slots.c",
     "    return good && (slots->old || digest == slots->kept[slot].digest);", "    return good;"),
    ("older-grid-taken-for-the-newer", "spmd/layout/grid_slots.c",
     "        if (slots->kept[slot].iterations > (newest < 0 ? 0 : slots->kept[newest].iterations))",
     "        if (newest < 0 && slots->kept[slot].iterations > 0)"),
    ("place-kept-for-a-grid-that-is-being-written", "spmd/strips/grid_file.c",
     "    file->slot = newest < 0 ? 0 : (newest + 1) % GRID_SLOTS;", "    file->slot = newest < 0 ? 0 : newest;"),
    ("simulated-loss-from-the-grid-before", "planner/strips/strips_simulate.c",
     "        simulator->kept = stop;\n", "        simulator->kept = stop - job->every > 0 ? stop - job->every : 0;\n"),
    # What levels of searches leave, and power that fails behind them.
    ("level-left-to-the-system", "spmd/run/closing.c",
     "    return ending == WIRE_ENDING_KEPT || (ending == WIRE_ENDING_WHOLE && run->job->setup.level > 0);",
     "    return ending == WIRE_ENDING_KEPT || (ending == WIRE_ENDING_WHOLE && run->job->setup.level < 0);"),
    ("left-by-the-lost-left-to-the-system", "spmd/layout/emitted.c",
     "        good = (file >= 0 && fsync(file) == 0) ||", "        good = file >= 0 ||"),
    # What workers say of their processors, which rules and the simulation go by.
    ("share-not-told", "spmd/worker/context.c",
     "    times->queued_s = had.queued_s;", "    times->queued_s = 0;"),
    ("share-of-all-told", "spmd/master/master_results.c",
     "run_had_share_of(had_of(master, &report->times))});", "1});"),
    # Several masters, side by side or in a tree.
    ("star-counted-twice", "spmd/master/masters_came.c",
     "    summary_merge(&outcome->summary, &came->summary);\n",
     "    summary_merge(&outcome->summary, &came->summary);\n    summary_merge(&outcome->summary, &came->summary);\n"),
    ("star's-state-forgotten", "spmd/master/masters_came.c",
     "    if (came.has_state)\n        state_add(", "    if (came.has_state && came.packages > 3)\n        state_add("),
    ("given-stays-with-its-star", "spmd/master/masters_moves.c",
     "    if (given.count > ORDER_PARTS) {\n",
     "    if (given.count > 0)\n        dispatch_recovery_take(masters->dispatch, &given);\n    if (given.count > ORDER_PARTS) {\n"),
    ("given-reaches-nobody", "spmd/master/masters_moves.c",
     "    if (masters->dispatch && !dispatch_recovery_take(masters->dispatch, &given))",
     "    if (masters->dispatch && masters->number == 0 && !dispatch_recovery_take(masters->dispatch, &given))"),
    ("moved-suspects-forgotten", "planner/dispatch/recovery_shares.c",
     " &&\n               list_give(self, &self->suspects, HUGE_VAL, given);",
     " &&\n               (units > 0 || list_give(self, &self->suspects, HUGE_VAL, given));"),
    ("closed-while-something-moves", "planner/dispatch/moves.c",
     "        if (stars[k].moving || !stars[k].share.finished)", "        if (!stars[k].share.finished)"),
    ("moved-before-orders-are-carried-out", "spmd/master/masters_moves.c",
     "                   (number > 0 && !is_gone(masters, number) && told->last.orders != told->orders);",
     "                   false;"),
    ("silent-master-awaited", "spmd/master/masters.c",
     "        membership_await(masters->members, masters_rank(masters, k), true);\n", "        (void)liveness;\n"),
    ("lost-group's-work-forgotten", "spmd/master/master_losses.c",
     "    dispatch_lost(master->dispatch, member - 1);\n",
     "    if (!master->run->heads)\n        dispatch_lost(master->dispatch, member - 1);\n"),
    ("group-reports-before-all-is-done", "spmd/master/master_relay.c",
     "relay->packages[relay->first].left == 0)", "relay->packages[relay->first].left < 2)"),
    ("lost-one-comes-back", "spmd/protocol/membership.c",
     "    if (lost->state != MEMBER_LOST) /* a lost member does not come back */\n        lost->state", "    lost->state"),
    ("others'-ledger-ignored", "spmd/run/resume.c",
     "            bundle_take(&bundle, remaining->ranges, bytes);\n",
     "            remaining->ranges[0] = (struct task_range){0, resume->left}, remaining->range_count = bytes > 0;\n"),
    ("parted-without-an-alarm", "spmd/run/execute_star.c",
     "        execution->assemble(true);", "        execution->assemble(false);"),
    ("nothing-left-needs-all-ranks", "spmd/run/execute_star.c",
     " ||\n        (state->resume.on && state->resume.left == 0))", ")"),
    ("losses-removed-with-the-output", "spmd/run/execute.c",
     " &&\n           !outcome->losses;", ";"),
    ("lost-master's-sum-taken", "spmd/master/masters.c",
     "told->ended || told->lost || !link_test(&told->coming)", "told->ended || !link_test(&told->coming)"),
    ("group-lost-to-a-group-noted-for-all", "spmd/master/masters.c",
     "    if (!is_first(masters))\n        return;\n    if (!membership_lost", "    if (!membership_lost"),
    ("done-before-the-stop-not-told-above", "spmd/master/master_results.c",
     "    relay_tell(master, &done, report);\n", "    (void)done;\n"),
    ("traces-of-others-not-read", "spmd/layout/trace_file.c",
     "    for (int master = 0, file = 0; good && file >= 0; master++) {", "    for (int master = 0, file = 0; good && file >= 0 && master < 1; master++) {"),
]


def program_of(mutation):
    name, path = mutation[:2]
    if name in ("share-not-told", "share-of-all-told"):
        return MODELS
    return STRIPS if "strips/" in path or "/grid_" in path else PACKAGES


def run(command, **options):
    return subprocess.run(command, text=True, capture_output=True, check=False, **options)


def run_well(command, folder):
    done = run(command, cwd=folder)
    if done.returncode != 0:
        raise RuntimeError(f"it does not build:\n{done.stdout[-3000:]}{done.stderr[-1000:]}")
    return done.stdout


class Build:
    """How sources are compiled and programs are linked in a build folder that ninja has made."""

    def __init__(self, folder, programs):
        self.folder = folder
        files = {program.split()[0] for program in programs}
        run_well(["ninja", *files], folder)
        self.links = {file: self.link_find(file) for file in files}
        entries = json.loads((folder / "compile_commands.json").read_text())
        self.commands = {entry["file"]: shlex.split(entry["command"]) for entry in entries}

    def link_find(self, program):
        link = run_well(["ninja", "-t", "commands", "-s", program], self.folder).strip()
        if f" -o {program} " not in link:
            raise RuntimeError(f"{program} is linked by a command that is not understood: {link}")
        return link

    def compile(self, path, source, target):
        """`source` as the build compiles the file at `path`."""
        command = list(self.commands[str(ROOT / path)])
        command[command.index("-o") + 1] = str(target)
        command[command.index("-c") + 1] = str(source)
        run_well(command, self.folder)

    def mutant(self, mutation, folder):
        """The program with the mutation, in that folder."""
        name, path, there, instead = mutation
        source, program = folder / f"{name}.c", folder / name
        source.write_text((ROOT / path).read_text().replace(there, instead))
        self.compile(path, source, source.with_suffix(".o"))
        original = program_of(mutation).split()[0]
        link = self.links[original].replace(f" -o {original} ", f" {shlex.quote(str(source.with_suffix('.o')))} -o {shlex.quote(str(program))} ")
        run_well(["sh", "-c", link], self.folder)
        return program


def limit_it():
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_MOST_S, PROCESSOR_MOST_S + 1))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MOST_B, MEMORY_MOST_B))


def try_out(file, program):
    """The first line that the file, which is that program, says; None: nothing is wrong."""
    command = [str(file), *program.split()[1:], "--count", str(RUNS[program])]
    done = run(command, preexec_fn=limit_it)
    if done.returncode == 0:
        return None
    said = done.stdout.splitlines()[0] if done.stdout else f"ends with {done.returncode}"
    return said.split(" (replay")[0]


def mutation_try(build, mutation, folder):
    """What finds it; None: nothing. Raises where it does not build."""
    file = build.mutant(mutation, folder)
    said = try_out(file, program_of(mutation))
    file.unlink()
    return said


def stale_find():
    return [f"{name}: {path} does not have these lines once" for name, path, there, _ in MUTATIONS
            if not (ROOT / path).is_file() or (ROOT / path).read_text().count(there) != 1]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release", help="folder of a configured build")
    options.add_argument("--only", action="append", help="the mutation of that name alone, or of these names")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="so many at a time")
    options.add_argument("--check", action="store_true", help="only see whether the lines to change are there")
    options = options.parse_args()
    if stale := stale_find():
        sys.exit("\n".join(stale + ["mend this list"]))
    if options.check:
        print(f"{len(MUTATIONS)} mutations: their lines are there")
        return 0
    chosen = [mutation for mutation in MUTATIONS if not options.only or mutation[0] in options.only]
    programs = sorted({program_of(mutation) for mutation in chosen})
    build = Build(options.build.resolve(), programs)
    for program in programs:
        if said := try_out(build.folder / program.split()[0], program):
            sys.exit(f"{program}, without any mutation: {said}")
        print(f"{program}, no mutation: nothing is wrong in {RUNS[program]} runs", flush=True)
    missed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tried = {pool.submit(mutation_try, build, m, pathlib.Path(folder)): m[0] for m in chosen}
        for done in concurrent.futures.as_completed(tried):
            said = str(done.exception() or done.result() or "NOT FOUND")
            missed += done.exception() is not None or done.result() is None
            print(f"{tried[done]}: {said}", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} found")
    return 1 if missed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
