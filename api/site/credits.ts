/** Whose work is shown, as its licence asks to be told. */
export interface Credit {
  readonly what: string;
  readonly author: string;
  /** null: no page of theirs is known. */
  readonly href: string | null;
  /** null: it is not known. */
  readonly licence: string | null;
  readonly licenceHref: string | null;
}

/** Where what is shown comes from. */
export interface DataOrigin {
  /** Whether nobody ever ran what is shown, and who looks for a train has to be told so. */
  readonly isMadeUp: boolean;
  readonly credits: readonly Credit[];
}

/** Plain enough for somebody who reads nothing else. */
export const MADE_UP_NOTICE =
  'This is a demonstration. Timetable, delays, disruptions, vehicles and history are made up: simulated by Taktgeber, ' +
  'reported by no operator. No real feed is configured.';

/** The one fact of a publisher that is there whatever is configured: see data/lookups/README.md. */
const metroStations: Credit = {
  what: "List of the stations of Vienna's underground, their numbers, names and places",
  author: 'Stadt Wien - data.wien.gv.at',
  href: 'https://data.wien.gv.at',
  licence: 'CC BY 4.0',
  licenceHref: 'https://creativecommons.org/licenses/by/4.0/',
};

const streets: Credit = {
  what: 'Ways on foot',
  author: '© OpenStreetMap contributors',
  href: 'https://www.openstreetmap.org/copyright',
  licence: 'ODbL',
  licenceHref: 'https://opendatacommons.org/licenses/odbl/1-0/',
};

/** A source of timetables or realtime, as its configuration credits it. */
export interface CreditedSource {
  readonly id: string;
  readonly attribution: string | null;
  readonly licence: string | null;
  /** Whether it is the built-in sample; absent: it is not. */
  readonly isMadeUp?: boolean;
}

/** Where the texts of licences are to be read. */
const licencePages: Readonly<Record<string, string>> = {
  'CC BY 4.0': 'https://creativecommons.org/licenses/by/4.0/',
  'CC0 1.0': 'https://creativecommons.org/publicdomain/zero/1.0/',
  ODbL: 'https://opendatacommons.org/licenses/odbl/1-0/',
};

/**
 * @param hasStreets whether walks lead along streets
 * @param sources those whose authors are not known are left out; equal credits are told once
 */
export function findOrigin(hasStreets: boolean, sources: readonly CreditedSource[]): DataOrigin {
  const credits = [...creditSources(sources), metroStations, ...(hasStreets ? [streets] : [])];
  return { isMadeUp: sources.some(({ isMadeUp }) => isMadeUp === true), credits };
}

/** What a document without pages says of it, a sentence each. */
export function describeOrigin({ isMadeUp, credits }: DataOrigin): readonly string[] {
  const link = (text: string, href: string | null) => (href === null ? text : `${text} (${href})`);
  const sentences = credits.map(({ what, author, href, licence, licenceHref }) => {
    const terms = licence === null ? '' : `, licence ${link(licence, licenceHref)}`;
    return `${what}: ${link(author, href)}${terms}.`;
  });
  return isMadeUp ? [MADE_UP_NOTICE, ...sentences] : sentences;
}

function creditSources(sources: readonly CreditedSource[]): readonly Credit[] {
  const byAuthor = new Map<string, Credit>();
  for (const { id, attribution, licence } of sources) {
    if (attribution === null) continue;
    const key = JSON.stringify([attribution, licence]);
    const known = byAuthor.get(key);
    const what = known ? `${known.what}, ${id}` : `Data of ${id}`;
    const licenceHref = (licence && licencePages[licence]) ?? null;
    byAuthor.set(key, { what, author: attribution, href: null, licence, licenceHref });
  }
  return [...byAuthor.values()];
}
