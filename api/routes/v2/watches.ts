import { type Instant, parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type {
  LineWatchRequest,
  RescueWatchRequest,
  TripWatchRequest,
  UnwatchRequest,
} from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import { resolvePlace } from '../../engine/places/resolve-places.ts';
import type { Published } from '../../engine/read/realtime.ts';
import { findStop } from '../../engine/read/stop-ids.ts';
import { readLegs } from '../../engine/rescue/read-legs.ts';
import { readDelivery } from '../../watches/push-endpoint.ts';
import { measureWindow } from '../../watches/track/occurrences.ts';
import type { WatchedLeg, WatchKind, WatchSpec } from '../../watches/watch.ts';
import type { Handlers, Service, ServiceRequest } from '../service.ts';

/** Longest duration of a watch, counted from the request. */
const MAX_WATCH_SECONDS = 90 * 86_400;

type AnyWatchRequest = TripWatchRequest | RescueWatchRequest | LineWatchRequest;

export function watchHandlers(service: Service): Handlers {
  return {
    'POST /v2/trips/watch': watchRoute<TripWatchRequest>(service, (body, request, until) => ({
      kind: 'trip',
      until,
      legs: readWatchedLegs(service, body, request),
      minDelayMinutes: body.minDelayMinutes!,
      language: body.language!,
    })),
    'POST /v2/rescue/watch': watchRoute<RescueWatchRequest>(service, (body, request, until) => ({
      kind: 'rescue',
      until,
      legs: readWatchedLegs(service, body, request),
      minDelayMinutes: body.minDelayMinutes!,
      language: body.language!,
      to: readPlace(service, request.snapshot!.value, body.to),
      minSuccessProbability: body.minSuccessProbability!,
    })),
    'POST /v2/lines/watch': watchRoute<LineWatchRequest>(service, (body, request) => ({
      kind: 'line',
      language: body.language!,
      lines: body.lines,
      stopIds: readStops(request.snapshot!.value, body.stopIds ?? []),
      ...readRepeat(body),
    })),
    'POST /v2/trips/unwatch': unwatchRoute(service, 'trip'),
    'POST /v2/rescue/unwatch': unwatchRoute(service, 'rescue'),
    'POST /v2/lines/unwatch': unwatchRoute(service, 'line'),
  };
}

/** @param readSpec validates what is to be watched against the snapshots of the request */
function watchRoute<Body extends AnyWatchRequest>(
  { watches, isEndpointAllowed }: Service,
  readSpec: (body: Body, request: ServiceRequest, until: Instant | null) => WatchSpec,
): NonNullable<Handlers[keyof Handlers]> {
  return {
    snapshot: 'required',
    changesWithTime: () => true,
    async answer(request) {
      const body = request.body as Body;
      const until = readUntil(body.until, request.instant);
      const target = readDelivery(body.delivery!, isEndpointAllowed);
      const spec = readSpec(body, request, until);
      return { json: await watches.watch({ watchId: body.watchId ?? null, spec, target, until }, request.getClient()) };
    },
  };
}

function unwatchRoute({ watches }: Service, kind: WatchKind): NonNullable<Handlers[keyof Handlers]> {
  return {
    snapshot: 'unused',
    changesWithTime: () => true,
    async answer({ body, getClient }) {
      const { watchId } = body as UnwatchRequest;
      return { json: { removed: await watches.unwatch(watchId, kind, getClient()) } };
    },
  };
}

function readUntil(until: string | undefined, instant: Instant): Instant | null {
  if (until === undefined) return null;
  // Validated by the contract.
  const end = parseTimestamp(until)!;
  if (end <= instant) throw new ApiProblem('invalid_body', '"/until" lies in the past.', '/until');
  if (end > instant + MAX_WATCH_SECONDS) {
    throw new ApiProblem('invalid_body', '"/until" lies more than 90 days ahead.', '/until');
  }
  return end;
}

function readWatchedLegs(
  { references }: Service,
  { legs }: TripWatchRequest,
  { snapshot, instant }: ServiceRequest,
): WatchedLeg[] {
  const { named } = readLegs(snapshot!.value, references, legs, instant);
  return named.map(({ journey, originId, destinationId }, i) => ({
    journeyRef: legs[i]!.journeyRef,
    tripKey: journey.tripKey.toString(),
    day: journey.day,
    originId,
    destinationId,
  }));
}

/** A place of the index is stored with its coordinate, so that the watch outlives it. */
function readPlace(
  { places }: Service,
  { timetable }: Published,
  to: RescueWatchRequest['to'],
): RescueWatchRequest['to'] | null {
  if (to === undefined) return null;
  const index = places.current()?.value;
  const place = index ? resolvePlace(timetable, index, to) : to;
  if ('stopId' in place && findStop(timetable, place.stopId) === null) throw unknownStop('/to/stopId');
  return place;
}

/** Longest window of a repeated watch. */
const MAX_WINDOW_MINUTES = 12 * 60;

/** @throws ApiProblem `invalid_body` */
function readRepeat({ repeat, minDelayMinutes, stopIds = [] }: LineWatchRequest) {
  if (!repeat) {
    if (minDelayMinutes === undefined) return {};
    throw new ApiProblem('invalid_body', '"/minDelayMinutes" requires "/repeat".', '/minDelayMinutes');
  }
  if (stopIds.length === 0) {
    throw new ApiProblem('invalid_body', '"/stopIds" must have at least one stop beside "/repeat".', '/stopIds');
  }
  if (measureWindow(repeat) > MAX_WINDOW_MINUTES) {
    throw new ApiProblem('invalid_body', '"/repeat/to" must be at most 12 hours after "/repeat/from".', '/repeat/to');
  }
  return { repeat, ...(minDelayMinutes === undefined ? {} : { minDelayMinutes }) };
}

function readStops({ timetable }: Published, ids: readonly string[]): readonly string[] {
  const missing = ids.findIndex((id) => findStop(timetable, id) === null);
  if (missing >= 0) throw unknownStop(`/stopIds/${missing}`);
  return ids;
}

function unknownStop(pointer: string): ApiProblem {
  return new ApiProblem('unknown_stop', 'The timetable has no stop with this id.', pointer);
}
