import { totalmem } from 'node:os';
import process from 'node:process';

/**
 * Bytes of memory that this process may use: those of the machine, or of its cgroup (v1 or v2) where these are fewer, as
 * with `MemoryMax=` of systemd and the limit of a container.
 */
export function findMemoryBytes(): number {
  const limit = process.constrainedMemory();
  // 0 where it is unknown; without a limit a number beyond all memory.
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
