import type { Clock } from '../../pipeline/effects/clock.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import { toTrinoLiteral, toTrinoName } from '../../pipeline/effects/sql-dialects/trino-text.ts';
import type { Trino } from '../../pipeline/scale-out/trino/open-trino.ts';
import { MART_CONTENT, nameMartContent } from '../../pipeline/snapshots/mart-content.ts';
import type { MartFile } from '../../pipeline/snapshots/mart-snapshot.ts';
import { clientGone, serviceStopping, timeLimitPassed } from '../contract/overload-problems.ts';
import { ApiProblem } from '../contract/problems.ts';
import { prepareForTrino, type Statement } from './chart.ts';
import type { Columns } from './history-engine.ts';
import { type MartReader, withCharts } from './mart-reader.ts';
import { openWorkerPool, type PoolLimits, type TaskControl } from './worker-pool.ts';

/** Who answered a question: Trino, or the api's own engine where Trino could not. */
export type AnsweredBy = 'trino' | 'duckdb_fallback';

export interface TrinoHistory {
  /**
   * A reader that asks Trino, at the states of its tables that hold the same files as a snapshot; and the local reader
   * while there are none, or Trino does not answer in time.
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
/** Between two looks for the states of a snapshot's tables. */
const LOOK_MILLISECONDS = 10_000;

/** What a worker of the pool does at the instant; null while it does nothing. */
interface Slot {
  current: AbortController | null;
}

/** Asks Trino with bounded time, and pauses after failures, so that a dead Trino costs one question in half a minute. */
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

  const runStatement = async (slot: Slot, control: TaskControl, sql: string): Promise<Columns> => {
    control.check();
    const controller = new AbortController();
    slot.current = controller;
    try {
      return await collectColumns(trino, sql, limits.timeLimitSeconds, controller.signal);
    } finally {
      slot.current = null;
    }
  };
  return {
    openReader(files, local) {
      const states = openStates(trino, files, limits.timeLimitSeconds, { clock, log, pause });
      return withCharts(async (task, period, whenGone) => {
        const versions = !pool.isFull && pause.mayQuery() ? states.find() : null;
        if (versions) {
          const requestedAt = performance.now();
          // All of its time, for a question that never begins.
          let waitedMilliseconds = limitMilliseconds;
          try {
            const answer = await pool.work((slot, control) => {
              waitedMilliseconds = Math.round(performance.now() - requestedAt);
              const query = (statement: Statement) => {
                const prepared = prepareForTrino(statement, trino.catalog, versions, files);
                return prepared === null ? Promise.resolve(null) : runStatement(slot, control, prepared);
              };
              return task(query);
            }, whenGone);
            onAnswer('trino');
            pause.end();
            return answer;
          } catch (error) {
            // The client has gone, or the service ends. Anything else is a matter of Trino, also a statement that it
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

/** The end of Trino's share of the time, waiting for a worker included; the api's own engine answers then. */
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
  /** During a pause false; at its end true once, for the question that tries, and after `end` for all. */
  mayQuery(): boolean;
  begin(reason: Error): void;
  /**
   * Begins a pause once late questions together have been at Trino for the time of a whole one since its last answer.
   * Where one had to wait for a worker of the api, what was left may have been too little for any Trino.
   */
  noteLate(waitedMilliseconds: number, reason: Error): void;
  /** Lets the next query try Trino at once, since the required state exists. */
  shorten(): void;
  end(): void;
}

interface PauseParts extends Pick<TrinoHistoryParts, 'clock' | 'log'> {
  /** Time of a question. */
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
  /** Null while they are not known; looks for them at intervals, and never waits. */
  find(): TableVersions | null;
  /** They may have expired. */
  forget(): void;
}

/** The states of all tables that hold the files of a snapshot: looked for until found, and then kept. */
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
      // Only an answer ends the pause: Trino may say its states at once, and answer no question in time.
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

/** @returns without tables that have no such state: `publish-iceberg` has not run since, or it has expired */
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
