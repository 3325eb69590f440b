import type { ListedFile, SourceUpdate } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { RealtimeSource, SourceFacts, SourceRequest } from '../realtime-source.ts';
import { DISCOVERY, isStockPart } from './gbfs-files.ts';
import { parseDiscovery } from './parse-discovery.ts';
import { parseStationStatus, parseStations } from './parse-stations.ts';
import { parseSystem, parseVehicleTypes } from './parse-system.ts';
import { parseVehicles } from './parse-vehicles.ts';
import { parseZones } from './parse-zones.ts';
import { type Envelope, openProblems, type ReadContext, readEnvelope } from './read-envelope.ts';

export interface GbfsOptions {
  readonly id: string;
  /** The auto-discovery file. */
  readonly url: string;
  /** Hosts besides that of `url` from which files are read. */
  readonly fileHosts: readonly string[];
  /** Preferred language of names. */
  readonly language: string;
  /** Seconds between two requests for stock; default 60. */
  readonly intervalSeconds?: number;
  readonly facts: Partial<SourceFacts>;
}

const usualFacts: Omit<SourceFacts, 'kind'> = {
  zone: 'UTC',
  minGapSeconds: 1,
  timeoutSeconds: 20,
  // 100,000 vehicles are 40 MB.
  maxBytes: 64 * 1024 * 1024,
  // The specification allows stock to be five minutes old; add the time until the next poll.
  maxAgeSeconds: 600,
  dailyBudget: null,
  archive: 'full',
  licence: null,
  attribution: null,
  coverage: [],
  isNationwide: false,
};

const STOCK_INTERVAL_SECONDS = 60;
/** Interval of files that change a few times a year. */
const INTERVAL_SECONDS = 6 * 3600;
/** A longer `ttl` would make the stock look old. */
const MAX_STOCK_VALID_SECONDS = 300;
const MAX_VALID_SECONDS = 86_400;

/**
 * A sharing system that publishes GBFS 2 or 3. Its auto-discovery file (part `discovery`) lists the other files to
 * request. Files on other hosts are refused unless the configuration names the host, because the operator's headers are
 * sent with each request.
 */
export function createGbfsSource(options: GbfsOptions): RealtimeSource {
  const { id: source, url, language, intervalSeconds = STOCK_INTERVAL_SECONDS } = options;
  const facts: SourceFacts = { ...usualFacts, ...options.facts, kind: 'gbfs' };
  const discovery = buildRequest({ part: DISCOVERY, url }, Math.max(INTERVAL_SECONDS, intervalSeconds));
  const hosts = [new URL(url).host, ...options.fileHosts];
  return {
    facts,
    listRequests: () => [discovery],
    toFileRequest: (file) =>
      buildRequest(file, isStockPart(file.part) ? intervalSeconds : Math.max(INTERVAL_SECONDS, intervalSeconds)),
    parse(bytes, { part }, fetchedAt) {
      const { problems, report } = openProblems(source, part);
      const envelope = readEnvelope(bytes);
      const update = parsePart(part, envelope, { report, language, hosts, isSecure: url.startsWith('https:') });
      const timing = readTiming(part, envelope, fetchedAt, facts.maxAgeSeconds);
      return { ...update, ...timing, problems };
    },
  };
}

function buildRequest({ part, url }: ListedFile, intervalSeconds: number): SourceRequest {
  const headers = { accept: 'application/json' };
  return { part, method: 'GET', url, headers, body: null, intervalSeconds, extension: 'json' };
}

function parsePart(part: string, envelope: Envelope, context: ReadContext): SourceUpdate {
  switch (part) {
    case DISCOVERY:
      return parseDiscovery(envelope, context);
    case 'system-information':
      return parseSystem(envelope, context);
    case 'vehicle-types':
      return parseVehicleTypes(envelope, context);
    case 'station-information':
      return parseStations(envelope, context);
    case 'station-status':
      return parseStationStatus(envelope, context);
    case 'vehicle-status':
      return parseVehicles(envelope, context);
    case 'geofencing-zones':
      return parseZones(envelope, context);
    default:
      throw new RangeError(`GBFS has no part "${part}"`);
  }
}

/** Only stock can be too old; stations do not move, however old their file is. */
function readTiming(part: string, { publishedAt, ttlSeconds }: Envelope, fetchedAt: Instant, maxAgeSeconds: number) {
  const isStock = isStockPart(part);
  return {
    publishedAt,
    isFrozen: isStock && publishedAt !== null && fetchedAt - publishedAt > maxAgeSeconds,
    validSeconds: Math.min(ttlSeconds, isStock ? MAX_STOCK_VALID_SECONDS : MAX_VALID_SECONDS),
  };
}
