import type { Clock } from '../../pipeline/effects/clock.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import { toTrinoLiteral, toTrinoName } from '../../pipeline/effects/sql-dialects/trino-text.ts';
import type { Trino } from '../../pipeline/scale-out/trino/open-trino.ts';
import { MART_CONTENT, nameMartContent } from '../../pipeline/snapshots/mart-content.ts';
import type { MartFile } from '../../pipeline/snapshots/mart-snapshot.ts';
import { clientGone, serviceStopping, timeLimitPassed } from '../contract/overload-problems.ts';
import { ApiProblem } from '../contract/problems.ts';
import { prepareForTrino } from './chart.ts';
import type { Columns } from './history-engine.ts';
import { type MartReader, withCharts } from './mart-reader.ts';
import { openWorkerPool, type PoolLimits } from './worker-pool.ts';

/** Engine that answered a query: Trino, or the API's own engine if Trino could not. */
export type AnsweredBy = 'trino' | 'duckdb_fallback';

export interface TrinoHistory {
  /**
   * A reader that queries Trino, at the versions of its tables that contain the same files as a snapshot. The local
   * reader answers while there are no such versions, or if Trino does not answer in time.
   */
  openReader(files: readonly MartFile<string>[], local: MartReader): MartReader;
  close(): Promise<void>;
}

interface TrinoHistoryParts {
  readonly trino: Trino;
  readonly limits: PoolLimits;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts an answer. */
  readonly onAnswer: (by: AnsweredBy) => void;
}

/** Pause after a failure of Trino. */
const PAUSE_MILLISECONDS = 30_000;
/** Interval between two searches for the versions of a snapshot's tables. */
const LOOK_MILLISECONDS = 10_000;

/** What a worker of the pool does now; null while it is idle. */
interface Slot {
  current: AbortController | null;
}

/** Queries Trino with a time limit, and pauses after failures, so that a dead Trino costs one query in half a minute. */
export function openTrinoHistory({ trino, limits, clock, log, onAnswer }: TrinoHistoryParts): TrinoHistory {
  const slots = Array.from({ length: limits.maxConcurrent }, (): Slot => ({ current: null }));
  const pool = openWorkerPool({
    workers: slots,
    limits,
    interrupt: ({ current }) => current?.abort(clientGone()),
    refusals: { timeLimitPassed: () => new TrinoLate(), serviceStopping, clientGone },
  });
  const limitMilliseconds = limits.timeLimitSeconds * 1000;
  const pause = openPause({ clock, log, limitMilliseconds });

  return {
    openReader(files, local) {
      const states = openStates(trino, files, limits.timeLimitSeconds, { clock, log, pause });
      return withCharts(async (task, period, whenGone) => {
        const versions = !pool.isFull && pause.mayQuery() ? states.find() : null;
        if (versions) {
          const requestedAt = performance.now();
          // The whole limit, for a query that never begins.
          let waitedMilliseconds = limitMilliseconds;
          try {
            const answer = await pool.work((slot, control) => {
              waitedMilliseconds = Math.round(performance.now() - requestedAt);
              return task((statement) => {
                const prepared = prepareForTrino(statement, trino.catalog, versions, files);
                if (prepared === null) return Promise.resolve(null);
                control.check();
                return runIn(slot, (signal) => collectColumns(trino, prepared, limits.timeLimitSeconds, signal));
              });
            }, whenGone);
            onAnswer('trino');
            pause.end();
            return answer;
          } catch (error) {
            // The client has gone, or the service ends. All other errors are Trino's, also those of a statement that it
            // does not accept: the files may still answer.
            if (error instanceof ApiProblem) throw error;
            if (error instanceof TrinoLate) {
              pause.noteLate(limitMilliseconds - waitedMilliseconds, error);
            } else {
              pause.begin(error as Error);
              states.forget();
            }
          }
        }
        const answer = await local.query(task, period, whenGone);
        onAnswer('duckdb_fallback');
        return answer;
      });
    },
    close: () => pool.close(),
  };
}

/** Runs a statement that can be aborted through its slot. */
async function runIn(slot: Slot, run: (signal: AbortSignal) => Promise<Columns>): Promise<Columns> {
  const controller = new AbortController();
  slot.current = controller;
  try {
    return await run(controller.signal);
  } finally {
    slot.current = null;
  }
}

/** The end of Trino's share of the time, including the wait for a worker; then the API's own engine answers. */
class TrinoLate extends ExternalError {
  constructor() {
    super('trino_late', timeLimitPassed().message, { isRetryable: true });
  }
}

async function collectColumns(
  trino: Trino,
  sql: string,
  timeLimitSeconds: number,
  signal: AbortSignal,
): Promise<Columns> {
  const columns: Record<string, unknown[]> = {};
  for await (const page of trino.stream(sql, { timeLimitSeconds, signal })) {
    for (const [name, values] of Object.entries(page)) {
      columns[name] ??= [];
      // One by one, because the arguments of a call are on the stack, and a page may have more rows than fit there.
      for (const value of values) columns[name].push(value);
    }
  }
  return columns;
}

// ---- Pauses --------------------------------------------------------------------------------------

interface Pause {
  /** False during a pause; at its end true once, for the query that tries Trino; after `end` true for all. */
  mayQuery(): boolean;
  begin(reason: Error): void;
  /**
   * Begins a pause once late queries have spent a whole time limit at Trino since its last answer. A single late query
   * may have waited for a worker of the API, and left Trino too little time.
   */
  noteLate(waitedMilliseconds: number, reason: Error): void;
  /** Lets the next query try Trino at once, since the required state exists. */
  shorten(): void;
  end(): void;
}

interface PauseParts extends Pick<TrinoHistoryParts, 'clock' | 'log'> {
  /** Time limit of a query. */
  readonly limitMilliseconds: number;
}

function openPause({ clock, log, limitMilliseconds }: PauseParts): Pause {
  let until: number | null = null;
  let unansweredMilliseconds = 0;
  const begin = (reason: Error) => {
    if (until === null) log.warn(`the history is answered without Trino: ${reason.message}`);
    until = clock.nowMilliseconds() + PAUSE_MILLISECONDS;
    unansweredMilliseconds = 0;
  };
  return {
    mayQuery() {
      if (until === null) return true;
      const now = clock.nowMilliseconds();
      if (now < until) return false;
      until = now + PAUSE_MILLISECONDS;
      return true;
    },
    begin,
    noteLate(waitedMilliseconds, reason) {
      unansweredMilliseconds += waitedMilliseconds;
      if (unansweredMilliseconds >= limitMilliseconds) begin(reason);
    },
    shorten() {
      if (until !== null) until = clock.nowMilliseconds();
    },
    end() {
      if (until !== null) log.info('the history is answered by Trino again');
      until = null;
      unansweredMilliseconds = 0;
    },
  };
}

// ---- States of the tables ------------------------------------------------------------------------

/** Ids of Iceberg snapshots by table. */
export type TableVersions = ReadonlyMap<string, number>;

interface States {
  /** Returns null while they are not known; searches for them at intervals, and never waits. */
  find(): TableVersions | null;
  /** They may have expired. */
  forget(): void;
}

/** The versions of all tables that contain the files of a snapshot: searched until found, and then kept. */
function openStates(
  trino: Trino,
  files: readonly MartFile<string>[],
  timeLimitSeconds: number,
  { clock, log, pause }: { readonly clock: Clock; readonly log: Log; readonly pause: Pause },
): States {
  // A history without files has no tables to query.
  if (files.length === 0) return { find: () => null, forget() {} };
  let found: TableVersions | null = null;
  let isLooking = false;
  let nextLook = 0;
  let isLogged = false;
  const accept = (versions: TableVersions) => {
    const missing = listTables(files).filter((table) => !versions.has(table));
    if (missing.length === 0) {
      found = versions;
      // Only an answer ends the pause: Trino may list its versions at once, and answer no query in time.
      pause.shorten();
    } else if (!isLogged) {
      isLogged = true;
      log.info(
        `the history is answered without Trino until publish-iceberg has run: no state of ${missing.join(', ')} holds the same files`,
      );
    }
  };
  const look = async () => {
    isLooking = true;
    nextLook = clock.nowMilliseconds() + LOOK_MILLISECONDS;
    try {
      accept(await findVersions(trino, files, timeLimitSeconds));
    } catch (error) {
      pause.begin(error as Error);
    } finally {
      isLooking = false;
    }
  };
  void look();
  return {
    find() {
      if (found === null && !isLooking && clock.nowMilliseconds() >= nextLook) void look();
      return found;
    },
    forget() {
      found = null;
    },
  };
}

const listTables = (files: readonly MartFile<string>[]) => [...new Set(files.map(({ table }) => table))];

/** @returns without tables that have no such version: `publish-iceberg` has not run since, or it has expired */
async function findVersions(
  trino: Trino,
  files: readonly MartFile<string>[],
  timeLimitSeconds: number,
): Promise<TableVersions> {
  const selects = listTables(files).map((table) => {
    const content = nameMartContent(files.filter((file) => file.table === table));
    const snapshots = [trino.catalog, 'marts', `${table}$snapshots`].map(toTrinoName).join('.');
    return `select ${toTrinoLiteral(table)} as name, max_by(snapshot_id, committed_at) as snapshot_id from ${snapshots}
      where element_at(summary, ${toTrinoLiteral(MART_CONTENT)}) = ${toTrinoLiteral(content)}`;
  });
  const versions = new Map<string, number>();
  for await (const page of trino.stream(selects.join(' union all '), { timeLimitSeconds })) {
    for (const [i, name] of (page.name ?? []).entries()) {
      const id = page.snapshot_id![i];
      if (id !== null) versions.set(String(name), Number(id));
    }
  }
  return versions;
}
