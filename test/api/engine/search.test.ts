import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type SearchOptions, searchStops } from '../../../api/engine/search/search.ts';
import { buildSearchIndex, type SearchEntry } from '../../../pipeline/timetable/snapshot/search-index.ts';

interface Stop extends SearchEntry {
  readonly at?: readonly [lat: number, lon: number];
}

const stop = (name: string, place: string | null, importance: number, at?: readonly [number, number]): Stop =>
  at ? { name, place, importance, at } : { name, place, importance };

// Importance is invented: the logarithm of departures per day.
const AUSTRIA: readonly Stop[] = [
  stop('Wien Hbf', 'Wien', 7.3, [48.1852, 16.3761]),
  stop('Wien Mitte-Landstraße', 'Wien', 7.2, [48.2063, 16.3848]),
  stop('Wien Westbahnhof', 'Wien', 6.6, [48.1966, 16.3387]),
  stop('Wien Meidling', 'Wien', 7, [48.1747, 16.3338]),
  stop('Wien Praterstern', 'Wien', 7.1, [48.2186, 16.3921]),
  stop('Wien Karlsplatz', 'Wien', 6.9, [48.2006, 16.3695]),
  stop('Wien Oper/Karlsplatz', 'Wien', 6.4, [48.2022, 16.3699]),
  stop('Wien Mariahilfer Straße', 'Wien', 5, [48.1989, 16.3523]),
  stop('Wien Linzer Straße', 'Wien', 4, [48.1953, 16.2947]),
  stop('Graz Hbf', 'Graz', 6.3, [47.0723, 15.4166]),
  stop('Graz Jakominiplatz', 'Graz', 6.8, [47.0672, 15.4422]),
  stop('Graz Hauptplatz/Congress', 'Graz', 6.2, [47.0711, 15.4383]),
  stop('Graz Don Bosco', 'Graz', 5, [47.0591, 15.418]),
  stop('Linz/Donau Hbf', 'Linz', 6.2, [48.2903, 14.2919]),
  stop('Linz Hauptplatz', 'Linz', 6, [48.3058, 14.2866]),
  stop('Linz Mozartkreuzung', 'Linz', 6.1, [48.302, 14.2905]),
  stop('Salzburg Hbf', 'Salzburg', 6.5, [47.8129, 13.0459]),
  stop('Salzburg Mirabellplatz', 'Salzburg', 6.4, [47.806, 13.042]),
  stop('Salzburger Straße', 'Braunau am Inn', 2, [48.2522, 13.0361]),
  stop('St. Pölten Hbf', 'St. Pölten', 5.9, [48.2083, 15.6241]),
  stop('St. Pölten Europaplatz', 'St. Pölten', 5, [48.2009, 15.6217]),
  stop('St. Anton am Arlberg Bahnhof', 'St. Anton am Arlberg', 4, [47.128, 10.2685]),
  stop('St. Anton am Arlberg Galzigbahn', 'St. Anton am Arlberg', 4.2, [47.129, 10.268]),
  stop('Innsbruck Hauptbahnhof', 'Innsbruck', 6.1, [47.2633, 11.4009]),
  stop('Innsbruck Marktplatz', 'Innsbruck', 6.3, [47.2686, 11.3906]),
  stop('Innsbruck Westbahnhof', 'Innsbruck', 4.9, [47.2572, 11.3889]),
  stop('Klagenfurt am Wörthersee Hbf', 'Klagenfurt am Wörthersee', 5.6, [46.6158, 14.3132]),
  stop('Villach Hbf', 'Villach', 5.5, [46.6184, 13.8484]),
  stop('Bregenz Bahnhof', 'Bregenz', 5.3, [47.5028, 9.7399]),
  stop('Bregenz Hafen', 'Bregenz', 4.8, [47.5046, 9.7466]),
  stop('Bregenz Riedenburg', 'Bregenz', 4.4, [47.4996, 9.7216]),
  stop('Wels Hbf', 'Wels', 5.5, [48.166, 14.0264]),
  stop('Attnang-Puchheim', null, 5, [48.0123, 13.7211]),
  stop('Schwarzach-St. Veit', null, 4.5, [47.3203, 13.1533]),
  stop('Hauptplatz', 'Lienz', 3, [46.8296, 12.769]),
  stop('Lienz Bahnhof', 'Lienz', 4, [46.8278, 12.7704]),
  stop('Flughafen Wien', 'Schwechat', 6.1, [48.1206, 16.5633]),
  stop('Wiener Neustadt Hbf', 'Wiener Neustadt', 5.8, [47.8114, 16.2337]),
  stop('Neusiedl am See', 'Neusiedl am See', 4.2),
];

function engineOf(stops: readonly Stop[]) {
  const index = buildSearchIndex(stops);
  const coordinates = {
    lat: Float64Array.from(stops, ({ at }) => at?.[0] ?? Number.NaN),
    lon: Float64Array.from(stops, ({ at }) => at?.[1] ?? Number.NaN),
  };
  const results = (query: string, options: Partial<SearchOptions> = {}) =>
    searchStops(index, query, { limit: 10, coordinates, ...options });
  const names = (query: string, options: Partial<SearchOptions> = {}) =>
    results(query, options).map(({ entry }) => stops[entry]!.name);
  return { results, names };
}

const austria = engineOf(AUSTRIA);
const withoutPlaces = engineOf(AUSTRIA.map((entry) => ({ ...entry, place: null })));

describe('ranks the intended stop first, with and without places', () => {
  it.each([
    ['wien', 'Wien Hbf'],
    ['Graz', 'Graz Hbf'],
    ['linz', 'Linz/Donau Hbf'],
    ['salzburg', 'Salzburg Hbf'],
    ['sankt pölten', 'St. Pölten Hbf'],
    ['st poelten', 'St. Pölten Hbf'],
    ['innsbruck', 'Innsbruck Hauptbahnhof'],
    ['bregenz', 'Bregenz Bahnhof'],
    ['villach', 'Villach Hbf'],
    ['klagenfurt', 'Klagenfurt am Wörthersee Hbf'],
    ['St. Anton', 'St. Anton am Arlberg Bahnhof'],
    ['wiener neustadt', 'Wiener Neustadt Hbf'],
    ['Wien Hbf', 'Wien Hbf'],
    ['wien hauptbahnhof', 'Wien Hbf'],
    ['hbf wien', 'Wien Hbf'],
    ['Linz Hbf', 'Linz/Donau Hbf'],
    ['linz donau', 'Linz/Donau Hbf'],
    ['Innsbruck Hbf', 'Innsbruck Hauptbahnhof'],
    ['insbruck hbf', 'Innsbruck Hauptbahnhof'],
    ['Graz Hauptplatz', 'Graz Hauptplatz/Congress'],
    ['Graz Jakominipl', 'Graz Jakominiplatz'],
    ['jakomini platz', 'Graz Jakominiplatz'],
    ['donbosco', 'Graz Don Bosco'],
    ['lienz', 'Lienz Bahnhof'],
    ['landstrasse', 'Wien Mitte-Landstraße'],
    ['wien mitte', 'Wien Mitte-Landstraße'],
    ['westbf', 'Wien Westbahnhof'],
    ['innsbruck westbf', 'Innsbruck Westbahnhof'],
    ['karlsplatz', 'Wien Karlsplatz'],
    ['karlspaltz', 'Wien Karlsplatz'],
    ['mariahilferstr.', 'Wien Mariahilfer Straße'],
    ['Mariahilfer Str', 'Wien Mariahilfer Straße'],
    ['attnang', 'Attnang-Puchheim'],
    ['puchheim', 'Attnang-Puchheim'],
    ['schwarzach st veit', 'Schwarzach-St. Veit'],
    ['wörthersee', 'Klagenfurt am Wörthersee Hbf'],
    ['flughafen', 'Flughafen Wien'],
    ['flugafen wien', 'Flughafen Wien'],
    ['neusiedl', 'Neusiedl am See'],
    ['neusiedl amsee', 'Neusiedl am See'],
  ])('%s', (query, expected) => {
    expect(austria.names(query)[0]).toBe(expected);
    expect(withoutPlaces.names(query)[0]).toBe(expected);
  });

  it('finds a name without its town through the place', () => {
    expect(austria.names('hauptplatz lienz')[0]).toBe('Hauptplatz');
    expect(austria.names('lienz hauptpl')[0]).toBe('Hauptplatz');
  });

  it('still finds the rest of a query with an unknown town, at a lower score', () => {
    const { names } = engineOf([stop('Hauptbahnhof', null, 1), stop('Messe', null, 1)]);
    expect(names('Wien Hbf')).toEqual(['Hauptbahnhof']);
  });
});

describe('finds nothing for nonsense', () => {
  it.each(['xqzjw', 'asdfghjkl', 'qqqqqq', '12345678', 'xyz', '-', ' ', '', 'qwertz uiop'])('"%s"', (query) => {
    expect(austria.names(query)).toEqual([]);
  });
});

describe('ranks the better match higher', () => {
  const { names } = engineOf(
    // Listed from worst to best, with most traffic for the worst.
    ['Sternn', 'Sternwartestraße', 'Praterstern', 'Sterngasse', 'Stern am Berg', 'Stern'].map((name, i) =>
      stop(name, null, 6 - i),
    ),
  );

  it('exact name, exact word, beginning, end of a compound', () => {
    expect(names('stern').slice(0, 2)).toEqual(['Stern', 'Stern am Berg']);
    expect(names('stern').at(-1)).toBe('Praterstern');
  });

  it('requires the whole word for a finished word', () => {
    const { names: two } = engineOf([stop('Bergstation', null, 9), stop('Am Berg', null, 1)]);
    expect(two('berg ')).toEqual(['Am Berg', 'Bergstation']);
  });

  it('ranks the stations of a town above stops that are named after them', () => {
    const near = [stop('Hauptbahnhof Ost', 'Wien', 5), stop('Bhf. Meidling, Eichenstraße', 'Wien', 4)];
    const stations = [
      stop('Wien Meidling', 'Wien', 7),
      stop('Wien Westbahnhof', 'Wien', 6.6),
      stop('Wien Hbf', 'Wien', 7.3),
    ];
    const { names: town } = engineOf([...near, ...stations]);
    expect(town('wien')).toEqual([
      'Wien Hbf',
      'Wien Westbahnhof',
      'Wien Meidling',
      'Hauptbahnhof Ost',
      'Bhf. Meidling, Eichenstraße',
    ]);
  });

  it('ranks a name as typed above one with a typing error', () => {
    const { names: two } = engineOf([stop('Linz', null, 9), stop('Lienz', null, 0)]);
    expect(two('lienz')[0]).toBe('Lienz');
  });

  it('sorts equal matches by importance, then name, then entry', () => {
    const { results } = engineOf([
      stop('Kirche', 'Weidling', 1),
      stop('Kirche', 'Aspern', 1),
      stop('Kirche', 'Baden', 2),
      stop('Kirchberg', null, 1),
      stop('Kirchdorf', null, 1),
      stop('Kirchau', null, 1),
    ]);
    expect(
      results('kirche')
        .slice(0, 3)
        .map(({ entry }) => entry),
    ).toEqual([2, 0, 1]);
    expect(
      results('kirch')
        .slice(-2)
        .map(({ entry }) => entry),
    ).toEqual([3, 4]);
  });
});

describe('near the traveller', () => {
  const wien = { lat: 48.2082, lon: 16.3738 };
  const lienz = { lat: 46.83, lon: 12.77 };
  const graz = { lat: 47.07, lon: 15.43 };

  it('sorts equal matches by distance', () => {
    expect(austria.names('hauptpl', { bias: graz })[0]).toBe('Graz Hauptplatz/Congress');
    expect(austria.names('hauptpl', { bias: lienz })[0]).toBe('Hauptplatz');
    expect(austria.names('westbahnhof', { bias: { lat: 47.26, lon: 11.39 } })[0]).toBe('Innsbruck Westbahnhof');
    expect(austria.names('westbahnhof', { bias: wien })[0]).toBe('Wien Westbahnhof');
  });

  it('ranks an exact match above a poor one nearby', () => {
    expect(austria.names('linz', { bias: lienz })[0]).toBe('Linz/Donau Hbf');
    expect(austria.names('Innsbruck Hbf', { bias: wien })[0]).toBe('Innsbruck Hauptbahnhof');
    for (const { name, place } of AUSTRIA) {
      for (const { at } of AUSTRIA) {
        if (!at) continue;
        const query = place === null || name.startsWith(place) ? name : `${name} ${place}`;
        expect(austria.names(query, { bias: { lat: at[0], lon: at[1] } })[0]).toBe(name);
      }
    }
  });

  it('still finds a stop without coordinates', () => {
    expect(austria.names('neusiedl am see', { bias: wien })[0]).toBe('Neusiedl am See');
  });

  it('ranks the same results first with any limit', () => {
    for (const query of ['hauptplatz', 'wien', 'h', 'bahnhof']) {
      const all = austria.results(query, { limit: 50, bias: lienz });
      expect(austria.results(query, { limit: 3, bias: lienz })).toEqual(all.slice(0, 3));
    }
  });
});

describe('for any stops and query', () => {
  const HEADS = [
    'Ober',
    'Unter',
    'Neu',
    'Groß',
    'Kirch',
    'Mühl',
    'Stein',
    'Stephans',
    'Maria',
    'Rosen',
    'Löwen',
    'Prater',
  ];
  const TAILS = ['dorf', 'bach', 'feld', 'au', 'platz', 'straße', 'gasse', 'bahnhof', 'stern', 'tor', 'weg', 'lände'];
  const WORDS = ['Wien', 'Graz', 'St.', 'Bad', 'Hbf', 'am', 'See', 'Str.', 'Nord', 'Mitte', 'Pl.', 'Schule', '12'];
  const compound = fc.tuple(fc.constantFrom(...HEADS), fc.constantFrom(...TAILS)).map(([head, tail]) => head + tail);
  const stopName = fc
    .tuple(compound, fc.array(fc.oneof(compound, fc.constantFrom(...WORDS)), { maxLength: 3 }))
    .map(([first, rest]) => [first, ...rest].join(' '));
  const stops = fc.uniqueArray(
    fc.record({ name: stopName, place: fc.constantFrom(null, 'Wien', 'Bad Aussee'), importance: fc.nat(9) }),
    { minLength: 1, maxLength: 30, selector: ({ name }) => name },
  );
  const query = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc.string({ unit: fc.constantFrom(...'aeioubhfstrplwn. -'), maxLength: 100 }),
  );

  it('throws nothing, repeats nothing, respects the limit and the order', () => {
    fc.assert(
      fc.property(stops, query, fc.integer({ min: 0, max: 50 }), (list, text, limit) => {
        const { results } = engineOf(list);
        const found = results(text, { limit });
        expect(found.length).toBeLessThanOrEqual(limit);
        expect(new Set(found.map(({ entry }) => entry)).size).toBe(found.length);
        for (const { entry, score } of found) {
          expect(list[entry]).toBeDefined();
          expect(score).toBeGreaterThan(0);
        }
        expect(found).toEqual(results(text, { limit: 50 }).slice(0, limit));
        const scores = found.map(({ score }) => score);
        expect(scores).toEqual([...scores].sort((a, b) => b - a));
      }),
      { numRuns: 500 },
    );
  });

  it('every stop is found by its own name, with either spelling of umlauts, before differently named stops', () => {
    const sameWords = (name: string) => name.toLowerCase().split(' ').sort().join(' ');
    fc.assert(
      fc.property(stops, (list) => {
        const { names } = engineOf(list);
        for (const { name } of list) {
          const spelledOut = name.replace(/ö/g, 'oe').replace(/ü/g, 'ue').replace(/ä/g, 'ae').replace(/ß/g, 'ss');
          expect(names(spelledOut, { limit: 50 })).toEqual(names(name, { limit: 50 }));
          const ahead = names(name, { limit: 50 });
          expect(ahead).toContain(name);
          // Names of the same words, and those that differ only in their place, count as equal.
          const withoutPlace = (text: string) => sameWords(text.replace(/\b(Wien|Bad)\b ?/g, '').trim());
          for (const better of ahead.slice(0, ahead.indexOf(name)))
            expect(withoutPlace(better)).toBe(withoutPlace(name));
        }
      }),
    );
  });

  it('a stop is found by its name with a typing error among the first ten', () => {
    const kinds = ['leave out', 'add', 'replace', 'swap'] as const;
    const mistype = fc.tuple(stops, fc.nat(), fc.nat(), fc.constantFrom(...kinds), fc.constantFrom(...'aehnrsx'));
    fc.assert(
      fc.property(mistype, ([list, which, where, kind, letter]) => {
        const { name } = list[which % list.length]!;
        const i = where % (name.length - 1);
        const [head, here, next, tail] = [name.slice(0, i), name.charAt(i), name.charAt(i + 1), name.slice(i + 2)];
        const middle = { 'leave out': next, add: letter + here + next, replace: letter + next, swap: next + here }[
          kind
        ];
        expect(engineOf(list).names(head + middle + tail)).toContain(name);
      }),
      // Not guaranteed (an error can turn one name into another), hence the fixed seed.
      { numRuns: 5000, seed: 20_251_026 },
    );
  });
});
