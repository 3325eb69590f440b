import { availableParallelism } from 'node:os';

interface EngineLimits {
  /** As DuckDB writes it, e.g. `2GB`. */
  readonly memoryLimit: string;
  /** 0: all cores. */
  readonly threads: number;
}

/**
 * The limits of each of several engines that work at the same time, so that all together stay within those that are
 * given.
 */
export function shareOutEngine<Limits extends EngineLimits>(limits: Limits, engines: number): Limits {
  if (engines === 1) return limits;
  const threads = Math.max(1, Math.floor((limits.threads || availableParallelism()) / engines));
  return { ...limits, memoryLimit: divideMemory(limits.memoryLimit, engines), threads };
}

function divideMemory(limit: string, by: number): string {
  const [, amount, unit] = /^([\d.]+)([A-Za-z]+)$/.exec(limit)!;
  return `${Math.max(0.001, Math.floor((1000 * Number(amount)) / by) / 1000)}${unit}`;
}
