/** A second thread on two cores costs memory: below this, one thread plans. */
const MIN_BYTES_FOR_TWO = 1.5e9;

/**
 * Returns the default number of planner threads: one fewer than there are cores, and two on two cores, where HTTP needs
 * a small part of its core.
 */
export function choosePlannerThreadCount(cores: number, memoryBytes: number): number {
  const least = cores >= 2 && memoryBytes >= MIN_BYTES_FOR_TWO ? 2 : 1;
  return Math.max(least, cores - 1);
}
