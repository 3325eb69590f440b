import type { Translations } from '../texts/languages.ts';
import { shellTexts } from '../texts/shell.ts';

/** Attribution that the licence of shown data requires. */
export interface Credit {
  readonly what: Translations<string>;
  readonly author: string;
  /** null: unknown. */
  readonly href: string | null;
  /** null: unknown. */
  readonly licence: string | null;
  readonly licenceHref: string | null;
}

/** Origin of the shown data. */
export interface DataOrigin {
  /** Whether the data is simulated, which riders must know. */
  readonly isMadeUp: boolean;
  readonly credits: readonly Credit[];
}

/** The only lookup that is used in every configuration, see data/lookups/README.md. */
const metroStations: Credit = {
  what: {
    de: 'Liste der Stationen der Wiener U-Bahn, ihre Nummern, Namen und Orte',
    en: "List of the stations of Vienna's underground, their numbers, names and places",
  },
  author: 'Stadt Wien - data.wien.gv.at',
  href: 'https://data.wien.gv.at',
  licence: 'CC BY 4.0',
  licenceHref: 'https://creativecommons.org/licenses/by/4.0/',
};

const streets: Credit = {
  what: { de: 'Fußwege', en: 'Ways on foot' },
  author: '© OpenStreetMap contributors',
  href: 'https://www.openstreetmap.org/copyright',
  licence: 'ODbL',
  licenceHref: 'https://opendatacommons.org/licenses/odbl/1-0/',
};

/** A source of timetables or realtime, with the credits of its configuration. */
export interface CreditedSource {
  readonly id: string;
  readonly attribution: string | null;
  readonly licence: string | null;
  /** Whether it is the built-in sample; default: false. */
  readonly isMadeUp?: boolean;
}

/** Links to licence texts. */
const licencePages: Readonly<Record<string, string>> = {
  'CC BY 4.0': 'https://creativecommons.org/licenses/by/4.0/',
  'CC0 1.0': 'https://creativecommons.org/publicdomain/zero/1.0/',
  ODbL: 'https://opendatacommons.org/licenses/odbl/1-0/',
};

/**
 * @param hasStreets whether walks follow streets
 * @param sources sources without attribution are left out, equal credits are listed once
 */
export function findOrigin(hasStreets: boolean, sources: readonly CreditedSource[]): DataOrigin {
  const credits = [...creditSources(sources), metroStations, ...(hasStreets ? [streets] : [])];
  return { isMadeUp: sources.some(({ isMadeUp }) => isMadeUp === true), credits };
}

/** The credits as English sentences, for documents such as OpenAPI. */
export function describeOrigin({ isMadeUp, credits }: DataOrigin): readonly string[] {
  const link = (text: string, href: string | null) => (href === null ? text : `${text} (${href})`);
  const sentences = credits.map(({ what, author, href, licence, licenceHref }) => {
    const terms = licence === null ? '' : `, licence ${link(licence, licenceHref)}`;
    return `${what.en}: ${link(author, href)}${terms}.`;
  });
  return isMadeUp ? [shellTexts.en.madeUp, ...sentences] : sentences;
}

function creditSources(sources: readonly CreditedSource[]): readonly Credit[] {
  const byAuthor = new Map<string, Credit>();
  for (const { id, attribution, licence } of sources) {
    if (attribution === null) continue;
    const key = JSON.stringify([attribution, licence]);
    const known = byAuthor.get(key);
    const what = known
      ? { de: `${known.what.de}, ${id}`, en: `${known.what.en}, ${id}` }
      : { de: `Daten von ${id}`, en: `Data of ${id}` };
    const licenceHref = (licence && licencePages[licence]) ?? null;
    byAuthor.set(key, { what, author: attribution, href: null, licence, licenceHref });
  }
  return [...byAuthor.values()];
}
