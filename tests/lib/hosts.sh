# SPDX-License-Identifier: MIT
# hosts.sh: sourced after lib.sh by tests that need several hosts. It makes them of namespaces on one machine: each host has a network, a name, processes
# that begin at 1, System V IPC, mounts with a /dev/shm of its own, a boot id and a monotonic clock that is ahead by a known time. CLOCK_REALTIME is
# the machine's. All see the same files, as on a cluster with one file system.
#
#	hosts_make 2 1000		nodea, and nodeb whose CLOCK_MONOTONIC is 1,000 s ahead of nodea's; or the test is skipped
#	on nodeb COMMAND…		runs there
#	hosts_mpirun -n 4 ./app		Open MPI, ranks placed host by host: 0 and 1 on nodea, 2 and 3 on nodeb
#	hosts_end			takes all of it away; the end of the test does so too
#
# The hosts hang on a bridge in a namespace of its own, the login host, where mpirun runs. Nothing is made in the machine's own namespaces. Each host's first
# process is killed when the test's shell dies, whatever kills that, and the kernel then takes the host's processes, links and mounts.

hosts=()                # their names
declare -A host_pid     # the first process, as seen from outside
declare -A host_outer   # its parent, the test's child
declare -A host_ahead   # how far its CLOCK_MONOTONIC is ahead of the machine's, in seconds
login_pid=

# hosts_possible: prints why this machine has no such hosts, where it hasn't.
hosts_possible()
{
	test "$(id -u)" = 0 || { echo "only root makes namespaces on this machine"; return 1; }
	local tool
	for tool in ip nsenter setpriv unshare; do
		command -v $tool >/dev/null || { echo "this machine has no $tool"; return 1; }
	done
	unshare --net --uts --pid --ipc --mount --time --monotonic 1 --fork \
		sh -c 'ip link add v0 type veth peer name v1 && ip link add b0 type bridge && mount -t tmpfs none /dev/shm' >/dev/null 2>&1 ||
		{ echo "this machine's kernel makes no such namespaces, links or mounts"; return 1; }
}

# hosts_need RESULTS: skips so many results where hosts can't be made.
hosts_need()
{
	local why
	why=$(hosts_possible) && return
	skip "$1" "$why"
	return 1
}

# host_start NAME UNSHARE-FLAG…: its first process, which collects those that lose their parents. The login host, which sees all processes, only sleeps.
host_start()
{
	local name=$1 outer tries=200 rest='while :; do sleep 1; done'; shift
	test $# -gt 0 || rest='exec sleep infinity'
	setpriv --pdeathsig KILL unshare --net --uts --ipc --mount --fork --kill-child "$@" \
		bash -c "trap '' HUP INT TERM; hostname $name; touch '$hosts_folder/$name.up'; $rest" \
		</dev/null >/dev/null 2>&1 &
	outer=$!
	disown $outer
	host_outer[$name]=$outer
	while ! test -e "$hosts_folder/$name.up" && test $((tries -= 1)) -gt 0; do sleep 0.02; done
	test -e "$hosts_folder/$name.up" || return
	read -r "host_pid[$name]" <"/proc/$outer/task/$outer/children"
	test -n "${host_pid[$name]}"
}
# on HOST COMMAND…: runs it on that host, as the test's child.
on()
{
	local name=$1; shift
	nsenter --all -t "${host_pid[$name]}" "--wd=$PWD" -- "$@"
}

# hosts_make COUNT SECONDS: that many hosts (at most 26), each one's clock so far ahead of that of the one before.
hosts_make()
{
	local count=$1 step=$2 i name
	hosts_folder=$tmp/hosts
	rm -rf "$hosts_folder"; mkdir -p "$hosts_folder"
	host_start login || return
	login_pid=${host_pid[login]}
	echo "127.0.0.1 localhost" >"$hosts_folder/etc"
	echo "10.99.0.1 login" >>"$hosts_folder/etc"
	for ((i = 0; i < count; i++)); do
		name=node$(printf "\\$(printf %o $((97 + i)))")
		hosts+=("$name")
		echo "10.99.0.$((i + 10)) $name" >>"$hosts_folder/etc"
	done
	on login sh -c "ip link set lo up && ip link add wire type bridge && ip addr add 10.99.0.1/24 dev wire && ip link set wire up &&
		mount --bind '$hosts_folder/etc' /etc/hosts" || return
	for ((i = 0; i < count; i++)); do
		host_join "${hosts[i]}" "10.99.0.$((i + 10))" $((i * step)) || return
	done
	hosts_networks=$(for name in "${!host_pid[@]}"; do readlink "/proc/${host_pid[$name]}/ns/net"; done | tr '\n' ' ')
	hosts_agent
}

# host_join NAME ADDRESS SECONDS
host_join()
{
	local name=$1 address=$2 ahead=$3
	host_ahead[$name]=$ahead
	host_start "$name" --pid --time --monotonic "$ahead" --boottime "$ahead" || return
	"$python" -c 'import uuid; print(uuid.uuid4())' >"$hosts_folder/$name.boot"
	nsenter --net -t "$login_pid" sh -c "ip link add to-$name type veth peer name eth0 netns ${host_pid[$name]} &&
		ip link set to-$name master wire up" || return
	on "$name" sh -c "mount -t proc proc /proc && mount -t tmpfs -o mode=1777 shm /dev/shm && mount --bind '$hosts_folder/etc' /etc/hosts &&
		mount --bind '$hosts_folder/$name.boot' /proc/sys/kernel/random/boot_id &&
		ip link set lo up && ip addr add $address/24 dev eth0 && ip link set eth0 up"
}

# Stands in for ssh: "agent HOST COMMAND". As with ssh, the command gets a fresh environment.
hosts_agent()
{
	local name
	hosts_rsh=$hosts_folder/rsh
	{
		echo '#!/bin/sh'
		echo 'host=$1; shift'
		echo 'case $host in'
		for name in "${hosts[@]}"; do echo "$name) pid=${host_pid[$name]} ;;"; done
		echo '*) echo "$host: no such host" >&2; exit 255 ;;'
		echo 'esac'
		echo "exec nsenter --all -t \$pid -- env -i PATH=/usr/bin:/bin:/usr/sbin:/sbin HOME='$HOME' TMPDIR='${TMPDIR:-/tmp}' sh -c \"\$*\""
	} >"$hosts_rsh"
	chmod +x "$hosts_rsh"
}

# hosts_mpirun MPIRUN-ARGUMENT…: from the login host. Ranks talk over TCP between hosts. As many slots a host as asked for by hosts_slots (2), filled as
# hosts_mapping says (slot), for hosts_limit seconds at most (any time). Open MPI warns where the agent that it started was quicker than itself.
hosts_mpirun()
{
	local list='' name
	for name in "${hosts[@]}"; do list=$list,$name:${hosts_slots:-2}; done
	{
		on login ${hosts_limit:+timeout -k 5 "$hosts_limit"} mpirun.openmpi --allow-run-as-root --oversubscribe --host "${list#,}" --map-by "${hosts_mapping:-slot}" --bind-to none \
			--mca plm_rsh_agent "$hosts_rsh" --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include 10.99.0.0/24 \
			--mca btl_tcp_if_include 10.99.0.0/24 --mca btl tcp,vader,self --mca btl_base_warn_component_unused 0 "$@" 2>&1 >&3 3>&- |
			sed '/plm:[rs]sh: Warning: setpgid(.*) failed in parent/d' >&2 3>&-
		return "${PIPESTATUS[0]}"
	} 3>&1
}

# hosts_end: kills each host's first process, and waits until the kernel has taken all that was on it.
hosts_end()
{
	local pid tries=1000
	test ${#host_outer[@]} = 0 || kill -KILL "${host_outer[@]}" 2>/dev/null
	for pid in "${host_pid[@]}"; do
		while test -e "/proc/$pid" && test $((tries -= 1)) -gt 0; do sleep 0.01; done
	done
	hosts=() host_pid=() host_ahead=() host_outer=()
}

# hosts_left: the processes that are still in a namespace of the last hosts, for a test that there are none. Links and mounts go with the last process.
hosts_left()
{
	local link
	for link in /proc/[0-9]*/ns/net; do
		case " $hosts_networks " in *" $(readlink "$link" 2>/dev/null || echo none) "*) echo "$link" ;; esac
	done
}
trap 'hosts_end; rm -rf "$tmp"' EXIT
