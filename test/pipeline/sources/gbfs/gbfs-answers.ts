import { parseTimestamp } from '../../../../pipeline/model/service-time.ts';
import { createGbfsSource, type GbfsOptions } from '../../../../pipeline/sources/gbfs/gbfs-source.ts';

export const FETCHED_AT = parseTimestamp('2026-07-17T11:34:13Z')!;

/** A file of version 2.3, published when it is fetched. */
export function version2(data: object): object {
  return { last_updated: FETCHED_AT, ttl: 0, version: '2.3', data };
}

/** A file of version 3.0, published when it is fetched. */
export function version3(data: object): object {
  return { last_updated: '2026-07-17T13:34:13+02:00', ttl: 0, version: '3.0', data };
}

/** Parses an answer to one of the requests. */
export async function parsePart(part: string, answer: object | string, options: Partial<GbfsOptions> = {}) {
  const source = createGbfsSource({
    id: 'bikes',
    url: 'https://example.com/gbfs.json',
    fileHosts: [],
    language: 'de',
    facts: {},
    ...options,
  });
  const bytes = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
  const request = { ...source.listRequests(FETCHED_AT)[0]!, part };
  const update = await source.parse(bytes, request, FETCHED_AT);
  return { ...update, codes: update.problems.map(({ code, place }) => `${place}: ${code}`) };
}
