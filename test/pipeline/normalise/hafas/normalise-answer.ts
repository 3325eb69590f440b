import type { HafasProfile } from '../../../../pipeline/formats/hafas/hafas-profile.ts';
import { loadHafasProfile } from '../../../../pipeline/formats/hafas/load-profile.ts';
import { readMgateAnswer } from '../../../../pipeline/formats/hafas/mgate-answer.ts';
import { readHafasRecords } from '../../../../pipeline/formats/hafas/read-records.ts';
import type { SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import { formatTimestamp, type Instant, parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { normaliseHafas } from '../../../../pipeline/normalise/hafas/normalise-hafas.ts';
import { vaoProfile } from '../../../../pipeline/sources/hafas/vao-profile.ts';
import { toBytes } from '../../formats/hafas/fixtures.ts';

export const zone = 'Europe/Vienna';
/** A moment after the good board was published. */
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
