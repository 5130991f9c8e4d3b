# A Slurm cluster of virtual nodes on this machine, for its own use: no root, no systemd, nothing
# outside its folder. To be sourced.
#
#     cluster_up DIRECTORY NODES CPUS     nodes n0, n1, ... of so many processors each, which are
#                                         down when they do not answer for CLUSTER_PATIENCE s (60)
#     cluster_down
# shellcheck shell=bash

PATH=$PATH:/usr/sbin

# Is there a Slurm to make one of?
cluster_possible() {
    command -v munged >/dev/null && command -v slurmctld >/dev/null && command -v slurmd >/dev/null &&
        command -v sbatch >/dev/null
}

# cluster_configure NODES CPUS PORT: the controller's port, the nodes' follow it.
cluster_configure() {
    local host node
    host=$(hostname -s)
    cat >"$cluster/cgroup.conf" <<END
CgroupAutomount=no
ConstrainCores=no
ConstrainRAMSpace=no
END
    cat >"$cluster/slurm.conf" <<END
ClusterName=virtual
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$3
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$cluster/run/munge.sock
CredType=cred/munge
SlurmctldPidFile=$cluster/run/slurmctld.pid
SlurmdPidFile=$cluster/run/slurmd-%n.pid
SlurmctldLogFile=$cluster/log/slurmctld.log
SlurmdLogFile=$cluster/log/slurmd-%n.log
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/spool/%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=pmi2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
AccountingStorageType=accounting_storage/none
ReturnToService=2
KillWait=3
MinJobAge=3600
SlurmdTimeout=${CLUSTER_PATIENCE:-60}
InactiveLimit=0
JobRequeue=1
SlurmdParameters=config_overrides
END
    for ((node = 0; node < $1; node++)); do
        echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($3 + 1 + node)) CPUs=$2 RealMemory=2000 State=UNKNOWN"
    done >>"$cluster/slurm.conf"
    echo "PartitionName=all Nodes=n[0-$(($1 - 1))] Default=YES MaxTime=INFINITE OverSubscribe=NO State=UP" \
        >>"$cluster/slurm.conf"
}

# What each of its daemons has said last, for somebody who must find out why.
cluster_tell() {
    tail -n 5 "$cluster"/log/*.log || true
}

cluster_up() {
    local nodes=$2 node try
    cluster=$1
    mkdir -p "$cluster"/{run,log,state,spool}
    chmod 755 "$cluster" "$cluster"/*
    (umask 077 && head -c 1024 /dev/urandom >"$cluster/munge.key")
    # Clusters that are up at the same time shall not meet, nor connections, which the kernel begins at 32768.
    cluster_configure "$nodes" "$3" $((12000 + $$ % 1000 * 20))
    export SLURM_CONF=$cluster/slurm.conf
    munged --key-file="$cluster/munge.key" --socket="$cluster/run/munge.sock" --pid-file="$cluster/run/munged.pid" \
        --log-file="$cluster/log/munged.log" --seed-file="$cluster/run/munge.seed" --force >/dev/null 2>&1
    slurmctld -c
    for ((node = 0; node < nodes; node++)); do slurmd -N "n$node"; done
    for ((try = 0; try < 300; try++)); do
        [[ $(sinfo -h -N -o %t 2>/dev/null | grep -c '^idle$') != "$nodes" ]] || return 0
        sleep 0.1
    done
    echo "the virtual cluster does not come up" >&2
    cluster_tell >&2
    return 1
}

# By the numbers that its daemons left, and nobody else's.
cluster_down() {
    local file process try
    scancel -u "$(id -un)" 2>/dev/null || true
    for file in "$cluster"/run/{slurmd-*,slurmctld,munged}.pid; do
        [[ -s $file ]] || continue
        process=$(<"$file")
        kill "$process" 2>/dev/null || true
        for ((try = 0; try < 50; try++)); do
            kill -0 "$process" 2>/dev/null || continue 2
            sleep 0.1
        done
        kill -KILL "$process" 2>/dev/null || true
    done
}
