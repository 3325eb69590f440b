import { describe, expect, it } from 'vitest';
import { readProjectFile } from '../../../pipeline/effects/project-files.ts';
import { parseMetroStations } from '../../../pipeline/model/metro-stations.ts';

const HEADER = 'diva,name,lines,lat,lon,stop_points';
const ROW = '60209001,Musterplatz,U1 U3,48.2,16.37,9001 9002';

describe('a list of metro stations', () => {
  it('is sorted by number, with any line end', () => {
    const text = `${HEADER}\r\n60209002,Neu Muster,U4,48.1,16.3,9003\r\n${ROW}\r\n`;
    expect(parseMetroStations(text)).toEqual([
      { diva: 60209001, name: 'Musterplatz', lines: ['U1', 'U3'], lat: 48.2, lon: 16.37, stopPoints: [9001, 9002] },
      { diva: 60209002, name: 'Neu Muster', lines: ['U4'], lat: 48.1, lon: 16.3, stopPoints: [9003] },
    ]);
  });

  it.each([
    ['another header', `diva,name\n${ROW}`],
    ['no header', ROW],
    ['a short row', `${HEADER}\n60209001,Musterplatz,U1`],
    ['a surplus value', `${HEADER}\n${ROW},1`],
    ['no name', `${HEADER}\n60209001,,U1,48.2,16.37,9001`],
    ['an invalid number', `${HEADER}\n6020900a,Musterplatz,U1,48.2,16.37,9001`],
    ['swapped coordinates', `${HEADER}\n60209001,Musterplatz,U1,16.37,48.2,9001`],
    ['no stop points', `${HEADER}\n60209001,Musterplatz,U1,48.2,16.37,`],
    ['a station twice', `${HEADER}\n${ROW}\n60209001,Anderer Platz,U1,48.2,16.37,9003`],
    ['a stop point twice', `${HEADER}\n${ROW}\n60209002,Anderer Platz,U1,48.2,16.37,9001`],
  ])('is rejected with %s', (_what, text) => {
    expect(() => parseMetroStations(text)).toThrow(RangeError);
  });
});

it('the list of the project contains all stations of the five lines', async () => {
  const stations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
  const counts = ['U1', 'U2', 'U3', 'U4', 'U6'].map(
    (line) => stations.filter(({ lines }) => lines.includes(line)).length,
  );
  expect(counts).toEqual([24, 20, 21, 20, 24]);
  expect(stations).toHaveLength(98);
  expect(new Set(stations.map(({ name }) => name)).size).toBe(98);
  // Two platforms for each line that calls there.
  for (const { name, lines, stopPoints } of stations) expect(stopPoints.length, name).toBe(2 * lines.length);
});
