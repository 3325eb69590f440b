import { buffer } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import yauzl from 'yauzl';
import { searchStops } from '../../api/engine/search/search.ts';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import type { SearchIndex } from '../../pipeline/model/search-index.ts';
import { buildSearchIndex, type SearchEntry } from '../../pipeline/timetable/snapshot/search-index.ts';

const FEED = `${process.env.TAKTGEBER_REAL_DATA ?? projectPath('../shared/data')}/gtfs/vienna-ubahn.zip`;

let entries: SearchEntry[];
let index: SearchIndex;

beforeAll(async () => {
  entries = readStations(await readEntry(FEED, 'stops.txt'));
  index = buildSearchIndex(entries);
});

async function readEntry(zipFile: string, name: string): Promise<string> {
  const zip = await yauzl.openPromise(zipFile, { lazyEntries: true, autoClose: false });
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName === name) return (await buffer(await zip.openReadStreamPromise(entry))).toString('utf8');
    }
  } finally {
    zip.close();
  }
  throw new Error(`${zipFile} has no ${name}`);
}

// This one file has neither quotes nor line breaks in its values; a station's importance is its number of platforms.
function readStations(csv: string): SearchEntry[] {
  const [header, ...lines] = csv
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/);
  expect(header).toBe('stop_id,stop_name,stop_lat,stop_lon,location_type,parent_station');
  expect(csv).not.toContain('"');
  const rows = lines.map((line) => line.split(','));
  return rows
    .filter((row) => row[4] === '1')
    .map(([id, name]) => ({ name: name!, place: 'Wien', importance: rows.filter((row) => row[5] === id).length }));
}

function search(query: string, limit = 10): string[] {
  const none = { lat: new Float64Array(0), lon: new Float64Array(0) };
  return searchStops(index, query, { limit, coordinates: none }).map(({ entry }) => entries[entry]!.name);
}

describe('ranks the intended station first', () => {
  it.each([
    ['westbf', 'Westbahnhof'],
    ['westbhf', 'Westbahnhof'],
    ['Westbhf.', 'Westbahnhof'],
    ['west bahnhof', 'Westbahnhof'],
    ['WESTBAHNHOF', 'Westbahnhof'],
    ['Wien Westbahnhof', 'Westbahnhof'],
    ['westbanhof', 'Westbahnhof'],
    ['wetsbahnhof', 'Westbahnhof'],
    ['vestbahnhof', 'Westbahnhof'],
    ['Wien Hbf', 'Südtiroler Pl. - Hbf.'],
    ['wien', 'Südtiroler Pl. - Hbf.'],
    ['hauptbahnhof', 'Südtiroler Pl. - Hbf.'],
    ['Hbf', 'Südtiroler Pl. - Hbf.'],
    ['südtiroler platz', 'Südtiroler Pl. - Hbf.'],
    ['suedtirolerplatz', 'Südtiroler Pl. - Hbf.'],
    ['sudtiroler', 'Südtiroler Pl. - Hbf.'],
    ['praterstern', 'Praterstern'],
    ['prater stern', 'Praterstern'],
    ['praterst', 'Praterstern'],
    ['Pratterstern', 'Praterstern'],
    ['prätersterm', 'Praterstern'],
    ['stern', 'Praterstern'],
    ['landstrasse', 'Landstraße'],
    ['Landstraße', 'Landstraße'],
    ['LANDSTRASSE', 'Landstraße'],
    ['landstr', 'Landstraße'],
    ['Landstr.', 'Landstraße'],
    ['land strasse', 'Landstraße'],
    ['schwedenpl', 'Schwedenplatz'],
    ['schweden platz', 'Schwedenplatz'],
    ['schwedn', 'Schwedenplatz'],
    ['stefansplatz', 'Stephansplatz'],
    ['stephanspl.', 'Stephansplatz'],
    ['Stepahnsplatz', 'Stephansplatz'],
    ['karls platz', 'Karlsplatz'],
    ['Wien Karlsplatz', 'Karlsplatz'],
    ['karlsplatz wien', 'Karlsplatz'],
    ['kagran', 'Kagran'],
    ['kagraner', 'Kagraner Platz'],
    ['Währinger Strasse', 'Währinger Str.-Volksoper'],
    ['waehringerstr', 'Währinger Str.-Volksoper'],
    ['volksoper', 'Währinger Str.-Volksoper'],
    ['AKH', 'Michelbeuern-AKH'],
    ['VIC', 'Kaisermühlen-VIC'],
    ['kaisermuehlen', 'Kaisermühlen-VIC'],
    ['ober sankt veit', 'Ober St. Veit'],
    ['unter st veit', 'Unter St. Veit'],
    ['rossauer laende', 'Roßauer Lände'],
    ['grossfeldsiedlung', 'Großfeldsiedlung'],
    ['nussdorferstrasse', 'Nußdorfer Straße'],
    ['Zieglerg.', 'Zieglergasse'],
    ['kettenbrueckeng', 'Kettenbrückengasse'],
    ['Kard. Nagl Platz', 'Kardinal-Nagl-Platz'],
    ['schönbrun', 'Schönbrunn'],
    ['shottentor', 'Schottentor'],
    ['tor', 'Stubentor'],
    ['step', 'Stephansplatz'],
    ['nusdorfer', 'Nußdorfer Straße'],
    ['messe', 'Messe-Prater'],
    ['neue donau', 'Neue Donau'],
    ['donauinsl', 'Donauinsel'],
    ['meidling hauptstr', 'Meidling Hauptstraße'],
    ['stadthalle', 'Burggasse-Stadthalle'],
    ['xqzjw praterstern', 'Praterstern'],
  ])('%s', (query, expected) => {
    expect(search(query)[0]).toBe(expected);
  });
});

describe('finds nothing for nonsense', () => {
  it.each(['xqzjw', 'asdfghjkl', 'qqqqqq', '12345678', 'uno city', '???', '', '   ', '.-/', '🚇', '\ud800'])(
    '%s',
    (query) => {
      expect(search(query)).toEqual([]);
    },
  );
});

describe('every station', () => {
  it('is the first result for its name in any spelling', () => {
    for (const { name } of entries) {
      const spelledOut = name.replace(/ä/g, 'ae').replace(/ö/g, 'oe').replace(/ü/g, 'ue').replace(/ß/g, 'ss');
      const bare = name.normalize('NFD').replace(/\p{M}/gu, '').replace(/ß/g, 'ss');
      for (const spelling of [name, name.toUpperCase(), spelledOut, bare, `Wien ${name}`, `${name}, Wien`]) {
        expect(search(spelling)[0], spelling).toBe(name);
      }
    }
  });

  it('is among the first ten results for its name with one typing error', () => {
    const long = entries.filter(({ name }) => name.length >= 6);
    const missed = long.flatMap(({ name }) => listMistypings(name).filter((wrong) => !search(wrong).includes(name)));
    expect(missed).toEqual([]);
  });

  it('its name is found at every step of typing, from the fourth letter on', () => {
    for (const { name } of entries) {
      for (let length = 4; length <= name.length; length++) {
        expect(search(name.slice(0, length)), name.slice(0, length)).toContain(name);
      }
    }
  });
});

function listMistypings(name: string): string[] {
  return Array.from(name, (_, i) => {
    const [head, here, next, tail] = [name.slice(0, i), name.charAt(i), name.charAt(i + 1), name.slice(i + 2)];
    const wrongLetters = Array.from('aehnrsx', (letter) => [
      head + letter + next + tail,
      head + letter + here + next + tail,
    ]);
    return [head + next + tail, head + next + here + tail, ...wrongLetters.flat()];
  }).flat();
}
