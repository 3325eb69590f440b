const LISTED = 20;

/** Path of the stops that a search finds, by name or near a position; null without either. */
export function stopListPath(query: URLSearchParams): string | null {
  const [text, lat, lon] = ['query', 'lat', 'lon'].map((name) => query.get(name));
  if (text) return `/site/data/stops?${new URLSearchParams({ query: text, limit: String(LISTED) })}`;
  if (!lat || !lon) return null;
  return `/site/data/stops/nearby?${new URLSearchParams({ lat, lon, limit: String(LISTED) })}`;
}
