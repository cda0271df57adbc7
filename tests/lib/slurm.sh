# SPDX-License-Identifier: MIT
# slurm.sh: sourced after hosts.sh by tests that need Slurm: a cluster of the hosts that hosts_make made, with its keys, sockets, state and logs in the
# test's folder. Slurm's own processes run on the hosts and end with them; nothing of it touches a Slurm that the machine has.
#
#	hosts_make 1 0 && slurm_make 8		one node with room for 8 tasks; or the reason is on standard error
#	slurm srun -n 8 ./app			a command of Slurm's, on the first host
#	hosts_end				ends Slurm too

# slurm_possible: prints why this machine can't run it, where it can't.
slurm_possible()
{
	local tool
	for tool in slurmctld slurmd srun munged mungekey; do
		PATH=$PATH:/usr/sbin command -v $tool >/dev/null || { echo "Bail out! $tool is missing; ./scripts/install-packages stacks installs it (slurm-wlm)"; exit 99; }
	done
	hosts_possible
}

# slurm COMMAND…: on the first host.
slurm() { on "${hosts[0]}" env SLURM_CONF="$slurm_folder/slurm.conf" "$@"; }

# slurm_make TASKS: as many tasks may run on each host.
slurm_make()
{
	local name tries=100
	slurm_folder=$tmp/slurm
	rm -rf "$slurm_folder"; mkdir -p "$slurm_folder/state" || return
	PATH=$PATH:/usr/sbin mungekey -c -k "$slurm_folder/munge.key" 2>"$slurm_folder/mungekey.log" || return
	slurm_conf "$1" >"$slurm_folder/slurm.conf"
	# The processes that Slurm starts mustn't show in other tests' folders, nor hold this shell's output open.
	for name in "${hosts[@]}"; do
		slurm_host "$name" >"$slurm_folder/$name.start" 2>&1 </dev/null || { cat "$slurm_folder/$name.start" >&2; return 1; }
	done
	while ! slurm timeout 5 sinfo -h -o '%T %D' 2>/dev/null | grep -qx "idle ${#hosts[@]}" && test $((tries -= 1)) -gt 0; do sleep 0.1; done
	test $tries -gt 0 || { slurm_logs >&2; return 1; }
}

# munged refuses folders that others could write, of which /tmp is one; --force takes them.
slurm_host()
{
	local name=$1
	on "$name" mkdir -p "/dev/shm/munge" &&
		on "$name" env PATH="$PATH:/usr/sbin" munged --force --key-file="$slurm_folder/munge.key" --socket=/dev/shm/munge/socket \
			--pid-file=/dev/shm/munge/pid --log-file=/dev/shm/munge/log --seed-file=/dev/shm/munge/seed || return
	if test "$name" = "${hosts[0]}"; then
		on "$name" env SLURM_CONF="$slurm_folder/slurm.conf" PATH="$PATH:/usr/sbin" slurmctld || return
	fi
	on "$name" env SLURM_CONF="$slurm_folder/slurm.conf" PATH="$PATH:/usr/sbin" slurmd -N "$name"
}

slurm_logs() { tail -n 20 "$slurm_folder"/*.log "$slurm_folder"/*.start; }

# No cgroups, no accounting: the machine may have neither. As many processors a node as tasks, whatever it has. PMIx keeps sockets in TmpFS, which must be the host's own.
slurm_conf()
{
	local tasks=$1 list
	list=$(IFS=,; echo "${hosts[*]}")
	cat <<-END
	ClusterName=test
	SlurmctldHost=${hosts[0]}
	SlurmUser=root
	SlurmdUser=root
	AuthType=auth/munge
	AuthInfo=socket=/dev/shm/munge/socket
	CredType=cred/munge
	StateSaveLocation=$slurm_folder/state
	SlurmdSpoolDir=$slurm_folder/spool.%n
	SlurmctldPidFile=/dev/shm/slurmctld.pid
	SlurmdPidFile=/dev/shm/slurmd.pid
	SlurmctldLogFile=$slurm_folder/slurmctld.log
	SlurmdLogFile=$slurm_folder/slurmd.%n.log
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/none
	SelectType=select/cons_tres
	SelectTypeParameters=CR_CPU
	SchedulerType=sched/builtin
	MpiDefault=none
	ReturnToService=2
	SlurmdParameters=config_overrides
	KillWait=2
	InactiveLimit=0
	TmpFS=/dev/shm
	MailProg=/bin/true
	NodeName=$list CPUs=$tasks State=UNKNOWN
	PartitionName=all Nodes=$list Default=YES MaxTime=INFINITE State=UP
	END
}
