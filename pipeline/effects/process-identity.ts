import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { isSystemError } from './world-error.ts';

const open = new Set<() => void>();

process.on('exit', () => {
  for (const interrupt of open) interrupt();
});

/**
 * Interrupts a native engine when the process ends: a process that exits waits for the native work in hand, which
 * may be the better part of an hour. Without this `process.exit` hangs.
 * @returns ends the watch; to be called when the engine is closed
 */
export function interruptAtExit(interrupt: () => void): () => void {
  open.add(interrupt);
  return () => {
    open.delete(interrupt);
  };
}

/** Whether a process of this machine lives, and is the one that had this start. */
export async function isProcessAlive(pid: number, processStart: string | null): Promise<boolean> {
  if (!isProcessThere(pid)) return false;
  return processStart === null || processStart === (await findProcessStart(pid));
}

function isProcessThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, and belongs to another user.
    return !isSystemError(error, 'ESRCH');
  }
}

/**
 * Start of a process in clock ticks since boot, which tells it from a later one with its number.
 * @returns null where the kernel does not say (it does on Linux), and for a process that is gone
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
