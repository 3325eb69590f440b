import process from 'node:process';
import type { Log } from '../../pipeline/effects/log.ts';
import type { MarkedSnapshot } from './realtime-state-bench.ts';

/**
 * What runs in processes of its own. Input and result go from process to process. Each loads what it needs when it runs, so that
 * no other task's code is in its memory.
 */
export const childTasks = {
  ingest: async (input: IngestInput) => (await import('./ingest-bench.ts')).measureIngest(input),
  load: async (input: { dataDir: string }) => (await import('./snapshot-bench.ts')).measureLoad(input.dataDir),
  boards: async (input: { dataDir: string }) => (await import('./board-bench.ts')).measureBoards(input.dataDir),
  api: async (input: { dataDir: string }) => (await import('./http-servers.ts')).serveApi(input.dataDir),
  bare: async (input: BareInput) => (await import('./http-servers.ts')).serveBare(input),
  load_generator: async (input: LoadInput) => (await import('./http-servers.ts')).generateLoad(input),
  realtime_state: async (input: StateInput) => (await import('./realtime-state-bench.ts')).measureState(input),
  live_boards: async (input: LiveBoardInput) => (await import('./live-board-bench.ts')).measureLiveBoards(input),
  standstills: async (input: SnapshotsInput) => (await import('./swap-bench.ts')).measureStandstills(input),
  swap_load: async (input: SwapInput) => (await import('./swap-bench.ts')).measureSwaps(input),
};

export type ChildTasks = typeof childTasks;
export type ChildTask = keyof ChildTasks;

export interface IngestInput {
  readonly zip: string;
  readonly dataDir: string;
}

export interface BareInput {
  readonly origin: string;
  readonly paths: readonly string[];
}

export interface LoadInput {
  readonly origin: string;
  readonly paths: readonly string[];
  readonly seconds: number;
}

export interface StateInput {
  readonly dataDir: string;
  readonly timetableId: string;
  /** An empty folder, for the journal of sightings. */
  readonly workDir: string;
  readonly runningTrips: number;
  /** How many snapshots that can be told apart are published at the end. */
  readonly markedSnapshots: number;
}

export interface LiveBoardInput {
  readonly dataDir: string;
  readonly timetableId: string;
  readonly realtimeId: string;
}

export interface SnapshotsInput {
  readonly dataDir: string;
  readonly snapshots: readonly MarkedSnapshot[];
}

export interface SwapInput extends SnapshotsInput {
  readonly origin: string;
  readonly paths: readonly string[];
}

/** Progress would be noise; what goes wrong is on stderr, which children share with the bench. */
export const warningsOnly: Log = {
  info: () => {},
  warn: (message) => process.stderr.write(`warning: ${message}\n`),
  progress: () => {},
};
