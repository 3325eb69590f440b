import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import { formatTimestamp, type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { vaoProfile } from '../../../../pipeline/sources/hafas/create-hafas-source.ts';
import type { HafasProfile } from '../../../../pipeline/sources/hafas/load-profile.ts';
import { loadHafasProfile } from '../../../../pipeline/sources/hafas/load-profile.ts';
import { readMgateAnswer } from '../../../../pipeline/sources/hafas/mgate-answer.ts';
import { normaliseHafas } from '../../../../pipeline/sources/hafas/normalise-hafas.ts';
import { readHafasRecords } from '../../../../pipeline/sources/hafas/read-records.ts';
import { toBytes } from './fixtures.ts';

export const zone = 'Europe/Vienna';
/** Shortly after the valid board was published. */
export const fetchedAt = parseTimestamp('2025-05-20T17:00:45+02:00')!;

const profile: HafasProfile = await loadHafasProfile(null, {
  ...vaoProfile,
  endpoint: 'https://hafas.example.org/x',
  auth: {},
});

export function normalise(answer: object, at = fetchedAt): SourceUpdate {
  const records = readHafasRecords(profile, readMgateAnswer(toBytes(answer)));
  return normaliseHafas(records, { sourceId: 'vao', zone, fetchedAt: at });
}

/** `2025-05-20T17:00` on the endpoint's clock. */
export function clock(time: Instant | null | undefined): string | null {
  return time == null ? null : formatTimestamp(time, zone).slice(0, 16);
}

export function codes({ problems }: SourceUpdate): string[] {
  return problems.map(({ code, place }) => `${code} ${place}`);
}
