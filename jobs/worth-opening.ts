import type { Http } from '../pipeline/effects/http.ts';

/** Names that a person may know, the best known first; the last ones find something in any feed. */
const WELL_KNOWN_STOPS = ['Praterstern', 'Hauptbahnhof', 'Hbf', 'Bahnhof', 'Central', 'St', 'a', 'e'];

/**
 * Three addresses worth opening: the landing page, the board of a stop that many know, the docs.
 * The stop comes from the api itself, so that the board surely answers.
 * @throws WorldError when the api does not answer
 */
export async function addressesWorthOpening(base: string, http: Http): Promise<string[]> {
  return [`${base}/`, await findBoardAddress(base, http), `${base}/docs`];
}

async function findBoardAddress(base: string, http: Http): Promise<string> {
  for (const name of WELL_KNOWN_STOPS) {
    const { stops } = await getJson<{ stops: readonly { id: string }[] }>(
      `${base}/v2/stops?query=${encodeURIComponent(name)}&limit=1`,
      http,
    );
    if (stops[0]) return `${base}/v2/stops/${encodeURIComponent(stops[0].id)}/departures`;
  }
  return `${base}/v2/meta`;
}

async function getJson<Shape>(url: string, http: Http): Promise<Shape> {
  const { body } = await http({ url, timeoutSeconds: 15, maxBytes: 1_000_000 });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Shape;
}
