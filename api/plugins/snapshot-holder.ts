import type { Log } from '../../pipeline/effects/log.ts';
import type { HeldSnapshot, SnapshotHolder } from './route-handler.ts';

/** Where published snapshots are read from. */
export interface SnapshotReader<Value> {
  /** Reads the id in the pointer file; null while nothing is published. Called every second, so it must be cheap. */
  readCurrentId(): Promise<string | null>;
  /** Loads the snapshot that the pointer file names; null while nothing is published. */
  read(): Promise<{ readonly id: string; readonly value: Value } | null>;
}

export interface LiveSnapshotHolder<Value> extends SnapshotHolder<Value> {
  /** Checks the pointer now, and loads a new snapshot. Joins a check that is in progress. Never rejects. */
  check(): Promise<void>;
  /** Stops checking; the snapshot stays usable. */
  close(): Promise<void>;
}

export interface HolderOptions {
  readonly log: Log;
  readonly checkMilliseconds?: number;
  /** Called after each attempt to load a snapshot, with the time it took. */
  readonly onLoad?: (outcome: 'loaded' | 'failed', seconds: number) => void;
}

/** A snapshot that fails to load is loaded again after 1, 2, 4 … checks, up to this many. */
const MAX_LOOKS_BETWEEN_TRIES = 60;

/**
 * Follows the newest published snapshot. A newer one is loaded beside the current one and replaces it atomically; running
 * requests finish with the one they took. If loading fails, the current snapshot stays in use, and the failure is logged
 * once. The pointer file is polled instead of watched, because polling works on every file system.
 * @returns once the first load has succeeded, failed, or found nothing
 */
export async function holdSnapshot<Value>(
  source: SnapshotReader<Value>,
  { log, checkMilliseconds = 1000, onLoad = () => {} }: HolderOptions,
): Promise<LiveSnapshotHolder<Value>> {
  let held: HeldSnapshot<Value> | null = null;
  let underWay: Promise<void> | null = null;
  const failures = trackFailures(log);

  const load = async () => {
    const started = performance.now();
    const report = (outcome: 'loaded' | 'failed') => onLoad(outcome, (performance.now() - started) / 1000);
    try {
      const next = await source.read();
      if (next) held = { value: next.value, dataVersion: next.id };
      report('loaded');
    } catch (error) {
      report('failed');
      throw error;
    }
  };
  const look = async () => {
    let id: string | null = null;
    try {
      id = await source.readCurrentId();
      if (id !== null && id !== held?.dataVersion) {
        if (failures.isTooSoonFor(id)) return;
        await load();
      }
      failures.clear();
    } catch (error) {
      failures.report(error, id, held?.dataVersion ?? null);
    }
  };
  const check = () => {
    underWay ??= look().finally(() => {
      underWay = null;
    });
    return underWay;
  };

  await check();
  const timer = setInterval(check, checkMilliseconds);
  timer.unref();
  return {
    current: () => held,
    check,
    async close() {
      clearInterval(timer);
      await underWay;
    },
  };
}

/**
 * Logs each failure once, and the recovery; delays repeated loads of a snapshot, which may be large. The delay counts
 * checks of the pointer and not milliseconds, as in `RetryPolicy`, because a newer snapshot is loaded at once.
 */
function trackFailures(log: Log) {
  let lastId: string | null = null;
  let lastMessage: string | null = null;
  let tries = 0;
  let looksToSkip = 0;
  return {
    isTooSoonFor(id: string) {
      if (id !== lastId || looksToSkip === 0) return false;
      looksToSkip -= 1;
      return true;
    },
    report(error: unknown, id: string | null, keptId: string | null) {
      const message = error instanceof Error ? error.message : String(error);
      tries = id === lastId ? tries + 1 : 1;
      looksToSkip = Math.min(2 ** (tries - 1), MAX_LOOKS_BETWEEN_TRIES);
      const isKnown = id === lastId && message === lastMessage;
      lastId = id;
      lastMessage = message;
      if (isKnown) return;
      const name =
        id === null ? 'the pointer to the published snapshot cannot be read' : `snapshot ${id} cannot be loaded`;
      log.warn(`${name}: ${message}; ${keptId === null ? 'there is none to fall back on' : `${keptId} stays`}`);
    },
    clear() {
      if (lastMessage !== null) log.info('the published snapshot can be loaded again');
      lastId = null;
      lastMessage = null;
      tries = 0;
      looksToSkip = 0;
    },
  };
}
