import type { Clock } from '../../pipeline/effects/clock.ts';
import type { Log } from '../../pipeline/effects/log.ts';

const LINE_MILLISECONDS = 60_000;
/** The number of host names below a listed one is unlimited. */
const MAX_KINDS = 20;

/** Log of pushes for the operator: sums, at most once a minute, without endpoints and tokens. */
export interface PushLog {
  /** @param reason a status or a code */
  noteDropped(host: string, reason: string): void;
  /** The store fails: logged once until it succeeds. */
  noteFailure(error: unknown): void;
  noteSuccess(): void;
  /** Writes the sums if they are due. */
  flush(): void;
}

export function openPushLog(log: Log, clock: Clock): PushLog {
  const dropped = new Map<string, number>();
  let lineAt = 0;
  let lastFailure: string | null = null;
  return {
    noteDropped(host, reason) {
      const kind = `${host} (${reason})`;
      const counted = dropped.has(kind) || dropped.size < MAX_KINDS ? kind : 'other hosts';
      dropped.set(counted, (dropped.get(counted) ?? 0) + 1);
    },
    noteFailure(error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== lastFailure) log.warn(`pushes wait: ${message}`);
      lastFailure = message;
    },
    noteSuccess() {
      if (lastFailure !== null) log.info('pushes are sent again');
      lastFailure = null;
    },
    flush() {
      const now = clock.nowMilliseconds();
      if (dropped.size === 0 || Math.abs(now - lineAt) < LINE_MILLISECONDS) return;
      const sums = [...dropped].map(([kind, count]) => `${count} at ${kind}`);
      log.warn(`pushes were given up: ${sums.join(', ')}`);
      dropped.clear();
      lineAt = now;
    },
  };
}
