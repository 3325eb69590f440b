import { formatUtc, localDate } from '../../../pipeline/model/service-time.ts';
import type { V1Health, V1Status } from '../../contract/definitions.ts';
import { AUSTRIA, type Timetable } from '../../engine/timetable.ts';
import type { RouteRequest } from '../../plugins/route-handler.ts';
import type { Handlers, Service } from '../service.ts';

type Request = RouteRequest<Timetable>;
type Freshness = V1Health['freshness'][number];

/** `/v1/health` and `/v1/status`: what is loaded, how fresh it is, and which areas of the service work. */
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

/** One that runs today; a stale source costs freshness, not health. */
function hasUsableTimetable({ snapshot, moment }: Request): boolean {
  if (snapshot === null) return false;
  const { beginDate, endDate } = snapshot.value.manifest;
  const today = localDate(moment, AUSTRIA);
  return beginDate <= today && today <= endDate;
}

function describeHealth(service: Service, request: Request, isHealthy: boolean): V1Health {
  const manifest = request.snapshot?.value.manifest;
  return {
    status: isHealthy ? 'ok' : 'unhealthy',
    generatedAt: formatUtc(request.moment * 1000),
    freshness: listFreshness(service, request).map(({ lastSuccessAt: _, ...freshness }) => freshness),
    timetable: manifest ? { begin: manifest.beginDate, end: manifest.endDate, dataDate: manifest.dataDate } : null,
  };
}

function listFreshness(
  service: Service,
  { snapshot, moment }: Request,
): (Freshness & { lastSuccessAt: string | null })[] {
  const checks = service.getSourceChecks();
  return (snapshot?.value.manifest.sources ?? []).map(({ sourceId }): Freshness & { lastSuccessAt: string | null } => {
    const lastSuccessAt = checks[sourceId] ?? null;
    const maxAgeSeconds = service.timetableMaxAgeSeconds;
    if (lastSuccessAt === null)
      return { id: sourceId, status: 'never', ageSeconds: null, maxAgeSeconds, lastSuccessAt };
    const ageSeconds = Math.max(0, moment - Math.floor(Date.parse(lastSuccessAt) / 1000));
    const status = ageSeconds > maxAgeSeconds ? 'stale' : 'fresh';
    return { id: sourceId, status, ageSeconds, maxAgeSeconds, lastSuccessAt };
  });
}

type Component = V1Status['components'][number];

function describeStatus(service: Service, request: Request): V1Status {
  const sources = listFreshness(service, request);
  const departures = rateDepartures(request, sources);
  // What is not built yet is not offered, which is a pause and no failure.
  const components: Component[] = [
    { id: 'departures', name: 'Departures', status: departures },
    { id: 'routePlanning', name: 'Route planning', status: 'paused' },
    { id: 'map', name: 'Map', status: departures },
    { id: 'disruptions', name: 'Disruptions', status: 'paused' },
    { id: 'punctuality', name: 'Punctuality', status: 'paused' },
    { id: 'vehiclePositions', name: 'Vehicle positions', status: 'paused' },
    { id: 'livePredictions', name: 'Live predictions', status: 'paused' },
  ];
  return {
    generatedAt: formatUtc(request.moment * 1000),
    overall: findWorst(components),
    components,
    measurement: {
      predictionsAvailable: false,
      state: 'unavailable',
      reason: 'not_available_yet',
      evidenceSources: [],
    },
    sources: sources.map(({ id, status, lastSuccessAt, ageSeconds }) => ({ id, status, lastSuccessAt, ageSeconds })),
    coveredAreas: [],
  };
}

function rateDepartures(request: Request, sources: readonly Freshness[]): Component['status'] {
  if (!hasUsableTimetable(request)) return 'outage';
  return sources.every(({ status }) => status === 'fresh') ? 'operational' : 'degraded';
}

/** Worst first; what is paused or unknown says nothing about the rest. */
const severity = ['outage', 'degraded', 'operational'] as const;

function findWorst(components: readonly Component[]): V1Status['overall'] {
  return severity.find((status) => components.some((component) => component.status === status)) ?? 'unknown';
}
