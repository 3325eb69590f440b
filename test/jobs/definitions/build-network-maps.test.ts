import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { noteSourceCredits } from '../../../pipeline/lake/source-credits.ts';
import { buildNetworkMaps } from '../../../pipeline/network-maps/build-network-maps.ts';
import {
  findCurrentMapsId,
  type MapsManifest,
  mapFile,
  mapsFolder,
  readMapsManifest,
} from '../../../pipeline/snapshots/network-map-files.ts';
import { hashOf } from '../../pipeline/network-maps/published-map.ts';
import { publishFeeds } from '../../support/worlds/board-world.ts';
import { fakeEffects, runCommand, temporaryFolder } from '../fake-world.ts';

/** A line of trams and one of the metro that crosses it, and a bus, which has no map. */
const feed = `
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  v,Verkehr,https://example.org,Europe/Vienna
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  ${['Anger', 'Bad <b>', 'Dom & Rathaus', 'Ende', 'Furt', 'Gasse', 'Hafen', 'Insel']
    .map((name, i) => `s${i},${name},${48.2 + (i < 4 ? 0 : (i - 5) * 0.01)},${16.37 + (i < 4 ? i * 0.01 : 0.012)}`)
    .join('\n  ')}
  # routes.txt
  route_id,agency_id,route_short_name,route_long_name,route_type,route_color
  t,v,5,,0,00AA00
  u,v,U1,,1,E3000F
  b,v,13A,,3,
  # trips.txt
  trip_id,route_id,service_id
  t,t,daily
  u,u,daily
  b,b,daily
  # stop_times.txt
  trip_id,stop_id,stop_sequence,arrival_time,departure_time
  ${['t', 'b'].flatMap((trip) => [0, 1, 2, 3].map((i) => `${trip},s${i},${i},08:0${i}:00,08:0${i}:00`)).join('\n  ')}
  ${[4, 5, 6, 7].map((i) => `u,s${i},${i},08:0${i}:00,08:0${i}:00`).join('\n  ')}
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  daily,1,1,1,1,1,1,1,20260101,20261231
`;

const run = (dataDir: string, args: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
  runCommand(['run', 'build-network-maps', ...args], {
    dataDir,
    effects: fakeEffects('2026-03-01T12:00:00Z'),
    environment,
    parts: { buildNetworkMaps },
  });

async function readMaps(dataDir: string): Promise<MapsManifest> {
  return readMapsManifest(dataDir, (await findCurrentMapsId(dataDir))!);
}

async function publishedFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  await publishFeeds({ at: feed }, { dataDir });
  return dataDir;
}

describe('build-network-maps', () => {
  it('draws nothing without a timetable', async () => {
    const { code, stdout } = await run(await temporaryFolder(), ['--exit-code']);
    expect([code, stdout]).toEqual([3, expect.stringContaining('no timetable is published yet')]);
  });

  it('draws the maps of a timetable with validity and attribution, once', async () => {
    const dataDir = await publishedFolder();
    await noteSourceCredits(dataDir, [{ id: 'at', attribution: 'Verkehr & Söhne', licence: 'CC BY 4.0' }]);
    const dry = await run(dataDir, ['--dry-run']);
    expect(dry.stdout).toContain('would draw the network maps');
    expect(await findCurrentMapsId(dataDir)).toBeNull();

    const { code, stdout } = await run(dataDir);
    expect([code, stdout]).toEqual([0, expect.stringContaining('published 1 map')]);
    const { id, maps } = await readMaps(dataDir);
    expect(maps).toMatchObject([
      {
        id: 'wien-city',
        title: 'Wien: U-Bahn und Straßenbahn',
        region: 'Wien',
        format: 'svg',
        validFrom: '2026-01-01',
      },
    ]);
    const [map] = maps;
    expect(map!.attribution).toBe('Verkehr & Söhne (CC BY 4.0)');
    const svg = await readFile(mapFile(dataDir, id, map!.file), 'utf8');
    expect([hashOf(svg), Buffer.byteLength(svg)]).toEqual([map!.sha256, map!.bytes]);
    expect(svg).toContain('Dom &amp; Rathaus');
    expect(svg).toContain('Bad &lt;b&gt;');
    expect(svg).toContain('#e3000f');
    expect(svg).toContain('Verkehr &amp; Söhne (CC BY 4.0)');
    expect(svg).not.toContain('13A');

    const again = await run(dataDir, ['--exit-code']);
    expect([again.code, again.stdout]).toEqual([3, expect.stringContaining('1 map as before')]);
    await run(dataDir, ['--force']);
    expect((await readMaps(dataDir)).maps).toEqual(maps);
  });

  it("publishes the operator's files with them, and names rejected ones", async () => {
    const dataDir = await publishedFolder();
    const folder = await temporaryFolder();
    await writeFile(path.join(folder, 'netz.pdf'), '%PDF-1.7');
    await writeFile(path.join(folder, 'kaputt.png'), 'no picture');
    const { code, stdout } = await run(dataDir, [], {
      TAKTGEBER_NETWORK_MAPS_FOLDER: folder,
      TAKTGEBER_NETWORK_MAPS_LANGUAGE: 'en',
    });
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('published 2 maps; rejected: kaputt.png is not a PNG file, judging by its first bytes'),
    ]);
    const { maps } = await readMaps(dataDir);
    expect(maps.map(({ title, format }) => [title, format])).toEqual([
      ['netz', 'pdf'],
      ['Wien: metro and trams', 'svg'],
    ]);
  });

  it('keeps the previous set, so that files in use are not removed', async () => {
    const dataDir = await publishedFolder();
    for (const language of ['de', 'en', 'de']) await run(dataDir, [], { TAKTGEBER_NETWORK_MAPS_LANGUAGE: language });
    const names = await readdir(mapsFolder(dataDir));
    expect(names.filter((name) => name !== 'current.json')).toHaveLength(2);
    expect(names).toContain(await findCurrentMapsId(dataDir));
  });

  it('redraws a damaged map', async () => {
    const dataDir = await publishedFolder();
    await run(dataDir);
    const { id, maps } = await readMaps(dataDir);
    await writeFile(mapFile(dataDir, id, 'manifest.json'), '{');
    expect((await run(dataDir)).stdout).toContain('published 1 map');
    expect((await readMaps(dataDir)).maps).toEqual(maps);
  });
});
