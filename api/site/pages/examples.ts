import type { TripRequest } from '../../contract/definitions.ts';
import type { Timetable } from '../../engine/read/timetable.ts';
import { listBusiestStops } from '../../engine/search/stops.ts';
import type { Translations } from '../texts/languages.ts';
import { startTexts } from '../texts/start.ts';
import { quoteShell } from '../view-model/quote-shell.ts';

/** An example request to this service. */
export type Example =
  /** `href` is an absolute path of this service, with query. */
  | { readonly label: Translations<string>; readonly href: string }
  /** A request that a link cannot make, as a shell command. */
  | { readonly label: Translations<string>; readonly command: string };

/**
 * Lists examples with a useful response: the board of the busiest stop, a trip to the second busiest, and the health.
 * @param address base URL of the service, without a trailing slash; null: not known yet
 */
export function listExamples(timetable: Timetable | null, address: string | null): Example[] {
  const health = { label: name(({ health: text }) => text), href: '/v1/health' };
  const [busiest, second] = timetable ? listBusiestStops(timetable, 2) : [];
  if (!busiest) return [health];
  const board = `/v2/stops/${encodeURIComponent(busiest.id)}/departures`;
  const search = `/v2/stops?query=${encodeURIComponent(busiest.name)}`;
  const trips =
    second && address !== null
      ? [{ label: name(({ trips: to }) => to(second.name)), command: planCommand(address, busiest.id, second.id) }]
      : [];
  return [
    { label: name(({ board: of }) => of(busiest.name)), href: board },
    ...trips,
    { label: name(({ search: text }) => text), href: search },
    health,
  ];
}

function name(choose: (texts: (typeof startTexts)['de']['examples']) => string): Translations<string> {
  return { de: choose(startTexts.de.examples), en: choose(startTexts.en.examples) };
}

function planCommand(address: string, from: string, to: string): string {
  const body: Pick<TripRequest, 'from' | 'to'> = { from: { stopId: from }, to: { stopId: to } };
  return `curl ${quoteShell(`${address}/v2/trips`)} -H 'content-type: application/json' -d ${quoteShell(JSON.stringify(body))}`;
}
