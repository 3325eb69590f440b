import { addDays, type ServiceDate } from '../../pipeline/model/service-time.ts';
import type { BoardsBesideInput, HistoryLatencyInput } from './child-tasks.ts';
import { quantile } from './metric.ts';

export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
}

export interface HistoryLatencies {
  readonly allLines: Quantiles;
  readonly oneLine: Quantiles;
  readonly oneOperator: Quantiles;
  readonly defaultPeriod: Quantiles;
  readonly repeated: Quantiles;
}

const QUERIES = 60;

/** Periods with different ends that omit at most two weeks of the history, so that no query repeats. */
function listPeriods(first: ServiceDate, last: ServiceDate, count: number): string[] {
  return Array.from({ length: count }, (_, i) => toPeriod(first, last, i % 8, Math.floor(i / 8)));
}

/** The whole history without its first `atStart` and last `atEnd` days, but at least its first day. */
function toPeriod(first: ServiceDate, last: ServiceDate, atStart: number, atEnd: number): string {
  const to = addDays(last, -atEnd);
  const from = addDays(first, atStart);
  return from <= to ? `from=${from}&to=${to}` : `from=${first}&to=${to > first ? to : first}`;
}

/** Sends queries to the service sequentially and measures each over HTTP, from the first byte to the last. */
export async function measureHistoryLatencies({ origin, first, last }: HistoryLatencyInput): Promise<HistoryLatencies> {
  const periods = listPeriods(first, last, QUERIES);
  const path = (query: string) => `${origin}/v1/history?${query}`;
  const lines = periods.map((period, i) => path(`${period}&line=${(i * 37) % 1500}`));
  const operators = periods.map((period, i) => path(`${period}&operator=${encodeURIComponent(`Operator ${i % 37}`)}`));
  const all = periods.map(path);
  // The first queries warm up code, files and connections.
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
  /** History responses per second meanwhile. */
  readonly historiesPerSecond: number;
}

const BOARDS = 1500;
const HISTORIES_AT_ONCE = 10;

/** Measures sequential boards, first alone, then with ten concurrent history queries. */
export async function measureBoardsBeside({ origin, paths, first, last }: BoardsBesideInput): Promise<BoardsBeside> {
  const boards = paths.slice(0, BOARDS).map((path) => `${origin}${path}`);
  await timeEach(boards.slice(0, 300));
  const alone = await timeEach(boards);
  let isOver = false;
  let answered = 0;
  const keepQuerying = async (number: number) => {
    for (let i = number; !isOver; i += HISTORIES_AT_ONCE) {
      // A different period each time, so that no response is cached.
      const period = toPeriod(first, last, i % 60, Math.floor(i / 60) % 60);
      const line = i % 2 ? `&line=${(i * 37) % 1500}` : '';
      await timeEach([`${origin}/v1/history?${period}${line}`]);
      answered += 1;
    }
  };
  const started = performance.now();
  const running = Array.from({ length: HISTORIES_AT_ONCE }, (_, number) => keepQuerying(number));
  const beside = await timeEach(boards);
  const seconds = (performance.now() - started) / 1000;
  isOver = true;
  await Promise.all(running);
  return { alone, beside, historiesPerSecond: answered / seconds };
}
