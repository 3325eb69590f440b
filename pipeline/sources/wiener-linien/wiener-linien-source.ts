import type { SourceUpdate } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { RealtimeSource, SourceFacts, SourceRequest } from '../realtime-source.ts';
import { normaliseMonitor } from './normalise-monitor.ts';
import { normaliseNoticeAnswer } from './normalise-notices.ts';
import { parseMonitorAnswer } from './parse-monitor.ts';
import { type NoticeList, parseNoticeAnswer } from './parse-notices.ts';
import { parseStopPoints } from './parse-stop-points.ts';

const WIENER_LINIEN_BASE_URL = 'https://www.wienerlinien.at/ogd_realtime';

/** Categories of traffic information that a monitor request can include. */
type TrafficCategory = 'stoerungkurz' | 'stoerunglang' | 'aufzugsinfo' | 'fahrtreppeninfo' | 'information';

interface WienerLinienOptions {
  /** Id for problems; default `city_transit`. */
  readonly id?: string;
  readonly baseUrl?: string;
  /** DIVA numbers of the polled stations, usually those of `data/lookups/metro-stations.csv`. */
  readonly stations: readonly number[];
  /** Stations per request; by default three requests cover the underground. */
  readonly stationsPerRequest?: number;
  /** Whether to request all traffic information of the city in a separate request; default true. */
  readonly trafficInfo?: boolean;
  /** Whether to request planned works and the state of lifts; default true. */
  readonly news?: boolean;
  /** Address of the register of platforms; default: none. */
  readonly stopPoints?: string | null;
  /** Traffic information included in monitors; none by default, since `trafficInfo` requests all of it. */
  readonly monitorTrafficInfo?: readonly TrafficCategory[];
  /** Seconds between two requests for the same monitors; default 60. */
  readonly intervalSeconds?: number;
  readonly trafficInfoIntervalSeconds?: number;
  readonly newsIntervalSeconds?: number;
  /** Sent with every request, in addition to the default headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Overrides of the default facts. */
  readonly facts?: Partial<SourceFacts>;
}

const facts: SourceFacts = {
  kind: 'wiener-linien',
  zone: 'Europe/Vienna',
  // Required by the publisher, who answers more frequent requests with 316.
  minGapSeconds: 15,
  timeoutSeconds: 10,
  // A third of the underground's stations, with their trams and buses, is about 2 MB.
  maxBytes: 16 * 1024 * 1024,
  maxAgeSeconds: 180,
  dailyBudget: null,
  archive: 'full',
  licence: 'CC BY 4.0',
  attribution: 'Datenquelle: Stadt Wien - data.wien.gv.at',
  coverage: ['Wien'],
  isNationwide: false,
};

/** The part with the register of platforms. */
const STOP_POINTS = 'stop-points';
/** It changes a few times a year; a failed request is repeated after this interval, too. */
const STOP_POINTS_INTERVAL_SECONDS = 6 * 3600;

const noticeParts: Readonly<Record<string, NoticeList>> = { 'traffic-info': 'trafficInfos', news: 'pois' };

/**
 * The open realtime data of Wiener Linien: monitors of stations (parts `monitor-1` …), `traffic-info` and `news`. The
 * defaults make five requests in two minutes, and one more every half hour: nearly as fast as the minimum interval of
 * 15 s allows.
 * @throws RangeError unless stations per request is a whole number above 0
 */
export function createWienerLinienSource(options: WienerLinienOptions): RealtimeSource {
  const requests = listRequests(options);
  const source = options.id ?? 'city_transit';
  return {
    facts: { ...facts, ...options.facts, kind: facts.kind },
    listRequests: () => requests,
    parse: (bytes, request, fetchedAt) => parseAnswer(bytes, request, source, fetchedAt),
  };
}

function parseAnswer(bytes: Uint8Array, request: SourceRequest, source: string, fetchedAt: Instant): SourceUpdate {
  const list = noticeParts[request.part];
  const context = { source, fetchedAt };
  if (request.part === STOP_POINTS) return parseStopPoints(bytes, source);
  if (list !== undefined) return normaliseNoticeAnswer(parseNoticeAnswer(bytes, list, source), context);
  return normaliseMonitor(parseMonitorAnswer(bytes, source), readRequestedStations(request.url), context);
}

/** From the request rather than from the current options: a stored answer belongs to its own request. */
function readRequestedStations(url: string): number[] {
  const query = url.slice(url.indexOf('?') + 1);
  return new URLSearchParams(query).getAll('diva').map(Number);
}

// ---- Requests ----------------------------------------------------------------------------------

const DEFAULT_STATIONS_PER_REQUEST = 33;

function listRequests(options: WienerLinienOptions): SourceRequest[] {
  const { trafficInfo = true, news = true } = options;
  // The register before the notices, so that the first of them are placed by it.
  const requests = [...listMonitorRequests(options), ...listRegisterRequests(options)];
  if (trafficInfo) {
    requests.push(buildRequest(options, 'traffic-info', '/trafficInfoList', options.trafficInfoIntervalSeconds ?? 120));
  }
  if (news) requests.push(buildRequest(options, 'news', '/newsList', options.newsIntervalSeconds ?? 1800));
  return requests;
}

function listRegisterRequests({ stopPoints = null, headers }: WienerLinienOptions): SourceRequest[] {
  if (stopPoints === null) return [];
  const interval = { part: STOP_POINTS, intervalSeconds: STOP_POINTS_INTERVAL_SECONDS, extension: 'csv' };
  return [{ ...interval, method: 'GET', url: stopPoints, headers: { accept: 'text/csv', ...headers }, body: null }];
}

function listMonitorRequests(options: WienerLinienOptions): SourceRequest[] {
  const { stations, stationsPerRequest = DEFAULT_STATIONS_PER_REQUEST, monitorTrafficInfo = [] } = options;
  if (!Number.isInteger(stationsPerRequest) || stationsPerRequest < 1) {
    throw new RangeError(`stationsPerRequest must be a whole number above 0, not ${stationsPerRequest}`);
  }
  const count = Math.ceil(stations.length / stationsPerRequest);
  return Array.from({ length: count }, (_, i) => {
    const batch = stations.slice(i * stationsPerRequest, (i + 1) * stationsPerRequest);
    const parameters = [
      ...batch.map((diva) => `diva=${diva}`),
      ...monitorTrafficInfo.map((category) => `activateTrafficInfo=${category}`),
    ];
    return buildRequest(options, `monitor-${i + 1}`, `/monitor?${parameters.join('&')}`, options.intervalSeconds ?? 60);
  });
}

function buildRequest(
  options: WienerLinienOptions,
  part: string,
  path: string,
  intervalSeconds: number,
): SourceRequest {
  return {
    part,
    method: 'GET',
    url: (options.baseUrl ?? WIENER_LINIEN_BASE_URL).replace(/\/+$/, '') + path,
    headers: { accept: 'application/json', ...options.headers },
    body: null,
    intervalSeconds,
    extension: 'json',
  };
}
