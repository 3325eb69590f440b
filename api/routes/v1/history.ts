import type { V1History } from '../../contract/definitions.ts';
import type { V1HistoryQuery } from '../../contract/v1-queries.ts';
import { DEFAULT_DAYS } from '../../history/question.ts';
import { toArrowStream, toCsv } from '../../history/tables.ts';
import { averageMinutes, type HistoryNumbers, percentOf, shareOf } from '../../history/tally.ts';
import type { Answer } from '../../plugins/route-handler.ts';
import { findNumbers, type HistoryData, historyHandler } from '../history-question.ts';
import type { Handlers, Service, ServiceRequest } from '../service.ts';

const ARROW = 'application/vnd.apache.arrow.stream';

/** `/v1/history`: as JSON, or one of its tables as Arrow or CSV. */
export function v1HistoryHandlers(service: Service): Handlers {
  return {
    'GET /v1/history': {
      ...historyHandler(service),
      changesWithTime: ({ to }) => to === undefined,
      answer: (request) => {
        const numbers = findNumbers(service, request, DEFAULT_DAYS.v1);
        return numbers instanceof Promise
          ? numbers.then((made) => toAnswer(made, request))
          : toAnswer(numbers, request);
      },
    },
  };
}

function toAnswer(numbers: HistoryNumbers, { query, mediaType, data }: ServiceRequest): Answer {
  const { format, table } = query as V1HistoryQuery;
  const isCsv = format === 'csv' || (format === undefined && mediaType === 'text/csv');
  if (isCsv) return { bytes: toCsv(table, numbers), mediaType: 'text/csv; charset=utf-8' };
  if (format === 'arrow' || mediaType === ARROW) return { bytes: toArrowStream(table, numbers), mediaType: ARROW };
  return { json: toV1(numbers, data as HistoryData, (query as V1HistoryQuery).definition) };
}

function toV1(numbers: HistoryNumbers, { definition }: HistoryData, name: V1HistoryQuery['definition']): V1History {
  const { period, totals, daily, lines, heatmap } = numbers;
  const { observed } = totals;
  return {
    period,
    definition: {
      name,
      ...definition,
      derivedShare: shareOf(totals.derived, observed),
      forecastShare: shareOf(totals.forecasts, observed),
    },
    totals: {
      onTimeShare: shareOf(totals.onTime, observed),
      earlyShare: shareOf(totals.early, observed),
      avgDelayMin: averageMinutes(totals),
      late10Share: shareOf(totals.late10, observed),
      events: observed,
      observed,
      expected: totals.expected,
      cancelled: totals.cancelled,
      replaced: totals.replaced,
    },
    officialRealtime: {
      daily: daily.map((day) => ({
        day: day.day,
        events: day.observed,
        on_time_pct: percentOf(day.onTime, day.observed),
      })),
      // Listed lines and hours have observations, so their shares and averages are never null.
      lines: lines.map((line) => ({
        line: line.line,
        product: line.product || null,
        operator: line.operator || null,
        events: line.observed,
        on_time_pct: percentOf(line.onTime, line.observed)!,
      })),
      heatmap: heatmap.map((cell) => ({
        dow: cell.dow,
        hour: cell.hour,
        events: cell.observed,
        avg_delay_min: averageMinutes(cell)!,
      })),
    },
  };
}
