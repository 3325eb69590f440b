import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { readProjectFile } from '../../pipeline/effects/project-files.ts';
import { type MetroStation, parseMetroStations } from '../../pipeline/model/metro-stations.ts';
import type { SourceUpdate } from '../../pipeline/model/realtime.ts';
import { type Instant, parseTimestamp } from '../../pipeline/model/service-time.ts';
import { parseStopPoints } from '../../pipeline/sources/wiener-linien/parse-stop-points.ts';
import { createWienerLinienSource } from '../../pipeline/sources/wiener-linien/wiener-linien-source.ts';
import { realData } from '../support/worlds/real-data.ts';

const FOLDER = 'upstream/wienerlinien';

/** Reads a recording as if it had been fetched a second after it was made. */
async function readRecording(
  file: string,
  part: 'monitor-1' | 'traffic-info' | 'news',
  fetched: string,
  stations: readonly number[] = [60200000],
): Promise<SourceUpdate> {
  const source = createWienerLinienSource({ stations });
  const request = source.listRequests(0 as Instant).find((one) => one.part === part)!;
  return source.parse(await readFile(realData(`${FOLDER}/${file}`)), request, parseTimestamp(fetched)!);
}

function countDepartures({ trips }: SourceUpdate) {
  return {
    departures: trips.length,
    forecasts: trips.filter(({ calls }) => calls[0]!.departure!.time !== null).length,
    products: [...new Set(trips.map(({ trip }) => trip.product))],
  };
}

it('reads all platforms of the register, and counts missing fields', async () => {
  const { stops, problems, recordCount } = parseStopPoints(
    await readFile(realData(`${FOLDER}/csv/wienerlinien-ogd-haltepunkte.csv`)),
    'wl',
  );
  const counts = new Map<string, number>();
  for (const { code } of problems) counts.set(code, (counts.get(code) ?? 0) + 1);
  expect([recordCount, stops.length]).toEqual([5122, 5122]);
  expect(Object.fromEntries(counts)).toEqual({
    stop_point_without_diva: 548,
    stop_point_without_name: 32,
    stop_point_without_place: 548,
  });
});

describe('reads every recorded monitor completely', () => {
  it.each([
    ['tuwrraphael_rbl565.json', '2019-04-22T14:52:19+02:00', 20, 13, ['cityBus', 'tram']],
    ['rolandzeiner_monitor_tram.json', '2026-04-20T14:39:19+02:00', 5, 5, ['cityBus']],
    ['rolandzeiner_monitor_stephansplatz.json', '2026-04-20T14:39:04+02:00', 45, 45, ['subway']],
  ])('%s', async (file, fetched, departures, forecasts, products) => {
    const update = await readRecording(file, 'monitor-1', fetched);
    expect(countDepartures(update)).toEqual({ departures, forecasts, products });
    expect(update).toMatchObject({ isFrozen: false, recordCount: departures, problems: [], alerts: [] });
    for (const { trip, calls } of update.trips) {
      expect(trip.lineLabel && trip.headsign).toBeTruthy();
      expect(calls[0]!.stop).toMatchObject({ idSpace: 'diva', id: expect.stringMatching(/^6020\d{4}$/) });
      expect(calls[0]!.departure!.isMeasured).toBe(false);
    }
  });

  it('a vehicle may go elsewhere than its line', async () => {
    const old = await readRecording('tuwrraphael_rbl565.json', 'monitor-1', '2019-04-22T14:52:19+02:00');
    const headsigns = old.trips.map(({ trip }) => `${trip.lineLabel} ${trip.headsign}`);
    expect([...new Set(headsigns)]).toEqual([
      '48A Baumgartner Höhe',
      '48A Baumgartner Höhe, Pulmologisches Zentrum',
      '46 Joachimsthalerplatz',
      '10 Unter St. Veit',
      '10 Hummelgasse',
    ]);
  });

  it('the board of a station has both directions', async () => {
    const file = 'rolandzeiner_monitor_stephansplatz.json';
    const { stationBoards } = await readRecording(file, 'monitor-1', '2026-04-20T14:39:04+02:00', [60201320]);
    expect(stationBoards).toMatchObject([{ station: '60201320', isFrozen: false, departures: { length: 45 } }]);
    const towards = stationBoards[0]!.departures.map((departure) => departure.towards);
    expect([...new Set(towards)].sort()).toEqual(['Alaudagasse', 'Leopoldau', 'Oberlaa']);
  });
});

describe('the recording of a frozen feed', () => {
  const FILE = 'rolandzeiner_monitor_stale_metro.transcribed.json';
  const STATIONS = [60200657, 60201320, 60201430];

  it('is detected by its scheduled times, per line: the bus of the same response is live', async () => {
    const update = await readRecording(FILE, 'monitor-1', '2026-08-29T19:11:48+02:00', STATIONS);
    expect(countDepartures(update)).toEqual({ departures: 7, forecasts: 5, products: ['cityBus', 'subway'] });
    const forecastLines = update.trips.filter(({ calls }) => calls[0]!.departure!.time !== null);
    expect(new Set(forecastLines.map(({ trip }) => trip.lineLabel))).toEqual(new Set(['48A']));
    expect(update.problems.map(({ code, place }) => `${code} ${place}`)).toEqual([
      'frozen monitors[1].lines[0].departure[0]',
      'frozen monitors[2].lines[0].departure[0]',
    ]);
    expect(update.recordCount).toBe(7);
    expect(update.stationBoards.map(({ station, isFrozen, departures }) => [station, isFrozen, departures])).toEqual([
      ['60200657', true, []],
      ['60201320', true, []],
      ['60201430', false, []],
    ]);
  });

  it('is frozen completely if it is served an hour later', async () => {
    const update = await readRecording(FILE, 'monitor-1', '2026-08-29T20:11:48+02:00', STATIONS);
    expect(update.isFrozen).toBe(true);
    expect(countDepartures(update).forecasts).toBe(0);
  });
});

describe('reads recorded alerts completely', () => {
  it('trafficInfoList', async () => {
    const update = await readRecording(
      'trafficInfoList_2026-10-07.excerpt.json',
      'traffic-info',
      '2026-10-07T19:30:00+02:00',
    );
    expect(update).toMatchObject({ recordCount: 8, problems: [], alerts: { length: 8 }, publishedAt: null });
    expect(update.alerts.map(({ kind, category, priority }) => `${kind} ${category} ${priority}`)).toEqual([
      'construction stoerunglang 20',
      'construction stoerunglang 20',
      'allClear stoerunglang 90',
      'allClear stoerunglang 90',
      'emergency stoerungkurz 30',
      'emergency stoerungkurz 30',
      'emergency stoerungkurz 30',
      'replacementService stoerungkurz 30',
    ]);
    expect(update.alerts[4]).toMatchObject({
      title: 'Feuerwehreinsatz Betrieb ab Urban-Loritz-Platz',
      text: 'Feuerwehreinsatz\nBetrieb ab Urban-Loritz-Platz',
      stops: [{ id: '1442', idSpace: 'rbl' }],
    });
    for (const { text, activeWindows } of update.alerts) {
      expect(text).not.toMatch(/[<>]|&\w+;/);
      expect(activeWindows).toHaveLength(1);
    }
  });

  it('newsList', async () => {
    const update = await readRecording('newsList_2026-10-07.excerpt.json', 'news', '2026-10-07T19:30:00+02:00');
    expect(update).toMatchObject({ recordCount: 4, problems: [], alerts: { length: 4 } });
    expect(update.alerts.map(({ title, isAccess, stops }) => [title, isAccess, stops.map(({ id }) => id)])).toEqual([
      ['80A: ÖBB-Bauarbeiten ab 20.10.2026', false, []],
      ['Aufzug Stadion: geplante Wartung', true, ['4257']],
      ['Aufzug Neulaa: geplante Wartung', true, ['4135', '4132']],
      ['Aufzug Dresdner Straße: geplante Wartung', true, ['4642', '4649']],
    ]);
  });
});

describe("the list of metro stations agrees with the publisher's register", () => {
  let stations: MetroStation[];
  /** Rows of `wienerlinien-ogd-haltepunkte.csv`: number of the platform, DIVA, name … */
  let platforms: Map<string, string[]>;

  async function readRows(name: string): Promise<string[][]> {
    const text = await readFile(realData(`${FOLDER}/csv/${name}.csv`), 'utf8');
    return text
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) => line.split(';'));
  }

  beforeAll(async () => {
    stations = parseMetroStations(await readProjectFile('data/lookups/metro-stations.csv'));
    platforms = new Map((await readRows('wienerlinien-ogd-haltepunkte')).map((row) => [row[0]!, row]));
  });

  it('in names and numbers of the platforms', () => {
    for (const { diva, name, stopPoints } of stations) {
      const rows = stopPoints.map((number) => platforms.get(String(number))!);
      expect(rows.map((row) => row[1])).toEqual(stopPoints.map(() => String(diva)));
      expect(
        rows.map((row) => row[2]),
        name,
      ).toContain(name);
    }
  });

  it('in the coordinates of the stations, to five digits', async () => {
    const register = new Map((await readRows('wienerlinien-ogd-haltestellen')).map((row) => [row[0]!, row]));
    for (const { diva, lat, lon } of stations) {
      const row = register.get(String(diva))!;
      expect([lat, lon]).toEqual([Number(Number(row[5]).toFixed(5)), Number(Number(row[4]).toFixed(5))]);
    }
  });

  it('in lines and their platforms', async () => {
    const expected = (await readRows('metro_stations_derived')).map(
      ([line, , , rbl, diva]) => `${diva} ${line} ${rbl}`,
    );
    const lineOf = new Map(expected.map((text) => [text.split(' ')[2]!, text.split(' ')[1]!]));
    const found = stations.flatMap(({ diva, stopPoints }) =>
      stopPoints.map((rbl) => `${diva} ${lineOf.get(String(rbl))} ${rbl}`),
    );
    expect(found.sort()).toEqual(expected.sort());
    for (const { lines, stopPoints } of stations) {
      expect([...new Set(stopPoints.map((rbl) => lineOf.get(String(rbl))))].sort()).toEqual([...lines]);
    }
  });
});
