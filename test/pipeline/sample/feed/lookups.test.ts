import { describe, expect, it } from 'vitest';
import { readProjectFile } from '../../../../pipeline/effects/project-files.ts';
import { parseCsv } from '../../../../pipeline/sample/feed/csv.ts';
import { parseSampleLookups } from '../../../../pipeline/sample/feed/lookups.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { timetablePatterns } from '../../../../pipeline/sample/feed/sample-trips.ts';

const places = 'place,diva,name,lat,lon\na,,A,48,16\nb,,B,48.1,16\n';
const lines =
  'line,label,name,agency,mode,route_type,color,text_color,timetable\nl,L,L,wien,tram,0,FF0000,FFFFFF,tram\n';

describe('throws for an error in the lookups', () => {
  it.each([
    ['an unknown place', 'l,1,a,,\nl,2,c,,\n'],
    ['an unknown line', 'l,1,a,,\nl,2,b,,\nm,1,a,,\n'],
    ['a gap in the sequence', 'l,1,a,,\nl,3,b,,\n'],
    ['a line with one call', 'l,1,a,,\n'],
  ])('%s', (_what, calls) => {
    const lineCalls = `line,sequence,place,minutes,note\n${calls}`;
    expect(() => parseSampleLookups({ places, lines, lineCalls })).toThrow(RangeError);
  });
});

describe('the lookups in the project', () => {
  it('give each place a unique id, a name and coordinates', async () => {
    const { places: known } = await readSampleLookups();
    expect(new Set(known.map(({ id }) => id)).size).toBe(known.length);
    for (const place of known) {
      expect(place.name).not.toBe('');
      expect(Number.isFinite(place.lat) && Number.isFinite(place.lon)).toBe(true);
      if (place.diva) expect(place.id.split(':')[2]).toBe(String(Number(place.diva.slice(3))));
    }
  });

  it('give each line colours, a timetable, and minutes for all calls or none', async () => {
    const { lines: known } = await readSampleLookups();
    expect(new Set(known.map(({ id }) => id)).size).toBe(known.length);
    for (const line of known) {
      expect(line.color).toMatch(/^[0-9A-F]{6}$/);
      expect(line.textColor).toMatch(/^(FFFFFF|000000)$/);
      expect(timetablePatterns).toHaveProperty(line.timetable);
      const minutes = line.calls.map((call) => call.minutes);
      const isRising = minutes.every((value, i) => value !== null && (i === 0 || value > minutes[i - 1]!));
      expect(isRising || minutes.every((value) => value === null), line.id).toBe(true);
    }
  });

  it('use every timetable', async () => {
    const { lines: known } = await readSampleLookups();
    expect(new Set(known.map(({ timetable }) => timetable))).toEqual(new Set(Object.keys(timetablePatterns)));
  });
});

it('places.csv has each town once, with a centre in or near Austria and a plausible radius', async () => {
  const towns = parseCsv(await readProjectFile('data/lookups/places.csv'));
  expect(Object.keys(towns[0]!)).toEqual(['name', 'lat', 'lon', 'radius_km', 'other_names']);
  expect(new Set(towns.map(({ name }) => name)).size).toBe(towns.length);
  for (const { name, lat, lon, radius_km } of towns) {
    const isInBox = Number(lat) > 46.37 && Number(lat) < 49.03 && Number(lon) > 9.52 && Number(lon) < 17.17;
    expect(isInBox && Number(radius_km) >= 1 && Number(radius_km) <= 16, name).toBe(true);
  }
  expect(towns.map(({ name }) => name)).toEqual(expect.arrayContaining(['Wien', 'Graz', 'Linz', 'Bregenz', 'Krems']));
});
