import { AUSTRIA, localDate } from '../../../pipeline/model/service-time.ts';
import { type Static, Type } from '../../contract/json-schema.ts';
import type { RouteContract } from '../../contract/route-contract.ts';
import { calendarDate, closed, described, text } from '../../contract/schema-builders.ts';
import type { TripRecord } from '../../contract/site-trip-record.ts';
import { toRows } from '../../history/chart.ts';
import { tripDaysChart } from '../../history/punctuality-charts.ts';
import { DEFAULT_DAYS, readPeriod } from '../../history/question.ts';
import { type TripDayRow, toTripRecord } from '../../history/trip-record.ts';
import { type HistoryData, historyHandler } from '../../routes/history-question.ts';
import type { Service, ServiceRequest } from '../../routes/service.ts';
import type { SiteRoute } from './mirror-route.ts';

/** Query parameters that identify a trip on all days. */
export const tripNumberMembers = {
  number: described('Number of the trip, as published: `RJX 662`.', text(100)),
  operator: Type.Optional(
    described('Name of its operator. Absent: the one with the most days.', Type.String({ maxLength: 200 })),
  ),
};

const recordQuery = closed({
  ...tripNumberMembers,
  from: Type.Optional(described('First day. Absent: so that the period has 30 days.', calendarDate())),
  to: Type.Optional(described('Last day; at most 366 days, both included. Absent: yesterday.', calendarDate())),
});
type RecordQuery = Static<typeof recordQuery>;

const contract: RouteContract = {
  method: 'GET',
  path: '/site/data/punctuality/trip',
  operationId: 'getTripRecord',
  summary: 'Past days of one trip number.',
  query: recordQuery,
  answer: null,
  answerMediaTypes: ['application/json'],
  problems: ['period_too_long'],
  cost: 2,
  cacheControl: 'public, max-age=600',
};

/** Data of the pages `/punctuality/trips/…`. */
export function tripRecordRoute(service: Service): SiteRoute {
  return {
    contract,
    handler: {
      ...historyHandler(service),
      changesWithTime: ({ to }) => to === undefined,
      answer: async (request) => ({ json: await readTripRecord(request) }),
    },
  };
}

/** @throws ApiProblem `invalid_parameter`, `period_too_long`, `overloaded` */
export async function readTripRecord(request: ServiceRequest): Promise<TripRecord> {
  const { number, operator, ...dates } = request.query as RecordQuery;
  const { history, definition } = request.data as HistoryData;
  const period = readPeriod(dates, localDate(request.instant, AUSTRIA), DEFAULT_DAYS.v2);
  const { onTimeMaxDelaySeconds } = definition;
  const question = { number, operator: operator ?? null, period, onTimeMaxDelaySeconds };
  if (!history) return toTripRecord(question, []);
  const chart = tripDaysChart(history.chartSql, number, period);
  const [columns] = await history.queryCharts([chart], period, request.whenGone);
  return toTripRecord(question, toRows(columns!) as unknown as readonly TripDayRow[]);
}
