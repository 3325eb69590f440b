import { toDataPath } from './data-path.ts';

const LISTED = 20;

/** Path of the stops that a search finds, by name or near a position; null without either. */
export function stopListPath(query: URLSearchParams): string | null {
  const [text, lat, lon] = ['query', 'lat', 'lon'].map((name) => query.get(name));
  const limit = String(LISTED);
  if (text) return toDataPath('/site/data/stops', new URLSearchParams({ query: text, limit }));
  return lat && lon ? toDataPath('/site/data/stops/nearby', new URLSearchParams({ lat, lon, limit })) : null;
}
