import { readFile, writeFile } from 'node:fs/promises';

/** The zones of a country take a few megabytes; larger files are refused. */
const MAX_ZONE_BYTES = 64 << 20;

/**
 * Converts `locations.geojson` to a text table with one row per feature: id, name, and geometry as JSON. It is then
 * staged like every other table of the feed. A file that is not GeoJSON becomes one row without values, which staging
 * refuses.
 * @param file path of the text table
 */
export async function writeZonesText(geoJsonFile: string, bytes: number, file: string): Promise<void> {
  const features = bytes > MAX_ZONE_BYTES ? null : parseFeatures(await readFile(geoJsonFile, 'utf8'));
  const rows = (features ?? [{}]).map(toRow);
  await writeFile(file, `${['location_id,stop_name,geometry', ...rows].join('\n')}\n`);
}

interface Feature {
  readonly id?: unknown;
  readonly properties?: unknown;
  readonly geometry?: unknown;
}

/** @returns `null` for a text that is not GeoJSON */
function parseFeatures(text: string): readonly Feature[] | null {
  try {
    const { features } = JSON.parse(text) as { readonly features?: unknown };
    return Array.isArray(features) ? features.map((feature) => (isRecord(feature) ? feature : {})) : null;
  } catch (error) {
    // A text such as `null` has no features.
    if (error instanceof SyntaxError || error instanceof TypeError) return null;
    throw error;
  }
}

function toRow({ id, properties, geometry }: Feature): string {
  const name = isRecord(properties) ? properties.stop_name : undefined;
  return [toText(id), toText(name), isRecord(geometry) ? JSON.stringify(geometry) : ''].map(quote).join(',');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

/** Ids may be numbers. */
function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).replaceAll(/\s+/g, ' ') : '';
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
