import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ingestFeeds } from '../../jobs/definitions/ingest-timetable.ts';
import { exitCode } from '../../jobs/job/exit-code.ts';
import { findCurrentPlacesId } from '../../pipeline/snapshots/places-files.ts';
import { at, spot } from '../pipeline/streets/made-up-town.ts';
import { type OsmWay, writeOsmPbf } from '../support/worlds/osm-pbf.ts';
import { feedFromText, writeFeedZip } from '../support/worlds/text-feed.ts';
import { type CommandSetting, listRuns, NOW, runCommand, temporaryFolder } from './fake-world.ts';

let cwd: string;
let dataDir: string;
beforeEach(async () => {
  cwd = await temporaryFolder();
  dataDir = path.join(cwd, 'data');
  await writeMap('town.osm.pbf', 'Hauptstraße');
});

const noWays: readonly OsmWay[] = [];
const writeMap = (name: string, street: string, place = spot('market')) =>
  writeOsmPbf(
    path.join(cwd, name),
    [{ id: 1, ...place, tags: { 'addr:street': street, 'addr:housenumber': '1', 'addr:city': 'Neustadt' } }],
    noWays,
  );

const run = (argv: readonly string[], setting: Partial<CommandSetting> = {}) =>
  runCommand(['build-places', ...argv], { dataDir, cwd, ...setting });

const feed = (stop: { lat: number; lon: number }) =>
  feedFromText(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehr,https://example.org,Europe/Vienna
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    a,Hier,${stop.lat},${stop.lon}
    b,Ferne,46.1,9.6
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    r,v,1,3
    # trips.txt
    trip_id,route_id,service_id
    t,r,daily
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    t,a,1,08:00:00,08:00:00
    t,b,2,09:00:00,09:00:00
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260302,20260308
  `);

async function ingest(stop: { lat: number; lon: number }) {
  const zip = path.join(cwd, 'feed.zip');
  await writeFeedZip(feed(stop), zip);
  const parts = { ingestTimetable: ingestFeeds };
  await runCommand(['run', 'ingest-timetable', '--gtfs', zip], { dataDir, parts });
}

describe('the command build-places', () => {
  it('builds once from a file beside it, and is credited', async () => {
    const first = await run(['--from', 'town.osm.pbf']);
    const id = await findCurrentPlacesId(dataDir);
    expect(first).toMatchObject({ code: exitCode.done });
    const counts = '1 addresses, 1 streets, 0 places, 0 rows refused';
    expect(first.stdout).toBe(`build-places: published place index ${id} of town.osm.pbf: ${counts} (0 s)\n`);
    expect((await listRuns(dataDir, 'build-places'))[0]).toMatchObject({ state: 'done', endedAt: NOW });

    const { stdout } = await runCommand(['status'], { dataDir });
    expect(stdout).toContain(
      `Place index ${id} of town.osm.pbf, published ${NOW}; © OpenStreetMap contributors, ODbL\n`,
    );

    const again = await run(['--from', 'town.osm.pbf', '--exit-code', '--json']);
    expect(again.code).toBe(exitCode.nothingToDo);
    expect(JSON.parse(again.stdout)).toMatchObject({
      status: 'unchanged',
      summary: `unchanged, place index ${id} stays`,
      details: { id, addresses: { read: 1, published: 1 } },
    });
  });

  it('says how much of the timetable the extract covers', async () => {
    await ingest(at(900, 900));
    expect((await run(['--from', 'town.osm.pbf'])).stdout).toContain('; covers 50 % of the stops (');
  });

  it('refuses an extract that covers no stop, and keeps the index of before', async () => {
    await ingest(at(0, 0));
    await run(['--from', 'town.osm.pbf']);
    const id = await findCurrentPlacesId(dataDir);
    await writeMap('far.osm.pbf', 'Fernstraße', { lat: 40, lon: 3 });
    const { code, stderr } = await run(['--from', 'far.osm.pbf']);
    const file = path.join(cwd, 'far.osm.pbf');
    expect([code, stderr]).toEqual([exitCode.failed, `error: ${file} covers none of the 2 stops of the timetable\n`]);
    expect(await findCurrentPlacesId(dataDir)).toBe(id);
  });

  it('refuses a folder without the address register', async () => {
    await mkdir(path.join(cwd, 'register'));
    await writeFile(path.join(cwd, 'register', 'ADRESSE.csv'), 'a;b\n1;2\n');
    const { code, stderr } = await run(['--from', 'town.osm.pbf', '--addresses', 'register']);
    const file = path.join(cwd, 'register', 'ADRESSE.csv');
    expect(code).toBe(exitCode.failed);
    expect(stderr).toBe(
      `error: ${file} lacks the column ADRCD: expected are the unpacked tables of the address register\n`,
    );
  });

  it('fails with one sentence where there is no file', async () => {
    const { code, stderr } = await run(['--from', 'no.osm.pbf']);
    expect([code, stderr]).toEqual([exitCode.failed, `error: there is no file ${path.join(cwd, 'no.osm.pbf')}\n`]);
  });
});
