import { AUSTRIA, localDate } from '../../../pipeline/model/service-time.ts';
import { ALL_SOURCES } from '../../../pipeline/snapshots/history-contract.ts';
import { type Static, Type } from '../../contract/json-schema.ts';
import type { RouteContract } from '../../contract/route-contract.ts';
import { calendarDate, closed, described } from '../../contract/schema-builders.ts';
import type { StationsPunctuality } from '../../contract/site-stations.ts';
import { type StopCounts, sumByStation } from '../../engine/network/sum-by-station.ts';
import { renderForReaders, toRows } from '../../history/chart.ts';
import { type PunctualityQuestion, stopsChart } from '../../history/punctuality-charts.ts';
import { DEFAULT_DAYS, readPeriod } from '../../history/question.ts';
import { type HistoryData, historyHandler } from '../../routes/history-question.ts';
import type { Service, ServiceRequest } from '../../routes/service.ts';
import type { SiteRoute } from './mirror-route.ts';

const stationsQuery = closed({
  from: Type.Optional(described('First day. Absent: so that the period has 30 days.', calendarDate())),
  to: Type.Optional(described('Last day; at most 366 days, both included. Absent: yesterday.', calendarDate())),
});
type StationsQuery = Static<typeof stationsQuery>;

/** The answer stays below 400 kB; further stations have fewer calls than these. */
const MAX_STATIONS = 2000;

const contract: RouteContract = {
  method: 'GET',
  path: '/site/data/punctuality/stations',
  operationId: 'getStationsPunctuality',
  summary: 'The punctuality of all stations in a period.',
  query: stationsQuery,
  answer: null,
  answerMediaTypes: ['application/json'],
  problems: ['period_too_long'],
  cost: 3,
  cacheControl: 'public, max-age=600',
};

/** Data of the page `/punctuality/stops`. */
export function stationPunctualityRoute(service: Service): SiteRoute {
  const { takeData, ...handler } = historyHandler(service);
  return {
    contract,
    handler: {
      ...handler,
      snapshot: 'required',
      // The stations are those of the timetable, as in a question about a stop.
      takeData: (query, published) => takeData({ ...query, stopId: '' }, published),
      changesWithTime: ({ to }) => to === undefined,
      answer: async (request) => ({ json: await readStations(request) }),
    },
  };
}

async function readStations(request: ServiceRequest): Promise<StationsPunctuality> {
  const period = readPeriod(request.query as StationsQuery, localDate(request.instant, AUSTRIA), DEFAULT_DAYS.v2);
  const { history, definition } = request.data as HistoryData;
  const { onTimeMaxDelaySeconds } = definition;
  if (!history) return { period, onTimeMaxDelaySeconds, stations: [], count: 0, sql: null };
  const question: PunctualityQuestion = {
    period,
    source: ALL_SOURCES,
    line: null,
    operator: null,
    stops: null,
    definition: { ...definition, evidence: 'observed_actual' },
  };
  const chart = stopsChart(history.chartSql, question);
  const [columns] = await history.queryCharts([chart], period, request.whenGone);
  const stations = sumByStation(
    request.snapshot!.value.timetable,
    toRows(columns!) as unknown as readonly StopCounts[],
  );
  return {
    period,
    onTimeMaxDelaySeconds,
    stations: stations.slice(0, MAX_STATIONS),
    count: stations.length,
    sql: renderForReaders(chart),
  };
}
