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

const metro: Credit = {
  what: 'Realtime data of the Vienna metro',
  author: 'Stadt Wien, data.wien.gv.at',
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
export function listCredits(hasStreets: boolean, sources: readonly CreditedSource[]): readonly Credit[] {
  return [metro, ...(hasStreets ? [streets] : []), ...creditSources(sources)];
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
