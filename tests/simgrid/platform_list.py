#!/usr/bin/env python3
"""Write simulated clusters for SimGrid, from a seed, and say what job runs on each.

    platform_list.py --list                     the names, and how many hosts each has
    platform_list.py NAME DIRECTORY             DIRECTORY/NAME.xml, NAME.hosts and NAME.job

A cluster is a star: the master behind a link of its own, which all transfers share, and a link for
every worker. Its speeds are scaled so that the planner's arithmetic stays readable: a core task is
a second of computing, or a millisecond, and its bytes take so many seconds of the master's link.
"""
import pathlib
import random
import sys

GIGA = 1e9  # operations a second of a worker of speed 1
PULSES = 8  # in a core task behind which results are written: what is written is reported at one


class Cluster:
    """A star: speeds and links of its workers, and the job that is run on it."""

    def __init__(self, workers, *, tasks, compute, package, link, latency, envelope=(0, 0),
                 speeds=(1, 1), links=(1, 1), latencies=(1, 1), seed=1, size=20000, published=None,
                 output=(0, 0), behind=False, only=None):
        self.workers, self.tasks = workers, tasks
        self.compute, self.package = compute, package  # seconds of a task, and to begin, at speed 1
        self.link, self.latency = link, latency  # seconds of a task, and of a transfer
        self.envelope = envelope  # the master's seconds of a package, and of a task
        self.ranges = speeds, links, latencies
        self.seed = seed
        self.size = size  # bytes of a core task; of a message, 80 more
        self.published = published  # makespan of SCOW-MP
        self.output = output  # the store's seconds of a package, and of a task
        self.behind = behind  # workers compute while results are being written
        self.only = only  # schedulers and rules, and ways to arrange several masters; None: all of the former

    def hosts(self):
        """Speed, bytes a second and latency of every worker."""
        chance = random.Random(self.seed)
        for _ in range(self.workers):
            speed, link, latency = (chance.uniform(*pair) for pair in self.ranges)
            yield GIGA * speed, self.size / self.link * link, self.latency * latency

    def xml(self):
        """The platform, as SimGrid reads it."""
        lines = ['<?xml version="1.0"?>',
                 '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
                 '<platform version="4.1">', ' <zone id="star" routing="Cluster">']
        fastest = max(1, self.ranges[1][1]) * self.size / self.link
        rows = [('master', GIGA, fastest, 0)]
        rows += [(f'w{k}', *row) for k, row in enumerate(self.hosts(), 1)]
        for name, speed, link, latency in rows:
            lines += [f'  <host id="{name}" speed="{speed!r}f"/>',
                      f'  <link id="{name}_l" bandwidth="{link!r}Bps" latency="{latency!r}s"'
                      ' sharing_policy="SPLITDUPLEX"/>',
                      f'  <host_link id="{name}" up="{name}_l_UP" down="{name}_l_DOWN"/>']
        return '\n'.join(lines + ['  <router id="router"/>', ' </zone>', '</platform>', ''])

    def job(self):
        """What the program that is simulated is told."""
        first, task = self.envelope
        # In simulated time probing costs nothing: enough for the largest packages of any plan.
        budget = 100 * (self.tasks * self.compute + self.workers * self.package)
        return (f'--tasks {self.tasks} --bytes {self.size} --flops {self.compute * GIGA:.0f}'
                f' --package-flops {self.package * GIGA:.0f}'
                f' --envelope-flops {first * GIGA:.0f} --pack-flops {task * GIGA:.0f}'
                f' --output-latency {self.output[0]} --output-rate {self.output[1]}'
                + f' --write-behind --pulses {PULSES}' * self.behind +
                f' --budget {budget:.6g}')


def thesis(workers, rate, published):
    """Table 6-1 of de la Torre's thesis: r + w = 1, R + W = 0.03, l = 1 / B, L = 0.03, and what table
    6-2 predicts for SCOW-MP. Its 1000 core tasks are assigned in any parts: here, in tenths."""
    return Cluster(workers, tasks=10000, compute=0.1, package=0.03, link=0.1 / rate, latency=0.03,
                   size=2000, published=published)


CLUSTERS = {
    # The six of Table 6-1: as many workers as its best plans use at most, or two more.
    'thesis-10-11': thesis(12, 11, 99.058), 'thesis-20-22': thesis(22, 22, 53.427),
    'thesis-30-33': thesis(32, 33, 38.236), 'thesis-10-12': thesis(13, 12, 91.453),
    'thesis-20-23': thesis(23, 23, 51.434), 'thesis-30-34': thesis(33, 34, 37.321),
    # Computing dominates; all alike.
    'even-4': Cluster(4, tasks=2000, compute=1e-2, package=2e-3, link=1e-3, latency=1e-3),
    # Speeds that differ fourfold.
    'speeds-8': Cluster(8, tasks=3000, compute=1e-2, package=1e-3, link=5e-4, latency=2e-3,
                        speeds=(0.5, 2), seed=8),
    # Links that differ tenfold, the slowest below the master's.
    'links-12': Cluster(12, tasks=3000, compute=2e-2, package=5e-3, link=5e-4, latency=1e-3,
                        links=(0.2, 2), seed=12),
    # A store that makes workers wait, for a third of their time; and the same hidden behind
    # computing, and where it takes longer than that.
    'output-6': Cluster(6, tasks=2000, compute=1e-2, package=2e-3, link=2e-4, latency=2e-4,
                        speeds=(0.7, 1.4), seed=6, output=(2e-3, 5e-3)),
    'behind-6': Cluster(6, tasks=2000, compute=1e-2, package=2e-3, link=2e-4, latency=2e-4,
                        speeds=(0.7, 1.4), seed=6, output=(2e-3, 5e-3), behind=True),
    'stored-6': Cluster(6, tasks=2000, compute=1e-2, package=2e-3, link=2e-4, latency=2e-4,
                        speeds=(0.7, 1.4), seed=6, output=(2e-3, 1.5e-2), behind=True),
    # Everything differs.
    'mixed-16': Cluster(16, tasks=5000, compute=2e-2, package=5e-3, link=1e-3, latency=2e-3,
                        speeds=(0.5, 2), links=(0.3, 2), latencies=(0.2, 3), seed=16),
    # Transfers of long latency.
    'distant-16': Cluster(16, tasks=5000, compute=1e-2, package=1e-3, link=2e-4, latency=2e-2,
                          latencies=(0.5, 2), seed=17),
    # The master's packing dominates.
    'packing-20': Cluster(20, tasks=5000, compute=1e-2, package=2e-3, link=2e-4, latency=1e-3,
                          envelope=(1e-3, 3e-4), speeds=(0.7, 1.4), seed=20),
    'mixed-32': Cluster(32, tasks=8000, compute=2e-2, package=5e-3, link=5e-4, latency=1e-3,
                        speeds=(0.5, 2), links=(0.3, 2), latencies=(0.2, 3), seed=32),
    # More workers than one master can feed.
    'starved-64': Cluster(64, tasks=8000, compute=1e-2, package=2e-3, link=5e-4, latency=1e-3,
                          speeds=(0.8, 1.25), seed=64, size=2000),
    'even-128': Cluster(128, tasks=12800, compute=5e-2, package=1e-2, link=2e-4, latency=1e-3,
                        size=2000),
    # Several times what one master feeds: several masters side by side.
    'masters-16': Cluster(16, tasks=4000, compute=2e-2, package=2e-3, link=4e-3, latency=1e-3, size=2000,
                          only='scow-mp,masters'),
    'masters-256': Cluster(256, tasks=64000, compute=1e-1, package=1e-2, link=2e-3, latency=1e-3, size=2000,
                           only='scow-mp,masters'),
    'masters-1024': Cluster(1024, tasks=256000, compute=1e-1, package=1e-2, link=1e-3, latency=1e-3, size=2000,
                            only='scow-mp,masters'),
    # Packages cost the master much, and there is little for each worker: a tree of masters, which pack what they
    # assign; rank 0 only tells them which core tasks they get.
    'groups-64': Cluster(64, tasks=640, compute=0.1, package=0.01, link=1e-4, latency=1e-3, envelope=(0.1, 0),
                         size=2000, only='scow-mp,groups'),
    'mixed-256': Cluster(256, tasks=25600, compute=1e-1, package=1e-2, link=2e-4, latency=1e-3,
                         speeds=(0.5, 2), links=(0.5, 2), latencies=(0.5, 2), seed=256,
                         size=2000),
}


def main():
    if sys.argv[1:] == ['--list']:
        for name, cluster in CLUSTERS.items():
            print(name, cluster.workers + 1)
        return
    if len(sys.argv) != 3 or sys.argv[1] not in CLUSTERS:
        sys.exit('usage: platform_list.py --list, or platform_list.py NAME DIRECTORY')
    name, cluster = sys.argv[1], CLUSTERS[sys.argv[1]]
    directory = pathlib.Path(sys.argv[2])
    hosts = ['master'] + [f'w{k}' for k in range(1, cluster.workers + 1)]
    (directory / f'{name}.xml').write_text(cluster.xml())
    (directory / f'{name}.hosts').write_text('\n'.join(hosts) + '\n')
    (directory / f'{name}.job').write_text(cluster.job() + '\n')


if __name__ == '__main__':
    main()
