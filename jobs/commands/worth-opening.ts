import type { Clock } from '../../pipeline/effects/clock.ts';
import type { Http } from '../../pipeline/effects/http.ts';
import { WorldError } from '../../pipeline/effects/world-error.ts';

/** Names that a person may know, the best known first; the last ones find something in any feed. */
const WELL_KNOWN_STOPS = ['Praterstern', 'Hauptbahnhof', 'Hbf', 'Bahnhof', 'Central', 'St', 'a', 'e'];

interface WorthOpening {
  /** The landing page, the board of a stop that many know, the docs. */
  readonly addresses: readonly string[];
  /** One sentence when the timetable is not of today, whose board is then of its last day; or when the api refused. */
  readonly warning: string | null;
}

interface Period {
  readonly begin: string;
  readonly end: string;
}

/**
 * Three addresses worth opening, from what the api itself says, so that they answer. This is a courtesy: an api that is
 * too busy for it continues to serve, and only addresses that need no search are named.
 */
export async function findWorthOpening(
  base: string,
  effects: { readonly http: Http; readonly clock: Clock },
): Promise<WorthOpening> {
  try {
    return await askWhatAnswers(base, effects);
  } catch (error) {
    if (!(error instanceof WorldError)) throw error;
    const warning = `no board was looked up to be shown here: ${error.message}`;
    return { addresses: [`${base}/`, `${base}/docs`], warning };
  }
}

/** @throws WorldError when the api does not answer, or refuses */
async function askWhatAnswers(
  base: string,
  { http, clock }: { readonly http: Http; readonly clock: Clock },
): Promise<WorthOpening> {
  const { timetable } = await getJson<{ timetable?: Period }>(`${base}/v2/meta`, http);
  const today = new Date(clock.nowMilliseconds()).toISOString().slice(0, 10);
  const isOfToday = timetable === undefined || (timetable.begin <= today && today <= timetable.end);
  const time = isOfToday ? '' : `?time=${timetable.end}T08:00:00Z`;
  return {
    addresses: [`${base}/`, await findBoardAddress(base, http, time), `${base}/docs`],
    warning: isOfToday
      ? null
      : `the timetable runs from ${timetable.begin} to ${timetable.end}: boards need a time within it`,
  };
}

async function findBoardAddress(base: string, http: Http, time: string): Promise<string> {
  for (const name of WELL_KNOWN_STOPS) {
    const { stops } = await getJson<{ stops: readonly { id: string }[] }>(
      `${base}/v2/stops?query=${encodeURIComponent(name)}&limit=1`,
      http,
    );
    if (stops[0]) return `${base}/v2/stops/${encodeURIComponent(stops[0].id)}/departures${time}`;
  }
  return `${base}/v2/meta`;
}

async function getJson<Shape>(url: string, http: Http): Promise<Shape> {
  const { body } = await http({ url, timeoutSeconds: 15, maxBytes: 1_000_000 });
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Shape;
}
