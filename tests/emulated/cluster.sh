# shellcheck shell=bash
# An emulated cluster on this machine: a node is a network namespace behind a link of limited rate, and a group
# of processes that get a limited share of one core. To be sourced; Linux, root, iproute2.
#
#     cluster_up 200mbit:25:0 100mbit:50:0 50mbit:100:1    # rate of the link, both ways, per cent of a core, which
#     "${cluster_mpiexec[@]}" -n 3 COMMAND...        # one rank a node, over TCP
#     cluster_down                                   # always: trap cluster_down EXIT
#
# Names carry this shell's number, so that several clusters can be up at a time.

cluster_tag=sc$$
cluster_bridge=$cluster_tag-br
cluster_net=10.$((64 + $$ / 256 % 64)).$(($$ % 256))
cluster_cpu=/sys/fs/cgroup/cpu
cluster_cpuset=/sys/fs/cgroup/cpuset
cluster_nodes=()
cluster_mpiexec=()
cluster_tickers=()
# A bucket holds that much, which passes without delay after a pause: the more, the less the rate is one.
cluster_burst=16kb
# A share of a core is given anew so often: what rests gets up to that much of it at once afterwards. The kernel looks
# at who runs every 4 ms only, and cuts shares no finer, unless somebody else wakes up on that core: cluster_ticker
# (ticker.c, compiled) does so that often. What is overdrawn until then, nodes that share a core must find in their
# next period: in periods of 4 ms, of which 25 % are the least share that there is, three of them got less than that.
cluster_period_us=8000
cluster_ticker=
# What is left of such a core is used, too, by somebody who wants nothing else (ticker with 0): a core that sleeps
# between two shares is another machine's meanwhile, and its caches are cold afterwards.
cluster_tick_us=500
# Against what else wants the cores: a node is to get its share. Everybody else's process has 1024.
cluster_weight=65536

# Removes what shells have left that were killed before they could.
cluster_sweep() {
    local name shell
    for name in $(ip netns list 2>/dev/null | sed -n 's/^\(sc[0-9]*-[0-9a-z]*\).*/\1/p'); do
        shell=${name%-*}
        [ -d "/proc/${shell#sc}" ] && continue
        cluster_nodes=("$name")
        cluster_bridge=$shell-br cluster_down
    done
}

# Why there can be no cluster here; nothing where there can.
cluster_missing() {
    [ "$(id -u)" -eq 0 ] || { echo "only root can make network namespaces" && return; }
    command -v ip tc >/dev/null || { echo "iproute2 (ip, tc) is not installed" && return; }
    { mkdir "$cluster_cpu/$cluster_tag-try" && echo 5000 >"$cluster_cpu/$cluster_tag-try/cpu.cfs_quota_us"; } 2>/dev/null ||
        { echo "there are no control groups of version 1 with quotas under $cluster_cpu" && return; }
    rmdir "$cluster_cpu/$cluster_tag-try"
    [ -f "$cluster_cpuset/cpuset.cpus" ] || { echo "there are no control groups of version 1 under $cluster_cpuset" && return; }
    if ! ip netns add "$cluster_tag-try" 2>/dev/null; then
        echo "network namespaces cannot be made here"
    elif ! ip -n "$cluster_tag-try" link set lo up 2>/dev/null ||
        ! ip netns exec "$cluster_tag-try" tc qdisc add dev lo root tbf rate 1mbit burst 16kb latency 50ms 2>/dev/null; then
        echo "the kernel cannot limit the rate of a link (tc qdisc tbf)"
    fi
    ip netns del "$cluster_tag-try" 2>/dev/null
}

# cluster_limit DEVICE RATE [NAMESPACE]
cluster_limit() {
    local in=()
    [ $# -lt 3 ] || in=(ip netns exec "$3")
    "${in[@]}" tc qdisc add dev "$1" root tbf rate "$2" burst "$cluster_burst" latency 200ms
}

# cluster_node NUMBER RATE PERCENT CORE: it stays on its core, for a share that moves is kept waiting by others'.
cluster_node() {
    local name=$cluster_tag-$1 cable=$cluster_tag-v$1 group=$cluster_cpu/$cluster_tag-$1 set=$cluster_cpuset/$cluster_tag-$1
    ip netns add "$name"
    cluster_nodes+=("$name")
    ip link add "$cable" type veth peer name eth0 netns "$name"
    ip link set "$cable" master "$cluster_bridge" up
    ip -n "$name" addr add "$cluster_net.$(($1 + 1))/24" dev eth0
    ip -n "$name" link set eth0 up
    ip -n "$name" link set lo up
    cluster_limit "$cable" "$2"
    cluster_limit eth0 "$2" "$name"
    mkdir -p "$group"
    echo "$cluster_period_us" >"$group/cpu.cfs_period_us"
    echo $((cluster_period_us * $3 / 100)) >"$group/cpu.cfs_quota_us"
    echo "$cluster_weight" >"$group/cpu.shares"
    mkdir -p "$set"
    echo "$4" >"$set/cpuset.cpus"
    echo 0 >"$set/cpuset.mems"
}

# cluster_tick RATE:PERCENT:CORE...: on cores of which there are shares.
cluster_tick() {
    local core group=$cluster_cpu/$cluster_tag-rest
    [ -n "$cluster_ticker" ] || return 0
    mkdir -p "$group"
    echo 2 >"$group/cpu.shares"
    for core in $(printf '%s\n' "$@" | awk -F: '$2 < 100 { print $3 }' | sort -u); do
        "$cluster_ticker" "$core" "$cluster_tick_us" >/dev/null &
        cluster_tickers+=($!)
        "$cluster_ticker" "$core" 0 >/dev/null &
        cluster_tickers+=($!)
        echo $! >"$group/cgroup.procs"
    done
}

# cluster_up RATE:PERCENT:CORE...: the first is the master's.
cluster_up() {
    local node hosts words
    ip link add "$cluster_bridge" type bridge
    ip addr add "$cluster_net.254/24" dev "$cluster_bridge"
    ip link set "$cluster_bridge" up
    for node in "$@"; do
        IFS=: read -ra words <<<"$node"
        cluster_node ${#cluster_nodes[@]} "${words[@]}"
    done
    cluster_tick "$@"
    hosts=$(IFS=, && echo "${cluster_nodes[*]}")
    # UCX knows that all is one machine, and must not make use of it.
    # shellcheck disable=SC2034 # by those who source this
    cluster_mpiexec=(mpiexec.mpich -launcher ssh
        -launcher-exec "$(realpath "$(dirname "${BASH_SOURCE[0]}")")/launch" -iface "$cluster_bridge" -hosts "$hosts"
        -genv UCX_TLS "tcp,self" -genv UCX_NET_DEVICES eth0)
}

# Ends what still runs on the nodes and removes them.
cluster_down() {
    local name
    if ((${#cluster_tickers[@]} > 0)); then
        kill "${cluster_tickers[@]}" 2>/dev/null || true
        wait "${cluster_tickers[@]}" 2>/dev/null || true
    fi
    cluster_tickers=()
    rmdir "$cluster_cpu/${cluster_bridge%-br}-rest" 2>/dev/null || true
    for name in "${cluster_nodes[@]}"; do
        ip netns pids "$name" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
        ip netns del "$name" 2>/dev/null || true # and with it both ends of its cable
    done
    ip link del "$cluster_bridge" 2>/dev/null || true
    for name in "${cluster_nodes[@]}"; do
        # A group goes when its last process has.
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            rmdir "$cluster_cpu/$name" "$cluster_cpuset/$name" 2>/dev/null && break
            [ -d "$cluster_cpu/$name" ] || [ -d "$cluster_cpuset/$name" ] || break
            sleep 0.1
        done
    done
    cluster_nodes=()
}
