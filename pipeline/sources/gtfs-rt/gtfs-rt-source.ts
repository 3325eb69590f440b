import type { RealtimeSource, SourceFacts, SourceRequest } from '../realtime-source.ts';
import { decodeFeedMessage } from './decode-feed-message.ts';
import { normaliseFeed } from './normalise-feed.ts';

export interface GtfsRtOptions {
  /** Id for problems; default `gtfs-rt`. */
  readonly id?: string;
  /** URLs of the three kinds; at least one. A URL that serves several kinds is requested once. */
  readonly tripUpdates?: string | readonly string[];
  readonly vehiclePositions?: string | readonly string[];
  readonly alerts?: string | readonly string[];
  /** Time zone of the timetable that its trips refer to. */
  readonly zone: string;
  /** Seconds between two requests for the same URL; default 30, at least 60 for alerts. */
  readonly intervalSeconds?: number;
  readonly alertsIntervalSeconds?: number | null;
  /** The publisher documents that past stop events are measured, whatever their uncertainty. */
  readonly measuredStopEvents?: boolean;
  /** Sent with every request, in addition to the default headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides of the default facts. */
  readonly facts?: Partial<Omit<SourceFacts, 'kind' | 'zone'>>;
}

const DEFAULT_INTERVAL_SECONDS = 30;
const DEFAULT_ALERTS_INTERVAL_SECONDS = 60;

const usualFacts: Omit<SourceFacts, 'kind' | 'zone'> = {
  minGapSeconds: 1,
  timeoutSeconds: 20,
  // 20,000 trips of 20 calls are 20 MB.
  maxBytes: 64 * 1024 * 1024,
  // The best practices require data no older than 90 s; many publishers are slower, as their header shows.
  maxAgeSeconds: 300,
  dailyBudget: null,
  archive: 'full',
  licence: null,
  attribution: null,
  coverage: [],
  isNationwide: false,
};

/**
 * A GTFS-Realtime source of any publisher: parts `trip-updates`, `vehicle-positions` and `alerts`; the second address
 * of a kind is `trip-updates-2`. An answer may contain all kinds of entities, whatever its part.
 * @throws RangeError without any address
 */
export function createGtfsRtSource(options: GtfsRtOptions): RealtimeSource {
  const { id: source = 'gtfs-rt', measuredStopEvents = false } = options;
  const facts: SourceFacts = { ...usualFacts, ...options.facts, kind: 'gtfs-rt', zone: options.zone };
  const requests = listRequests(options);
  if (requests.length === 0) throw new RangeError('a source of GTFS-Realtime needs at least one address');
  return {
    facts,
    listRequests: () => requests,
    parse: (bytes, _request, fetchedAt) =>
      normaliseFeed(decodeFeedMessage(bytes, source), {
        source,
        fetchedAt,
        maxAgeSeconds: facts.maxAgeSeconds,
        measuredStopEvents,
      }),
  };
}

function listRequests(options: GtfsRtOptions): SourceRequest[] {
  const { intervalSeconds = DEFAULT_INTERVAL_SECONDS } = options;
  const alertsSeconds = options.alertsIntervalSeconds ?? Math.max(intervalSeconds, DEFAULT_ALERTS_INTERVAL_SECONDS);
  const ofKind = (kind: string, urls: string | readonly string[] = [], seconds = intervalSeconds) =>
    [urls].flat().map((url, i) => buildRequest(options, i === 0 ? kind : `${kind}-${i + 1}`, url, seconds));
  const requests = [
    ...ofKind('trip-updates', options.tripUpdates),
    ...ofKind('vehicle-positions', options.vehiclePositions),
    ...ofKind('alerts', options.alerts, alertsSeconds),
  ];
  return requests.filter(({ url }, i) => requests.findIndex((request) => request.url === url) === i);
}

function buildRequest(options: GtfsRtOptions, part: string, url: string, intervalSeconds: number): SourceRequest {
  return {
    part,
    method: 'GET',
    url,
    headers: { accept: 'application/x-protobuf, application/octet-stream;q=0.9, */*;q=0.1', ...options.headers },
    body: null,
    intervalSeconds,
    extension: 'pb',
  };
}
