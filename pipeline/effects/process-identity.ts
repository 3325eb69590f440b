import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import process from 'node:process';
import { isSystemError } from './external-error.ts';

const open = new Set<() => void>();

process.on('exit', () => {
  for (const interrupt of open) interrupt();
});

/**
 * Interrupts a native engine when the process exits: without it `process.exit` waits for the running native work, which
 * may take most of an hour.
 * @returns a function that removes the handler; call it when the engine is closed
 */
export function interruptAtExit(interrupt: () => void): () => void {
  open.add(interrupt);
  return () => {
    open.delete(interrupt);
  };
}

/** Distinguishes a process from all others, also from a later one with the same number. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** Start of the process in clock ticks; null where the system does not provide it. */
  readonly processStart: string | null;
}

export async function identifyThisProcess(): Promise<ProcessIdentity> {
  return { host: hostname(), pid: process.pid, processStart: await findProcessStart(process.pid) };
}

/** Whether a process of this machine is alive and has this start time. */
export async function isProcessAlive(pid: number, processStart: string | null): Promise<boolean> {
  if (!isProcessThere(pid)) return false;
  return processStart === null || processStart === (await findProcessStart(pid));
}

function isProcessThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return !isSystemError(error, 'ESRCH');
  }
}

/**
 * Returns the start of a process in clock ticks since boot, which distinguishes it from a later one with the same
 * number.
 * @returns null where the system does not provide it (Linux does), and for a process that has ended
 */
export async function findProcessStart(pid: number): Promise<string | null> {
  try {
    const line = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may itself hold blanks and parentheses; "start time" is the 20th field after it.
    return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch (error) {
    if (isSystemError(error, 'ENOENT') || isSystemError(error, 'ESRCH')) return null;
    throw error;
  }
}
