import { checkProfile } from '../../formats/hafas/check-profile.ts';
import type { HafasProfile, HafasProfileData } from '../../formats/hafas/hafas-profile.ts';
import { loadHafasProfile } from '../../formats/hafas/load-profile.ts';
import { readMgateAnswer } from '../../formats/hafas/mgate-answer.ts';
import type { Md5 } from '../../formats/hafas/mgate-request.ts';
import { readHafasRecords } from '../../formats/hafas/read-records.ts';
import type { GeoBox } from '../../model/geo.ts';
import type { Instant } from '../../model/service-time.ts';
import { normaliseHafas } from '../../normalise/hafas/normalise-hafas.ts';
import type { RealtimeSource, SourceFacts } from '../realtime-source.ts';
import type { HafasOptions } from './hafas-options.ts';
import { planArea, planCalls, toRequest } from './hafas-requests.ts';
import { vaoProfile } from './vao-profile.ts';

const MEBIBYTE = 1024 * 1024;
/** Forecasts outlive this many rounds that were missed. */
const MISSED_ROUNDS = 3;
const LEAST_MAX_AGE_SECONDS = 180;

/**
 * A HAFAS endpoint as a source. It loads hafas-client, so call it only where such a source is configured.
 * @param md5 signs requests where the profile wants that
 * @throws RangeError for an unknown profile, options without a budget or stops, a profile that lacks something; the
 *   message names what, and shows no key
 */
export async function createHafasSource(options: HafasOptions, md5: Md5): Promise<RealtimeSource> {
  const profile = await loadProfile(options);
  const wrong = [...checkOptions(options), ...checkProfile(profile)];
  if (wrong.length > 0) throw new RangeError(`${options.id}: ${wrong.join('; ')}`);

  const plans = planCalls(options);
  return {
    facts: toFacts(options, profile, plans[0]!.intervalSeconds),
    listRequests: (now) => plans.map((plan) => toRequest(plan, profile, md5, now)),
    ...(options.vehiclesOnDemand
      ? { toAreaRequest: (box: GeoBox, now: Instant) => toRequest(planArea(box), profile, md5, now) }
      : {}),
    parse(bytes, _request, fetchedAt) {
      const records = readHafasRecords(profile, readMgateAnswer(bytes));
      return normaliseHafas(records, { sourceId: options.id, zone: profile.timezone, fetchedAt });
    },
  };
}

/** Without a budget nothing is asked: it is the only thing between a mistake and the publisher's invoice. */
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
