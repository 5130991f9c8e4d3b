#!/usr/bin/env python3
"""Faults put in by hand: each must be found by as many simulated runs as the suite has.

    /usr/bin/python3 tests/faults/mutations.py [--runs 10000] [--only NAME] [--folder build/mutations] [--check]

Copies the sources to a folder, builds the fault program there alone, and then, for one mutation after the
other, changes a line or two, builds again, and runs it. Says which run found it. Takes a few minutes; of the
suite is only that the lines are there (--check).
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

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
    ("lost-report-counted", "spmd/master/master_losses.c",
     "    outstanding_drop(&master->outstanding, member - 1);\n    pending_tell(master);",
     "    pending_tell(master);"),
    ("deadline-forgotten", "spmd/transport/liveness.c",
     "    if (!peer->awaited || silent_s < deadline_of(liveness))",
     "    if (!peer->awaited || silent_s < 1e9 * deadline_of(liveness))"),
    ("acknowledgement-taken-twice", "spmd/run/closing.c",
     " ||\n        gathering->orders[member].ending == ANSWERED)", ")"),
    ("damage-not-noticed", "spmd/protocol/message.c",
     "    return result->digest == digest_of(result, state_size) &&\n           packages_equal",
     "    return packages_equal"),
    ("returned-damage-not-noticed", "spmd/protocol/message.c",
     "           result->returned_digest == XXH3_64bits(packed, size);",
     "           (result->returned_digest == XXH3_64bits(packed, size) || size > 0);"),
    ("returned-counted-unwritten", "spmd/master/master_returns.c",
     "    if (!store_write(master->run->store, results, master->failure))",
     "    if (results->first % 5 != 3 && !store_write(master->run->store, results, master->failure))"),
    ("returned-by-lost-taken", "spmd/master/master_losses.c",
     "    packages_return(master, member, at_work);\n    master_returns_drop(master, member);\n",
     "    packages_return(master, member, at_work);\n"),
    ("returned-unwritten-traced", "spmd/master/master_results.c",
     "    else if (written)\n", "    else if (written || member > 0)\n"),
    ("counted-by-lost-forgotten", "spmd/master/master_counted.c",
     "        if (!dispatch_recovery_add(", "        if (gap.count > 3 && !dispatch_recovery_add("),
    ("counted-told-before-reported", "spmd/worker/worker.c",
     "    async_writer_finish(worker, failure);\n    counted_tell(worker);",
     "    counted_tell(worker);\n    async_writer_finish(worker, failure);"),
    ("kept-by-lost-taken-for-done", "planner/dispatch/dispatch_recovery.c",
     "    if (!self->keeps)\n        entry_take(self, entry);", "    entry_take(self, entry);"),
    ("asked-before-it-has-returned", "spmd/master/master_returns.c",
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
    ("begun-before-all-have-answered", "spmd/protocol/beginning.c",
     "        answer_take(run, peer, failure);\n    for (int peer = 1; peer <= peers; peer++) {\n",
     "    {\n        answer_take(run, peer, failure);\n"),
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
     "    if (!master->run->copies)", "    if (member > 0)"),
    ("loss-not-blamed", "spmd/master/master_losses.c",
     "    if (at_work)\n        package_blame", "    if (at_work && count > 1000)\n        package_blame"),
]


def run(command, **options):
    return subprocess.run(command, text=True, capture_output=True, check=False, **options)


def copy_sources(folder):
    files = run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT).stdout
    for name in filter(None, files.split("\0")):
        source, target = ROOT / name, folder / name
        if not source.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


def build(folder):
    made = run(["cmake", "--build", "--preset", "release", "-j", "2", "--target",
                "faults-simulated"], cwd=folder)
    if made.returncode != 0:
        raise RuntimeError(f"it does not build:\n{made.stdout[-3000:]}{made.stderr[-1000:]}")
    return folder / "build/release/bin/faults-simulated"


def try_out(program, runs):
    """The first line that it says; None: nothing is wrong."""
    try:
        done = run([str(program), "--count", str(runs)], timeout=600)
    except subprocess.TimeoutExpired:
        return "it does not end"
    if done.returncode == 0:
        return None
    return done.stdout.splitlines()[0] if done.stdout else f"ends with {done.returncode}"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=10000)
    options.add_argument("--only", help="the mutation of that name alone")
    options.add_argument("--folder", type=pathlib.Path, default=ROOT / "build/mutations")
    options.add_argument("--check", action="store_true", help="only see whether the lines to change are there")
    options = options.parse_args()
    stale = [f"{name}: {path} does not have these lines once" for name, path, there, _ in MUTATIONS
             if (ROOT / path).read_text().count(there) != 1]
    if stale:
        sys.exit("\n".join(stale + ["mend this list"]))
    if options.check:
        print(f"{len(MUTATIONS)} mutations: their lines are there")
        return 0
    folder = options.folder
    copy_sources(folder)
    launcher = shutil.which("ccache")
    configured = run(["cmake", "--preset", "release", "-DBUILD_TESTING=ON"] +
                     ([f"-DCMAKE_C_COMPILER_LAUNCHER={launcher}"] if launcher else []), cwd=folder)
    if configured.returncode != 0:
        sys.exit(configured.stderr)
    said = try_out(build(folder), options.runs)
    if said:
        sys.exit(f"without any mutation: {said}")
    print(f"no mutation: nothing is wrong in {options.runs} runs", flush=True)
    missed = 0
    for name, path, there, instead in MUTATIONS:
        if options.only and name != options.only:
            continue
        text = (folder / path).read_text()
        (folder / path).write_text(text.replace(there, instead))
        try:
            said = try_out(build(folder), options.runs)
            missed += said is None
            said = re.sub(r" \(replay.*", "", said) if said else "NOT FOUND"
        except RuntimeError as broken:
            missed += 1
            said = str(broken)
        (folder / path).write_text(text)
        print(f"{name}: {said}", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main())
