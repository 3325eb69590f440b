import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { runTool } from '../interop/tools.ts';

export interface Usage {
  /** User and system time of all threads of all processes since their start. */
  readonly cpuSeconds: number;
  /** Peak memory of the largest process. */
  readonly peakBytes: number;
}

/** Reads the usage of other processes from Linux: scheduler ticks, and peak resident memory. */
export async function readUsage(pids: readonly number[]): Promise<Usage> {
  const ticks = Number((await runTool('getconf', ['CLK_TCK'], '')).trim());
  let cpuSeconds = 0;
  let peakBytes = 0;
  for (const pid of pids) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain spaces; user and system time are the 12th and 13th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    cpuSeconds += (Number(fields[11]) + Number(fields[12])) / ticks;
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    peakBytes = Math.max(peakBytes, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024);
  }
  return { cpuSeconds, peakBytes };
}

/** Runs a task, and measures its time and that of all threads of this process. */
export async function measureProcess<Result>(task: () => Promise<Result>) {
  const [started, before] = [performance.now(), process.cpuUsage()];
  const result = await task();
  const { user, system } = process.cpuUsage(before);
  return { result, seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 };
}
