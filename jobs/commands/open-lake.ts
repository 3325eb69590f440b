import type { DuckdbOptions } from '../../pipeline/effects/duckdb.ts';
import { ExternalError } from '../../pipeline/effects/external-error.ts';
import type { Log } from '../../pipeline/effects/log.ts';
import type { ReadOnlyDuckdb } from '../../pipeline/effects/read-only-duckdb.ts';
import { nearestName } from '../../pipeline/effects/usage-error.ts';
import { deriveCountedCalls, listEmptyViews, listLakeViews } from '../../pipeline/guide/lake-views.ts';
import { lakeFolder, martsFolder } from '../../pipeline/lake/paths.ts';

/** Interval of the interruptions once the time limit is reached. */
const INTERRUPT_MILLISECONDS = 50;

export interface LakeOptions {
  readonly dataDir: string;
  /** The only file that can be written; `null` for none. */
  readonly outputFile: string | null;
  /** Time limit of each statement. */
  readonly timeLimitSeconds: number;
  /** A sentence that says what to do if the time limit stops a statement. */
  readonly remedy: string;
  readonly log: Log;
  readonly engine?: DuckdbOptions;
}

/** Opens an engine that can read the tables of the lake and nothing else on the machine. */
export async function openLake(options: LakeOptions): Promise<ReadOnlyDuckdb> {
  const { dataDir, outputFile, timeLimitSeconds, remedy, log, engine = {} } = options;
  const views = await listLakeViews(dataDir);
  if (views.length === 0) log.warn(`the lake in ${dataDir} is empty. Run "taktgeber run ingest-timetable"`);
  // Imported lazily: the help must not load the engine.
  const { openReadOnlyDuckdb } = await import('../../pipeline/effects/read-only-duckdb.ts');
  const duckdb = await openReadOnlyDuckdb({
    folders: [lakeFolder(dataDir), martsFolder(dataDir)],
    views,
    derived: [await deriveCountedCalls(dataDir)],
    empty: await listEmptyViews(views),
    suggest: nearestName,
    output: outputFile,
    engine,
  });
  return limitStatements(duckdb, timeLimitSeconds, remedy);
}

/** Interrupts each statement, its output included, at the time limit. @throws ExternalError `sql_time_limit` */
function limitStatements(duckdb: ReadOnlyDuckdb, seconds: number, remedy: string): ReadOnlyDuckdb {
  const limit = async <Answer>(run: () => Promise<Answer>): Promise<Answer> => {
    const end = performance.now() + seconds * 1000;
    let isOver = false;
    // Repeated, because an interruption between two statements or two parts of a result has no effect.
    const timer = setInterval(() => {
      isOver ||= performance.now() >= end;
      if (isOver) duckdb.interrupt();
    }, INTERRUPT_MILLISECONDS);
    try {
      const answer = await run();
      // A result that is interrupted while it is read ends without an error, and rows are missing.
      if (!isOver) return answer;
    } catch (error) {
      if (!isOver) throw error;
    } finally {
      clearInterval(timer);
    }
    throw new ExternalError('sql_time_limit', `The query was stopped after ${seconds} s. ${remedy}`);
  };
  return {
    ...duckdb,
    query: (sql, onResult) => limit(() => duckdb.query(sql, onResult)),
    writeParquet: (sql, options) => limit(() => duckdb.writeParquet(sql, options)),
  };
}
