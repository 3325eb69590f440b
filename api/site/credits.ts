/** Whose work is shown, as its licence asks to be told. */
export interface Credit {
  readonly what: string;
  readonly author: string;
  readonly href: string;
  readonly licence: string;
  readonly licenceHref: string;
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

/** @param hasStreets whether walks lead along streets */
export function listCredits(hasStreets: boolean): readonly Credit[] {
  return hasStreets ? [metro, streets] : [metro];
}
