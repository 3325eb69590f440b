import type { GeoBox } from '../../model/geo.ts';
import { type Instant, SECONDS_PER_DAY } from '../../model/service-time.ts';
import { nameArea } from '../../model/vehicle-demand.ts';
import { areaBudget } from '../area-budget.ts';
import type { RealtimeSource, SourceFacts, SourceRequest } from '../realtime-source.ts';
import {
  checkProfile,
  type HafasProductClass,
  type HafasProfile,
  type HafasProfileData,
  loadHafasProfile,
} from './load-profile.ts';
import { readMgateAnswer } from './mgate-answer.ts';
import { buildMgateRequest, type Md5, type MgateCall } from './mgate-request.ts';
import { normaliseHafas } from './normalise-hafas.ts';
import { readHafasRecords } from './read-records.ts';

/** A custom endpoint: its data, on top of a similar profile of hafas-client if there is one. */
export interface OwnHafasProfile extends Partial<HafasProfileData> {
  /** `vao`, or the name of a profile of hafas-client to inherit dialect and data from. */
  readonly base?: string;
}

/** The operator's options. Keys are secret: they are never shown or stored. */
export interface HafasOptions {
  /** Id of the source, e.g. `vao`; names it in problems. */
  readonly id: string;
  /**
   * `vao`, which needs endpoint and key; the name of a profile of hafas-client, most of which include the public client
   * credentials of some app; or a custom endpoint.
   */
  readonly profile: string | OwnHafasProfile;
  /** Replaces the profile's endpoint. */
  readonly endpoint?: string | null;
  /** Hosts, besides that of the endpoint, to which requests may be redirected, key included. */
  readonly redirectHosts?: readonly string[];
  /** Sent as `auth.aid`. */
  readonly key?: string | null;
  /** Numbers of the stations whose departures are requested. */
  readonly stops: readonly string[];
  /** Period of the boards in minutes; default 60. */
  readonly durationMinutes?: number;
  /** Requests arrivals too. */
  readonly arrivals?: boolean;
  /** Requests messages in addition to those that boards include. */
  readonly remarks?: boolean;
  /** Requests the vehicles in a box; HAFAS computes their positions. */
  readonly radar?: GeoBox | null;
  /** Requests the vehicles of map areas that an app displays; default false. */
  readonly vehiclesOnDemand?: boolean;
  /** Seconds between two answers for one board; longer if the budget would not last the day. Default 60. */
  readonly intervalSeconds?: number | null;
  /** Requests per day; without a default, because the publisher bills them. */
  readonly dailyBudget: number;
  /** Overrides of the default facts. The archive cannot be overridden: raw answers and observations are never kept. */
  readonly overrides?: Partial<Omit<SourceFacts, 'kind' | 'zone' | 'dailyBudget' | 'archive'>>;
}

const DEFAULT_INTERVAL_SECONDS = 60;
const DEFAULT_DURATION_MINUTES = 60;
/** Messages change rarely, the timetable hardly ever. */
const REMARKS_INTERVAL_SECONDS = 300;
const SERVER_INFO_INTERVAL_SECONDS = 3600;
/** A board begins a little before now, because departures are reported only after the event. */
const LOOK_BACK_MINUTES = 5;
const MAX_VEHICLES = 1000;
const MAX_MESSAGES = 500;

/** A request that is repeated. */
interface PlannedCall {
  /** Unique within the source. */
  readonly part: string;
  readonly intervalSeconds: number;
  toCall(now: Instant): MgateCall;
}

/**
 * All requests of a source, boards first, at intervals that fit the daily budget.
 * @throws RangeError when two stops have the same part name
 */
function planCalls(options: HafasOptions): PlannedCall[] {
  const plans = listPlans(options);
  const repeated = plans.find(({ part }, index) => plans.findIndex((other) => other.part === part) !== index);
  if (repeated) throw new RangeError(`${options.id}: two stops make the same request "${repeated.part}"`);
  const { dailyBudget, vehiclesOnDemand = false } = options;
  return stretch(plans, vehiclesOnDemand ? dailyBudget - areaBudget(dailyBudget) : dailyBudget);
}

/** An endpoint, and what its requests need. */
interface Endpoint {
  readonly profile: HafasProfile;
  readonly md5: Md5;
  readonly redirectHosts: readonly string[];
}

function toRequest(plan: PlannedCall, { profile, md5, redirectHosts }: Endpoint, now: Instant): SourceRequest {
  return {
    part: plan.part,
    method: 'POST',
    ...buildMgateRequest(profile, plan.toCall(now), md5),
    intervalSeconds: plan.intervalSeconds,
    redirectHosts,
    extension: 'json',
  };
}

function listPlans(options: HafasOptions): PlannedCall[] {
  const boardSeconds = options.intervalSeconds ?? DEFAULT_INTERVAL_SECONDS;
  const durationMinutes = (options.durationMinutes ?? DEFAULT_DURATION_MINUTES) + LOOK_BACK_MINUTES;
  const planBoards = (type: 'DEP' | 'ARR', word: string): PlannedCall[] =>
    options.stops.map((stopId) => ({
      part: `${word}-${toPart(stopId)}`,
      intervalSeconds: boardSeconds,
      toCall: (now) => {
        const from = (now - LOOK_BACK_MINUTES * 60) as Instant;
        return { method: 'StationBoard', type, stopId, from, durationMinutes };
      },
    }));
  const plans = planBoards('DEP', 'departures');
  if (options.arrivals) plans.push(...planBoards('ARR', 'arrivals'));
  if (options.remarks) {
    plans.push({
      part: 'remarks',
      intervalSeconds: Math.max(boardSeconds, REMARKS_INTERVAL_SECONDS),
      toCall: (now) => ({ method: 'HimSearch', from: now, maxMessages: MAX_MESSAGES }),
    });
  }
  const box = options.radar ?? null;
  if (box !== null) {
    plans.push({
      part: 'radar',
      intervalSeconds: boardSeconds,
      toCall: (now) => ({ method: 'JourneyGeoPos', box, at: now, maxVehicles: MAX_VEHICLES }),
    });
  }
  plans.push({
    part: 'server-info',
    intervalSeconds: Math.max(boardSeconds, SERVER_INFO_INTERVAL_SECONDS),
    toCall: () => ({ method: 'ServerInfo' }),
  });
  return plans;
}

/** Half of the time during which an area counts as live, so that a single failed request does not end it. */
const AREA_INTERVAL_SECONDS = 30;

/** The request for the vehicles of a map area, repeated as long as an app displays the area. */
function planArea(box: GeoBox): PlannedCall {
  return {
    part: `area-${nameArea(box)}`,
    intervalSeconds: AREA_INTERVAL_SECONDS,
    toCall: (now) => ({ method: 'JourneyGeoPos', box, at: now, maxVehicles: MAX_VEHICLES }),
  };
}

/** Lengthens all intervals evenly until the budget lasts the whole day. */
function stretch(plans: readonly PlannedCall[], dailyBudget: number): PlannedCall[] {
  const callsADay = plans.reduce((sum, { intervalSeconds }) => sum + SECONDS_PER_DAY / intervalSeconds, 0);
  const factor = Math.max(1, callsADay / dailyBudget);
  return plans.map((plan) => ({ ...plan, intervalSeconds: Math.ceil(plan.intervalSeconds * factor) }));
}

function toPart(stopId: string): string {
  return stopId
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function toProductClass(id: string, mode: string, name: string, ...bitmasks: readonly number[]): HafasProductClass {
  return { id, mode, name, short: name, bitmasks, default: true };
}

/**
 * Public facts of Verkehrsauskunft Österreich: time zone, products and dialect. URL and key come from the
 * configuration; the holder of a key has agreed to its terms.
 */
export const vaoProfile: Omit<HafasProfileData, 'endpoint' | 'auth'> = {
  timezone: 'Europe/Vienna',
  locale: 'de-AT',
  defaultLanguage: 'de',
  // Both as of August 2026; the server of 2022 had 1.39 and VAO.11.
  ver: '1.59',
  ext: 'VAO.22',
  client: { type: 'WEB', id: 'VAO', name: 'webapp' },
  products: [
    // Which of them are regional trains differs between published maps: 4096 is one of them by some, absent from others.
    toProductClass('train-and-s-bahn', 'train', 'Bahn & S-Bahn', 1, 2, 4096),
    toProductClass('u-bahn', 'train', 'U-Bahn', 4),
    toProductClass('tram', 'train', 'Straßenbahn', 16),
    toProductClass('long-distance-bus', 'bus', 'Fernbus', 32),
    toProductClass('regional-bus', 'bus', 'Regionalbus', 64),
    toProductClass('city-bus', 'bus', 'Stadtbus', 128),
    toProductClass('aerial-lift', 'gondola', 'Seil- und Zahnradbahn', 256),
    toProductClass('ferry', 'watercraft', 'Schiff', 512),
    toProductClass('on-call', 'taxi', 'Anrufsammeltaxi', 1024),
    toProductClass('other-bus', 'bus', 'Sonstige Busse', 2048),
  ],
};

/**
 * Product bits of ÖBB as measured in October 2026; those of hafas-client take the bus that replaces trains (2) for a
 * long-distance train.
 */
const oebbProducts: readonly HafasProductClass[] = [
  toProductClass('nationalExpress', 'train', 'ICE & RJ', 1),
  toProductClass('regional-bus', 'bus', 'Schienenersatzverkehr', 2),
  toProductClass('national', 'train', 'IC & EC', 4),
  toProductClass('interregional', 'train', 'D, EN & NJ', 8),
  toProductClass('regional', 'train', 'R & REX', 16),
  toProductClass('suburban', 'train', 'S-Bahn', 32),
  toProductClass('bus', 'bus', 'Bus', 64),
  toProductClass('ferry', 'watercraft', 'Schiff', 128),
  toProductClass('subway', 'train', 'U-Bahn', 256),
  toProductClass('tram', 'train', 'Straßenbahn', 512),
  toProductClass('long-distance-bus', 'bus', 'Fernbus', 1024),
  toProductClass('on-call', 'taxi', 'Anrufverkehr & Seilbahn', 2048),
  toProductClass('westbahn', 'train', 'WESTbahn', 4096),
];

/** Facts that replace those of hafas-client, by the name of its profile. */
const correctedProfiles: Readonly<Record<string, Partial<HafasProfileData>>> = { oebb: { products: oebbProducts } };

const MEBIBYTE = 1024 * 1024;
/** Forecasts are kept for this many missed rounds. */
const MISSED_ROUNDS = 3;
const LEAST_MAX_AGE_SECONDS = 180;

/**
 * A HAFAS endpoint as a source. It loads hafas-client, so it is called only where such a source is configured.
 * @param md5 signs requests where the profile requires that
 * @throws RangeError for an unknown profile, options without a budget or stops, an incomplete profile; the message
 *   names what is missing and contains no key
 */
export async function createHafasSource(options: HafasOptions, md5: Md5): Promise<RealtimeSource> {
  const profile = await loadProfile(options);
  const wrong = [...checkOptions(options), ...checkProfile(profile)];
  if (wrong.length > 0) throw new RangeError(`${options.id}: ${wrong.join('; ')}`);

  const plans = planCalls(options);
  const redirectHosts = [new URL(profile.endpoint).hostname, ...(options.redirectHosts ?? [])];
  const endpoint = { profile, md5, redirectHosts };
  return {
    facts: toFacts(options, profile, plans[0]!.intervalSeconds),
    listRequests: (now) => plans.map((plan) => toRequest(plan, endpoint, now)),
    ...(options.vehiclesOnDemand
      ? { toAreaRequest: (box: GeoBox, now: Instant) => toRequest(planArea(box), endpoint, now) }
      : {}),
    parse(bytes, _request, fetchedAt) {
      const records = readHafasRecords(profile, readMgateAnswer(bytes));
      return normaliseHafas(records, { sourceId: options.id, zone: profile.timezone, fetchedAt });
    },
  };
}

/** Without a budget no request is made: it is the only protection against the publisher's invoice. */
function checkOptions({ dailyBudget, stops, intervalSeconds, durationMinutes }: HafasOptions): string[] {
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;
  const wrong: string[] = [];
  if (!isCount(dailyBudget)) wrong.push('dailyBudget must be a whole number above 0');
  if (stops.length === 0 || stops.some((stop) => !/^[\w:.-]+$/.test(stop))) wrong.push('stops must be station numbers');
  if (!isCount(intervalSeconds ?? 1)) wrong.push('intervalSeconds must be a whole number above 0');
  if (!isCount(durationMinutes ?? 1)) wrong.push('durationMinutes must be a whole number above 0');
  return wrong;
}

async function loadProfile({ profile, endpoint, key }: HafasOptions): Promise<HafasProfile> {
  const { base = null, ...own } = typeof profile === 'string' ? { base: profile } : profile;
  const isVao = base === 'vao';
  const data: Partial<HafasProfileData> = {
    ...(isVao ? vaoProfile : {}),
    ...(base === null ? {} : correctedProfiles[base]),
    ...own,
    ...(endpoint ? { endpoint } : {}),
    ...(key ? { auth: { type: 'AID', aid: key } } : {}),
  };
  return loadHafasProfile(isVao ? null : base, data);
}

function toFacts(options: HafasOptions, profile: HafasProfile, boardSeconds: number): SourceFacts {
  return {
    minGapSeconds: 1,
    timeoutSeconds: 20,
    maxBytes: 8 * MEBIBYTE,
    maxAgeSeconds: Math.max(LEAST_MAX_AGE_SECONDS, MISSED_ROUNDS * boardSeconds),
    licence: 'by contract with the publisher; no archive',
    attribution: options.profile === 'vao' ? 'Verkehrsauskunft Österreich' : null,
    coverage: [],
    isNationwide: false,
    ...options.overrides,
    kind: 'hafas',
    zone: profile.timezone,
    dailyBudget: options.dailyBudget,
    archive: 'none',
  };
}
