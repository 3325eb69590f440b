import type { Product } from '../../model/product.ts';

const mapLanguages = ['de', 'en'] as const;
/** Kind of network on a map; `rapid`: metro and suburban trains. */
export type MapKind = 'metro' | 'tram' | 'city' | 'rapid' | 'rail';

export type MapLanguage = (typeof mapLanguages)[number];

interface MapTexts {
  readonly kinds: Readonly<Record<MapKind, string>>;
  /** Of lines that are drawn as one. */
  readonly products: Readonly<Partial<Record<Product, string>>>;
  /** Of the towns in `data/lookups/places.csv`. */
  readonly country: string;
  readonly network: string;
  readonly lines: string;
  readonly validFrom: (date: string) => string;
  readonly data: string;
  readonly octilinear: string;
  readonly geographic: string;
  readonly interchange: string;
  readonly stop: string;
  readonly notToScale: string;
}

/** Texts on the maps and in the list of them. */
export const mapTexts: Readonly<Record<MapLanguage, MapTexts>> = {
  de: {
    kinds: {
      metro: 'U-Bahn',
      tram: 'Straßenbahn',
      city: 'U-Bahn und Straßenbahn',
      rapid: 'Schnellverbindungen',
      rail: 'Bahnnetz',
    },
    products: {
      train: 'Fernverkehr',
      regionalTrain: 'Regionalzüge',
      sBahn: 'S-Bahn',
      tram: 'Straßenbahn',
      subway: 'U-Bahn',
    },
    country: 'Österreich',
    network: 'Netz',
    lines: 'Linien',
    validFrom: (date) =>
      `Fahrplan ab ${date
        .split('-')
        .reverse()
        .map(Number)
        .join('. ')
        .replace(/ (\d{4})$/, ' $1')}`,
    data: 'Daten',
    octilinear: 'schematisch',
    geographic: 'lagegetreu',
    interchange: 'Umsteigen',
    stop: 'Haltestelle',
    notToScale: 'nicht maßstäblich',
  },
  en: {
    kinds: {
      metro: 'metro',
      tram: 'trams',
      city: 'metro and trams',
      rapid: 'metro and suburban trains',
      rail: 'railways',
    },
    products: {
      train: 'Long distance',
      regionalTrain: 'Regional trains',
      sBahn: 'S-Bahn',
      tram: 'Trams',
      subway: 'Metro',
    },
    country: 'Austria',
    network: 'Network',
    lines: 'Lines',
    validFrom: (date) => `timetable from ${date}`,
    data: 'Data',
    octilinear: 'schematic',
    geographic: 'true to place',
    interchange: 'change of lines',
    stop: 'stop',
    notToScale: 'not to scale',
  },
};
