import { AUSTRIA, formatTimestamp, type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { History } from '../../contract/definitions.ts';
import { DEFAULT_DAYS } from '../../history/question.ts';
import { averageMinutes, type HistoryNumbers, shareOf, type Tally } from '../../history/tally.ts';
import { findNumbers, type HistoryData, type HistoryQuery, historyHandler } from '../history-question.ts';
import type { Handlers, Service } from '../service.ts';

/** `/v2/history`, also for a single stop. */
export function historyHandlers(service: Service): Handlers {
  return {
    'GET /v2/history': {
      ...historyHandler(service),
      changesWithTime: (query, data) =>
        (query as HistoryQuery).to === undefined || (data as HistoryData).history === null,
      answer: (request) => {
        const numbers = findNumbers(service, request, DEFAULT_DAYS.v2);
        const toAnswer = (made: HistoryNumbers) => ({ json: toV2(made, request.data as HistoryData, request.instant) });
        return numbers instanceof Promise ? numbers.then(toAnswer) : toAnswer(numbers);
      },
    },
  };
}

function toV2(numbers: HistoryNumbers, { history, definition }: HistoryData, instant: Instant): History {
  const { period, totals, daily, lines, heatmap } = numbers;
  // The age of the data, not of the response.
  const generatedAt = history ? parseTimestamp(history.manifest.createdAt)! : instant;
  return {
    generatedAt: formatTimestamp(generatedAt, AUSTRIA),
    period,
    definition: {
      ...definition,
      ...(totals.observed === 0 ? {} : { derivedShare: totals.derived / totals.observed }),
    },
    totals: {
      events: totals.observed,
      observed: totals.observed,
      expected: totals.expected,
      cancelled: totals.cancelled,
      replaced: totals.replaced,
      ...listShares(totals),
    },
    daily: daily.map(({ day, observed, onTime }) => ({
      day,
      events: observed,
      ...(observed === 0 ? {} : { onTimeShare: onTime / observed }),
    })),
    // Listed lines and hours have observations, so their shares and averages are never null.
    lines: lines.map((line) => ({
      line: line.line,
      ...(line.product === '' ? {} : { product: line.product }),
      ...(line.operator === '' ? {} : { operator: line.operator }),
      events: line.observed,
      onTimeShare: shareOf(line.onTime, line.observed)!,
      avgDelayMinutes: averageMinutes(line)!,
    })),
    heatmap: heatmap.map((cell) => ({
      isoWeekday: cell.dow,
      hour: cell.hour,
      events: cell.observed,
      avgDelayMinutes: averageMinutes(cell)!,
    })),
  };
}

/** Omitted if the total is 0. */
function listShares(totals: Tally): Partial<History['totals']> {
  const { observed } = totals;
  if (observed === 0) return {};
  return {
    onTimeShare: totals.onTime / observed,
    earlyShare: totals.early / observed,
    avgDelayMinutes: averageMinutes(totals)!,
    late10Share: totals.late10 / observed,
  };
}
