import process from 'node:process';

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
