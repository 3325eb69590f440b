import { createRequire } from 'node:module';
import type { Iterator as Pages, QueryResult, Trino as TrinoClient } from 'trino-client';
import { ExternalError } from '../../effects/external-error.ts';
import { retry } from '../../effects/retry.ts';
import type { RetryPolicy } from '../../model/retry-policy.ts';
import { mayRetry, mayRetryPage, toProtocolError, toRequestError, toStatementError } from './trino-errors.ts';
import { readTrinoValue, type TypeSignature } from './trino-values.ts';

export interface TrinoAddress {
  /** Of the coordinator, e.g. `https://trino.example:8443`. */
  readonly url: string;
  readonly catalog: string;
  readonly user: string;
  /** Null: none is sent. */
  readonly password: string | null;
}

export interface StatementLimits {
  /** From the request to the last row, waiting in Trino's queue included. */
  readonly timeLimitSeconds: number;
  /** Ends the statement, also in Trino. */
  readonly signal?: AbortSignal | undefined;
}

/** Values of some rows by column, in the order of the rows; see `readTrinoValue`. */
export type TrinoPage = Readonly<Record<string, readonly unknown[]>>;

/** Statements by Trino's REST protocol. */
export interface Trino {
  readonly catalog: string;
  /**
   * Runs a statement, and receives its rows page by page; without rows, one page of empty columns. Leaving the loop ends
   * the statement.
   * @throws ExternalError `trino_unreachable`, `trino_time_limit` and others of `trino-errors.ts`; the reason of the signal;
   * Error for a wrong statement
   */
  stream(sql: string, limits: StatementLimits): AsyncIterable<TrinoPage>;
}

/** Of one page, while Trino is busy, as its protocol demands, or if a connection breaks. */
const pageRetry: RetryPolicy = {
  firstWaitMilliseconds: 100,
  factor: 2,
  maxWaitMilliseconds: 2000,
  maxAttempts: 6,
};
/** Trino holds a request for a second at most; this is for one that never answers. */
const REQUEST_TIMEOUT_MILLISECONDS = 60_000;

/** Loads the client; connects with the first statement. */
export async function openTrino(address: TrinoAddress): Promise<Trino> {
  const { BasicAuth, Trino } = await import('trino-client');
  limitRequests();
  const { url, catalog, user, password } = address;
  const client = Trino.create({
    server: url,
    catalog,
    source: 'taktgeber',
    auth: new BasicAuth(user, password ?? undefined),
    // Dates and hours must not depend on the zone of the coordinator.
    extraHeaders: { 'X-Trino-Time-Zone': 'UTC' },
  });
  return { catalog, stream: (sql, limits) => streamRows(client, url, sql, limits) };
}

/** The client sets no time limit and passes none on, so that of its HTTP library is set, which only it uses. */
function limitRequests(): void {
  const require = createRequire(import.meta.url);
  const axios = createRequire(require.resolve('trino-client'))('axios') as { defaults: { timeout: number } };
  axios.defaults.timeout = REQUEST_TIMEOUT_MILLISECONDS;
}

async function* streamRows(
  client: TrinoClient,
  url: string,
  sql: string,
  { timeLimitSeconds, signal }: StatementLimits,
): AsyncGenerator<TrinoPage> {
  const ending = openEnding(timeLimitSeconds, signal);
  let id: string | undefined;
  let isDone = false;
  try {
    // Trino ends the statement by itself where this process cannot.
    const session = { query_max_run_time: `${Math.ceil(timeLimitSeconds)}s` };
    const started = queryWithRetries(() => client.query({ query: sql, session }), mayRetry, ending);
    // It may begin in Trino after this has been given up.
    started.then((late) => ending.signal.aborted && cancel(client, readId(late))).catch(() => {});
    const pages = await ending.race(started);
    id = readId(pages);
    for (;;) {
      const { value, done } = await ending.race(queryWithRetries(() => nextPage(pages, url), mayRetryPage, ending));
      const result = checkResult(value, url);
      isDone = result.nextUri === undefined;
      if (result.error) throw toStatementError(result.error, timeLimitSeconds);
      if (!done && result.columns) yield readPage(result);
      if (done) return;
    }
  } catch (error) {
    throw ending.signal.aborted ? ending.signal.reason : toRequestError(error, url);
  } finally {
    ending.close();
    if (!isDone) cancel(client, id);
  }
}

async function nextPage(pages: Pages<QueryResult>, url: string): Promise<IteratorResult<QueryResult>> {
  try {
    return await pages.next();
  } catch (error) {
    // The client reads the properties of any answer, also of `null`.
    throw error instanceof TypeError && !('code' in error) ? toProtocolError(url, error) : error;
  }
}

/**
 * The client takes every answer without a next page for the last one, also the page of a proxy, an empty body and JSON
 * that is cut off, which it hands over as text. Rows would be missing without an error.
 */
function checkResult(value: QueryResult | string, url: string): QueryResult {
  const isResult = typeof value === 'object' && typeof value.id === 'string';
  if (!isResult) throw toProtocolError(url);
  const isWhole = value.nextUri !== undefined || value.error !== undefined || value.stats?.state === 'FINISHED';
  if (!isWhole) throw toProtocolError(url);
  return value;
}

function readPage({ columns, data = [] }: QueryResult): TrinoPage {
  const described = columns as unknown as readonly { readonly name: string; readonly typeSignature: TypeSignature }[];
  return Object.fromEntries(
    described.map(({ name, typeSignature }, i) => [name, data.map((row) => readTrinoValue(row[i], typeSignature))]),
  );
}

/** The client keeps the id of a statement to itself until its first page is there. */
function readId(pages: Pages<QueryResult>): string | undefined {
  const { iter } = pages as unknown as { readonly iter?: { readonly queryResult?: QueryResult | null } };
  return iter?.queryResult?.id;
}

/** Not waited for: where it does not arrive, Trino ends the statement after its time limit. */
function cancel(client: TrinoClient, id: string | undefined): void {
  if (id !== undefined) client.cancel(id).catch(() => {});
}

// ---- Time limit ----------------------------------------------------------------------------------

/** The end of a statement by its time limit or by its caller. */
interface Ending {
  readonly signal: AbortSignal;
  /** @throws the reason of the end where that comes first */
  race<Result>(work: Promise<Result>): Promise<Result>;
  close(): void;
}

function openEnding(timeLimitSeconds: number, caller: AbortSignal | undefined): Ending {
  const controller = new AbortController();
  const stop = () => controller.abort(caller?.reason);
  const late = new ExternalError('trino_time_limit', `Trino has not answered within ${timeLimitSeconds} s`, {
    isRetryable: true,
  });
  const timer = setTimeout(() => controller.abort(late), timeLimitSeconds * 1000);
  if (caller?.aborted) stop();
  else caller?.addEventListener('abort', stop, { once: true });
  const { signal } = controller;
  return {
    signal,
    race: (work) =>
      new Promise((resolve, reject) => {
        const end = () => reject(signal.reason);
        if (signal.aborted) end();
        else signal.addEventListener('abort', end, { once: true });
        work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
      }),
    close() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
    },
  };
}

function queryWithRetries<Result>(
  query: () => Promise<Result>,
  mayHelp: (error: unknown) => boolean,
  { signal }: Ending,
): Promise<Result> {
  return retry(pageRetry, query, { isRetryable: (error) => mayHelp(error) && !signal.aborted, signal });
}
