import {
  AUSTRIA,
  addDays,
  formatUtc,
  type Instant,
  localDate,
  serviceDayStart,
} from '../../../pipeline/model/service-time.ts';
import type { RealtimeArea } from '../../../pipeline/snapshots/realtime-contract.ts';
import type { SnapshotSource } from '../../../pipeline/snapshots/timetable-contract.ts';
import type { V1Health, V1Status } from '../../contract/definitions.ts';
import { ratePredictions } from '../../engine/predictions/prediction-state.ts';
import { findAgeSeconds, listFresh, rateArea, rateSource } from '../../engine/read/source-states.ts';
import type { Handlers, Service, ServiceRequest, SourceCredit } from '../service.ts';

type Freshness = V1Health['freshness'][number];
type SourceFreshness = Freshness & SourceCredit & { readonly lastSuccessAt: string | null };

/** `/v1/health` and `/v1/status`: the loaded data, its freshness, and the state of each area of the service. */
export function healthHandlers(service: Service): Handlers {
  return {
    'GET /v1/health': {
      snapshot: 'optional',
      changesWithTime: () => true,
      answer: (request) => {
        const isHealthy = hasUsableTimetable(request);
        return { json: describeHealth(service, request, isHealthy), status: isHealthy ? 200 : 503 };
      },
    },
    'GET /v1/status': {
      snapshot: 'optional',
      changesWithTime: () => true,
      answer: (request) => ({ json: describeStatus(service, request) }),
    },
  };
}

/** Whether the timetable is still valid or its last trips are still running. A stale source does not affect health. */
function hasUsableTimetable({ snapshot, instant }: ServiceRequest): boolean {
  if (snapshot === null) return false;
  const { begin, end } = snapshot.value.timetable;
  return begin <= instant && instant < end;
}

function describeHealth(service: Service, request: ServiceRequest, isHealthy: boolean): V1Health {
  const manifest = request.snapshot?.value.timetable.manifest;
  return {
    status: isHealthy ? 'ok' : 'unhealthy',
    generatedAt: formatUtc(request.instant * 1000),
    freshness: [
      ...listFreshness(service, request).map(({ id, status, ageSeconds, maxAgeSeconds }) => ({
        id,
        status,
        ageSeconds,
        maxAgeSeconds,
      })),
      ...listHistory(service, request),
    ],
    timetable: manifest ? { begin: manifest.beginDate, end: manifest.endDate, dataDate: manifest.dataDate } : null,
  };
}

/** Timetables first, then realtime. */
function listFreshness(service: Service, request: ServiceRequest): SourceFreshness[] {
  const timetables = listTimetables(service, request);
  const names = new Set(timetables.map(({ id }) => id));
  const live = service.getRealtimeSources().map((source): SourceFreshness => {
    const { lastSuccessAt, maxAgeSeconds, attribution, licence } = source;
    // A source of both may use the same id for both.
    const id = names.has(source.id) ? `${source.id}:realtime` : source.id;
    return { id, ...rateSource(source, request.instant), maxAgeSeconds, lastSuccessAt, attribution, licence };
  });
  return [...timetables, ...live];
}

/** Sources in the snapshot, then configured ones that are not in it because they never loaded or have no data. */
function listTimetables(service: Service, { snapshot, instant }: ServiceRequest): SourceFreshness[] {
  const checks = service.getSourceChecks();
  const served = snapshot?.value.timetable.manifest.sources ?? [];
  const rate = (id: string, isCurrent: boolean): SourceFreshness => {
    const lastSuccessAt = checks[id] ?? null;
    const maxAgeSeconds = service.timetableMaxAgeSeconds;
    const ageSeconds = findAgeSeconds(lastSuccessAt, instant);
    const facts = { id, ageSeconds, maxAgeSeconds, lastSuccessAt, ...findCredit(service, id) };
    if (ageSeconds === null) return { ...facts, status: 'never' };
    return { ...facts, status: ageSeconds > maxAgeSeconds || !isCurrent ? 'stale' : 'fresh' };
  };
  return listProviders(service, served).map((id) => {
    const source = served.find(({ sourceId }) => sourceId === id);
    return rate(id, source === undefined || isInForce(source, instant));
  });
}

/** Ids of the timetables in the snapshot, then of configured ones that are not in it. */
export function listProviders(
  { configuredTimetables }: Pick<Service, 'configuredTimetables'>,
  served: readonly Pick<SnapshotSource, 'sourceId'>[],
): string[] {
  return [...new Set([...served.map(({ sourceId }): string => sourceId), ...configuredTimetables])];
}

function findCredit({ timetableCredits }: Service, id: string): SourceCredit {
  const { attribution = null, licence = null } = timetableCredits.get(id) ?? {};
  return { attribution, licence };
}

/** Whether some version of the feed is valid today, in the time zone of the feed. */
function isInForce({ versions }: SnapshotSource, instant: Instant): boolean {
  return versions.some(({ timeZone, beginDate, endDate, feedEndDate }) => {
    const today = localDate(instant, timeZone);
    if (beginDate === null || endDate === null || today < beginDate || today > endDate) return false;
    return feedEndDate === null || today <= feedEndDate;
  });
}

/** Age of the newest service date of the history, counted from its end; empty without a history. */
function listHistory({ history }: Service, { instant }: ServiceRequest): Freshness[] {
  const lastDate = history.snapshots.current()?.value.manifest.lastDate ?? null;
  if (lastDate === null) return [];
  const { maxAgeSeconds } = history;
  const ageSeconds = Math.max(0, instant - serviceDayStart(addDays(lastDate, 1), AUSTRIA));
  return [{ id: 'history', status: ageSeconds > maxAgeSeconds ? 'stale' : 'fresh', ageSeconds, maxAgeSeconds }];
}

type Component = V1Status['components'][number];

function describeStatus(service: Service, request: ServiceRequest): V1Status {
  const { instant, snapshot } = request;
  const live = service.getRealtimeSources();
  const { startedAt, awaitedSources: awaited } = service;
  // Realtime for a timetable other than the served one is not shown.
  const shown = snapshot?.value.realtime ? live : [];
  const rate = (area: RealtimeArea) => rateArea({ published: live, awaited, startedAt }, shown, area, instant);
  const map = rateTimetable(request, listTimetables(service, request));
  const departures = findWorse(map, rate('departures'));
  const models = service.predictions.listModels();
  const { isPaused } = service.predictions;
  const predictions = ratePredictions(
    { isPaused, sources: live, models, startedAt, published: snapshot?.value ?? null },
    instant,
  );
  const components: Component[] = [
    { id: 'departures', name: 'Departures', status: departures },
    { id: 'routePlanning', name: 'Route planning', status: service.planning.isWorking() ? departures : 'outage' },
    { id: 'map', name: 'Map', status: map },
    { id: 'disruptions', name: 'Disruptions', status: rate('disruptions') },
    { id: 'punctuality', name: 'Punctuality', status: rateHistory(service, request) },
    { id: 'vehiclePositions', name: 'Vehicle positions', status: rate('vehiclePositions') },
    { id: 'livePredictions', name: 'Live predictions', status: predictions.status },
  ];
  return {
    generatedAt: formatUtc(instant * 1000),
    overall: findWorst(components.map(({ status }) => status)),
    components,
    measurement: {
      predictionsAvailable: predictions.state === 'live',
      state: predictions.state,
      reason: predictions.reason,
      evidenceSources: models.map(({ sourceId }) => sourceId),
    },
    sources: listFreshness(service, request).map(({ maxAgeSeconds: _, ...source }) => source),
    coveredAreas: [...new Set(listFresh(shown, 'disruptions', instant).flatMap(({ coverage }) => coverage))],
  };
}

type Status = Component['status'];

function rateTimetable(request: ServiceRequest, sources: readonly Freshness[]): Status {
  if (!hasUsableTimetable(request)) return 'outage';
  return sources.every(({ status }) => status === 'fresh') ? 'operational' : 'degraded';
}

/** An old history is still correct, it only ends too early. Without recorded data the status is unknown. */
function rateHistory(service: Service, request: ServiceRequest): Status {
  const [history] = listHistory(service, request);
  if (!history) return 'unknown';
  return history.status === 'fresh' ? 'operational' : 'degraded';
}

/** Boards and trips work without realtime: its loss degrades them, but is not an outage. */
function findWorse(timetable: Status, realtime: Status): Status {
  if (timetable !== 'operational' || realtime === 'unknown') return timetable === 'operational' ? 'unknown' : timetable;
  return realtime === 'outage' || realtime === 'degraded' ? 'degraded' : 'operational';
}

/** Worst first; `paused` and `unknown` do not affect the overall status. */
const severity = ['outage', 'degraded', 'operational'] as const;

function findWorst(statuses: readonly Status[]): Status {
  return severity.find((status) => statuses.includes(status)) ?? 'unknown';
}
