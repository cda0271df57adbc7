/* SPDX-License-Identifier: MIT */
/*
 * phases_trace BYTES RUNS: prints a systrace of about BYTES bytes, in which an NNAPI program runs
 * RUNS times while the machine does other work: rows of the scheduler, of interrupts, of binder,
 * and marks of other programs. One row in eight is of the program or its driver.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t now = 100000000, written; /* microseconds; bytes */
static uint64_t dice = 88172645463325252;

static unsigned dice_roll(unsigned below)
{
	dice ^= dice << 13;
	dice ^= dice >> 7;
	dice ^= dice << 17;
	return (unsigned)(dice >> 33) % below;
}

__attribute__((format(printf, 3, 4))) static void row(const char *task, unsigned process,
						      const char *format, ...)
{
	va_list arguments;

	now += 1 + dice_roll(20);
	written += (uint64_t)printf("%s (%5u) [%03u] d..3 %5" PRIu64 ".%06" PRIu64 ": ", task,
				    process, dice_roll(8), now / 1000000, now % 1000000);
	va_start(arguments, format);
	written += (uint64_t)vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
	written++;
}

static void other_rows(void)
{
	unsigned cpu = dice_roll(8);

	switch (dice_roll(7)) {
	case 0:
		row("          <idle>-0    ", 0,
		    "sched_switch: prev_comm=swapper/%u prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=kworker/u16:%u next_pid=%u next_prio=120",
		    cpu, cpu, 100 + dice_roll(900));
		break;
	case 1:
		row(" kworker/u16:3-212  ", 212,
		    "sched_wakeup: comm=Binder:%u_2 pid=%u prio=120 target_cpu=%03u",
		    500 + dice_roll(90), 600 + dice_roll(90), cpu);
		break;
	case 2:
		row("          <idle>-0    ", 0, "cpu_idle: state=%u cpu_id=%u", dice_roll(3), cpu);
		break;
	case 3:
		row("  surfaceflinger-431  ", 431, "irq_handler_entry: irq=%u name=arch_timer",
		    dice_roll(60));
		break;
	case 4:
		row("  Binder:650_2-671  ", 650,
		    "binder_transaction: transaction=%u dest_node=%u dest_proc=%u dest_thread=0 reply=0 flags=0x10 code=0x%x",
		    dice_roll(900000), dice_roll(9000), dice_roll(3000), dice_roll(30));
		break;
	case 5:
		row("  surfaceflinger-431  ", 431, "tracing_mark_write: B|431|onMessageReceived");
		row("  surfaceflinger-431  ", 431, "tracing_mark_write: E|431");
		break;
	default:
		row("  RenderThread-1811  ", 1799, "tracing_mark_write: C|1799|HWUI Cache Size|%u",
		    dice_roll(1000000));
	}
}

static void program_row(const char *mark)
{
	for (unsigned i = 0; i < 6; i++)
		other_rows();
	row("  NeuralNetworks-5143  ", 5143, "tracing_mark_write: %s", mark);
}

static void driver_row(const char *mark)
{
	row("  HwBinder:774_1-774   ", 774, "tracing_mark_write: %s", mark);
}

#define BEGIN(mark) program_row("B|5143|" mark)
#define END()	    program_row("E|5143")

static void call_rows(const char *mark)
{
	program_row(mark);
	END();
}

static void execution_rows(void)
{
	BEGIN("[NN_LA_PE]run");
	call_rows("B|5143|[NN_LR_PE]ANeuralNetworksExecution_create");
	call_rows("B|5143|[NN_LR_PIO]ANeuralNetworksExecution_setInput");
	BEGIN("[NN_LR_PE]ANeuralNetworksExecution_startCompute");
	BEGIN("[NN_LI_PE]StepExecutor::startComputeOnDevice::execute");
	BEGIN("HIDL::IPreparedModel::execute::client");
	driver_row("B|774|HIDL::IPreparedModel::execute::server");
	END();
	END();
	END();
	driver_row("B|774|HIDL::IExecutionCallback::notify::client");
	driver_row("E|774");
	driver_row("E|774");
	call_rows("B|5143|[NN_LR_PE]ANeuralNetworksEvent_wait");
	call_rows("B|5143|[NN_LR_PE]ANeuralNetworksEvent_free");
	call_rows("B|5143|[NN_LR_PT]ANeuralNetworksExecution_free");
	END();
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc > 2 ? strtoull(argv[1], NULL, 10) : 0,
		 runs = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	static char room[1 << 20];

	if (!bytes || !runs) {
		fputs("phases_trace: two numbers are needed; give the bytes and the runs\n",
		      stderr);
		return 2;
	}
	setvbuf(stdout, room, _IOFBF, sizeof(room));
	puts("# tracer: nop\n#\n#           TASK-PID    TGID   CPU#  ||||    TIMESTAMP  FUNCTION\n#              | |        |      |   ||||       |         |");
	driver_row("B|774|HIDL::IDevice::getCapabilities::server");
	driver_row("E|774");
	for (uint64_t i = 0; i < runs; i++) {
		BEGIN("[NN_LA_PO]MobileNet_QUANT8");
		call_rows("B|5143|[NN_LA_PP]prepare");
		BEGIN("[NN_LA_PC]compile");
		call_rows("B|5143|[NN_LR_PC]ANeuralNetworksCompilation_finish");
		END();
		do
			execution_rows();
		while (written < bytes / runs * (i + 1));
		END();
	}
	return fflush(stdout) || ferror(stdout);
}
