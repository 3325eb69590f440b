/** A unit of a backfill that waits for a worker. All of it is JSON. */
export interface Shard {
  readonly job: string;
  /** Name of the unit, e.g. `wien 2026-03-01`. */
  readonly unit: string;
  /** Options of the backfill as on the command line: with the job they name it. */
  readonly arguments: string;
  /** Options of the run of the unit. */
  readonly options: { readonly [name: string]: ShardValue };
  /** Number of the run that distributes it. */
  readonly run: number | null;
}

type ShardValue = string | number | boolean | null | readonly ShardValue[];

/** A shard that a worker has taken. */
export interface TakenShard extends Shard {
  readonly id: string;
  /** Times that it was taken before. */
  readonly retries: number;
}

/** How a shard ended; the outcome of the job on its unit, as JSON. */
export interface ShardEnd {
  readonly status: 'done' | 'unchanged' | 'failed';
  readonly summary: string;
  /** Whether it may succeed later. */
  readonly isRetryable?: boolean;
  readonly counts?: { readonly [name: string]: unknown };
  /** Process that did it. */
  readonly worker: string;
}

/** `waiting`: for a worker, for the first time or again; `gone`: removed, by hand or because nothing took it for a year. */
export type ShardState = 'waiting' | 'active' | 'ended' | 'cancelled' | 'gone';

export interface SeenShard {
  readonly unit: string;
  readonly state: ShardState;
  /** Null: it has not ended. */
  readonly end: ShardEnd | null;
}

/** Shards of one job that wait, run, or have failed for good. */
export interface ShardCounts {
  readonly job: string;
  readonly waiting: number;
  readonly active: number;
  readonly failed: number;
  /** The newest of the failed ones. */
  readonly failures: readonly { readonly unit: string; readonly summary: string; readonly failedAt: string }[];
}

/** Names what two distributors of the same work have in common. */
export function shardKey({ arguments: options, unit }: Pick<Shard, 'arguments' | 'unit'>): string {
  return `${unit} | ${options}`;
}

/** The lock of a shard, which its worker holds and renews. */
export function shardLock({ job, ...shard }: Pick<Shard, 'job' | 'arguments' | 'unit'>): string {
  return `shard/${job} ${shardKey(shard)}`;
}
