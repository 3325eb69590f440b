import { AUSTRIA, type Instant, localDate } from '../../pipeline/model/service-time.ts';
import { ALL_SOURCES, type PunctualityDefinition } from '../../pipeline/snapshots/history-contract.ts';
import { ApiProblem } from '../contract/problems.ts';
import { findStop } from '../engine/read/stop-ids.ts';
import { isPartOf, type Timetable } from '../engine/read/timetable.ts';
import type { HistoryReader } from '../history/open-history.ts';
import { type HistoryQuestion, type RequestedStops, readPeriod } from '../history/question.ts';
import { emptyNumbers, type HistoryNumbers } from '../history/tally.ts';
import type { HeldSnapshot, RouteData } from '../plugins/route-handler.ts';
import type { HistoryService, Service, ServiceRequest } from './service.ts';

/** Always valid, even without a configuration. @see interface specification, GET /v1/history */
const SOURCES_OF_THE_SPECIFICATION = ['city_transit', 'trias', 'stmk_gtfs_rt'];
/** Its licence does not allow an archive. */
const WITHOUT_HISTORY = 'vao';
const SECONDS_PER_HOUR = 3600;

/** Query parameters of both routes. */
export interface HistoryQuery {
  readonly from?: string;
  readonly to?: string;
  readonly line?: string;
  readonly operator?: string;
  readonly source?: string;
  readonly stopId?: string;
  /** Only of `/v1/history`. */
  readonly definition?: 'observed' | 'lastForecast';
}

/** Data behind a response. */
export interface HistoryData {
  readonly history: HistoryReader | null;
  readonly definition: PunctualityDefinition;
}

/**
 * Takes the published history. Before there is one, the configured definition applies, and every period is empty. Only a
 * query about a stop also needs the timetable.
 */
function takeHistory(
  { snapshots, definition }: HistoryService,
  query: HistoryQuery,
  published: HeldSnapshot<unknown> | null,
): RouteData {
  const held = snapshots.current();
  const value: HistoryData = {
    history: held?.value ?? null,
    definition: held?.value.manifest.definition ?? definition,
  };
  const versions = [held?.dataVersion, query.stopId === undefined ? undefined : published?.timetableVersion];
  const named = versions.filter((version) => version !== undefined);
  return {
    value,
    dataVersion: named.length === 0 ? undefined : named.join('.'),
    // Equal marts have the same snapshot id everywhere, but responses contain the time of publishing.
    tagPart: JSON.stringify([held?.value.manifest.createdAt, value.definition]),
  };
}

/** Parts of a handler that are the same for all routes of the history. */
export function historyHandler({ history }: Service) {
  return {
    snapshot: 'optional',
    takeData: (query: HistoryQuery, published: HeldSnapshot<unknown> | null) => takeHistory(history, query, published),
    roundInstant: roundToHour,
  } as const;
}

/** The last complete day changes at midnight, which is a full hour. */
function roundToHour(now: Instant): Instant {
  return (now - (now % SECONDS_PER_HOUR)) as Instant;
}

/**
 * Reads the numbers from the published tables if possible, otherwise from the history engine.
 * @throws ApiProblem `invalid_parameter`, `period_too_long`, `unknown_stop`, `timetable_unavailable`, `overloaded`
 */
export function findNumbers(
  service: Service,
  request: ServiceRequest,
  defaultDays: number,
): HistoryNumbers | Promise<HistoryNumbers> {
  const question = readQuestion(service, request, defaultDays);
  const { history } = request.data as HistoryData;
  if (!history) return emptyNumbers(question.period);
  return history.findReady(question) ?? history.answer(question, request.whenGone);
}

/**
 * Reads the history query of a request from its parameters.
 * @throws ApiProblem `invalid_parameter`, `period_too_long`, `unknown_stop`, `timetable_unavailable`
 */
export function readQuestion(service: Service, request: ServiceRequest, defaultDays: number): HistoryQuestion {
  const query = request.query as HistoryQuery;
  const period = readPeriod(query, localDate(request.instant, AUSTRIA), defaultDays);
  const { history } = request.data as HistoryData;
  return {
    period,
    source: readSource(service, history, query.source),
    line: query.line ?? null,
    operator: query.operator ?? null,
    stops: query.stopId === undefined ? null : readStops(request.snapshot?.value.timetable ?? null, query.stopId),
    countsForecasts: countsForecasts(history, query),
  };
}

function countsForecasts(history: HistoryReader | null, { definition }: HistoryQuery): boolean {
  if (definition !== 'lastForecast') return false;
  if (history && history.manifest.lastDate !== null && !history.manifest.hasLastForecasts) {
    throw new ApiProblem('invalid_parameter', 'The published history has no counts by final forecasts.', 'definition');
  }
  return true;
}

function readSource(service: Service, history: HistoryReader | null, source: string | undefined): string {
  if (source === undefined) return ALL_SOURCES;
  const isKnown =
    source !== WITHOUT_HISTORY &&
    (SOURCES_OF_THE_SPECIFICATION.includes(source) ||
      service.history.sources.has(source) ||
      history?.manifest.sources.some((id) => id === source) ||
      // The poller also runs sources that are not configured, such as those of the sample.
      service.getRealtimeSources().some(({ id, archive }) => id === source && archive === 'full'));
  if (!isKnown) throw new ApiProblem('invalid_parameter', 'There is no data source with this id.', 'source');
  return source;
}

/** Name of the requested stop; null without one, and if it is unknown. */
export function findStopName({ query, snapshot }: ServiceRequest): string | null {
  const { stopId } = query as HistoryQuery;
  const timetable = snapshot?.value.timetable;
  if (!timetable || stopId === undefined) return null;
  const stop = findStop(timetable, stopId);
  return stop === null ? null : timetable.tables.stops.name.get(stop);
}

/** The stop itself and all platforms of a station, also those without service, in all feeds that publish it. */
function readStops(timetable: Timetable | null, stopId: string): RequestedStops {
  if (!timetable) {
    throw new ApiProblem(
      'timetable_unavailable',
      'No timetable has been loaded yet, so stops cannot be looked up. Try again later.',
    );
  }
  const stop = findStop(timetable, stopId);
  if (stop === null) throw new ApiProblem('unknown_stop', 'The timetable has no stop with this id.', 'stopId');
  const { stops } = timetable.tables;
  const rows = Array.from(stops.station.keys()).filter((other) => isPartOf(timetable.tables, other, stop));
  return rows.map((row) => ({
    feedSource: timetable.sourceIds[stops.source[row]!]!,
    stopId: stops.stopId.get(row),
  }));
}
