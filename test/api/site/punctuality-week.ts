import { addDays, type ServiceDate } from '../../../pipeline/model/service-time.ts';
import type { HistoryCall } from '../../support/worlds/history-calls.ts';

export const DATA_URL = '/site/data/punctuality';
export const PERIOD = { from: '2026-01-10', to: '2026-01-16' };
export const lines = ['U1', 'Ö "7", nachts', "O'Brien $line", null];

/** A week of four lines, with a day without data and a day without observations. */
export const calls: HistoryCall[] = Array.from({ length: 7 }, (_, n) => n)
  .filter((n) => n !== 3)
  .flatMap((n) =>
    lines.flatMap((line, i) =>
      [0, 1, 2].map((position) => ({
        source: i === 2 ? 'trias' : 'live',
        day: addDays(PERIOD.from as ServiceDate, n),
        trip: `t${i}`,
        ...(i === 0 ? { tripNumber: 'U1 662' } : {}),
        position,
        line,
        product: 'subway',
        operator: i === 0 ? null : 'Ö, "Bus"',
        stop: ['a', 's1', 's2'][position]!,
        station: 'a',
        hour: 7 + 6 * position + i,
        delay: n === 5 || (n + i + position) % 5 === 4 ? null : 173 * ((n + 2 * i + position) % 5) - 90,
        isCancelled: (n + i + position) % 5 === 4 && i === 1,
        feed: 'at',
      })),
    ),
  );

/** Path of the data; the period is the week unless the query sets another. */
export function urlOf(query: Readonly<Record<string, string>>): string {
  return `${DATA_URL}?${new URLSearchParams({ ...PERIOD, ...query }).toString().replaceAll('+', '%20')}`;
}
