import { addDays, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { BoardsBesideInput, HistoryAsksInput } from './child-tasks.ts';
import { quantile } from './figure.ts';

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

export interface HistoryAsks {
  readonly allLines: Quantiles;
  readonly oneLine: Quantiles;
  readonly oneOperator: Quantiles;
  readonly defaultPeriod: Quantiles;
  readonly repeated: Quantiles;
}

const ASKS = 60;

/** Periods that begin and end on other days and miss at most a fortnight of the whole, so that no answer is repeated. */
function listPeriods(first: ServiceDate, last: ServiceDate, count: number): string[] {
  return Array.from({ length: count }, (_, i) => toPeriod(first, last, i % 8, Math.floor(i / 8)));
}

/** The whole without `atStart` and `atEnd` days; of a lake that is shorter than both, at least its first day. */
function toPeriod(first: ServiceDate, last: ServiceDate, atStart: number, atEnd: number): string {
  const to = addDays(last, -atEnd);
  const from = addDays(first, atStart);
  return from <= to ? `from=${from}&to=${to}` : `from=${first}&to=${to > first ? to : first}`;
}

/** Asks the service one question after the other, each over HTTP from first byte to last. */
export async function measureHistoryAsks({ origin, first, last }: HistoryAsksInput): Promise<HistoryAsks> {
  const periods = listPeriods(first, last, ASKS);
  const path = (query: string) => `${origin}/v1/history?${query}`;
  const lines = periods.map((period, i) => path(`${period}&line=${(i * 37) % 1500}`));
  const operators = periods.map((period, i) => path(`${period}&operator=${encodeURIComponent(`Operator ${i % 37}`)}`));
  const all = periods.map(path);
  // What is asked first warms up: code, files, connections.
  await timeEach([path(toPeriod(first, last, 0, 20)), path(`${toPeriod(first, last, 0, 21)}&line=12`)]);
  return {
    allLines: await timeEach(all),
    oneLine: await timeEach(lines),
    oneOperator: await timeEach(operators),
    defaultPeriod: await timeEach(Array<string>(300).fill(`${origin}/v1/history`)),
    repeated: await timeEach([...all, ...all, ...all]),
  };
}

async function timeEach(addresses: readonly string[]): Promise<Quantiles> {
  const milliseconds: number[] = [];
  for (const address of addresses) {
    const started = performance.now();
    const answer = await fetch(address);
    await answer.arrayBuffer();
    milliseconds.push(performance.now() - started);
    if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
  }
  milliseconds.sort((a, b) => a - b);
  return { p50: quantile(milliseconds, 0.5), p99: quantile(milliseconds, 0.99) };
}

export interface BoardsBeside {
  readonly alone: Quantiles;
  readonly beside: Quantiles;
  /** History answers per second meanwhile. */
  readonly historiesPerSecond: number;
}

const BOARDS = 1500;
const HISTORIES_AT_ONCE = 10;

/** Boards one after the other, without and with ten questions to the history under way all the time. */
export async function measureBoardsBeside({ origin, paths, first, last }: BoardsBesideInput): Promise<BoardsBeside> {
  const boards = paths.slice(0, BOARDS).map((path) => `${origin}${path}`);
  await timeEach(boards.slice(0, 300));
  const alone = await timeEach(boards);
  let isOver = false;
  let answered = 0;
  const keepAsking = async (number: number) => {
    for (let i = number; !isOver; i += HISTORIES_AT_ONCE) {
      // Another period each time, so that every answer is worked out.
      const period = toPeriod(first, last, i % 60, Math.floor(i / 60) % 60);
      const line = i % 2 ? `&line=${(i * 37) % 1500}` : '';
      await timeEach([`${origin}/v1/history?${period}${line}`]);
      answered += 1;
    }
  };
  const started = performance.now();
  const asking = Array.from({ length: HISTORIES_AT_ONCE }, (_, number) => keepAsking(number));
  const beside = await timeEach(boards);
  const seconds = (performance.now() - started) / 1000;
  isOver = true;
  await Promise.all(asking);
  return { alone, beside, historiesPerSecond: answered / seconds };
}
