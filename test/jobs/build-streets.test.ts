import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ingestFeeds } from '../../jobs/definitions/ingest-timetable.ts';
import { exitCode } from '../../jobs/job/exit-code.ts';
import { newestFormat, writeDataFormat } from '../../pipeline/lake/data-format.ts';
import { findCurrentStreetsId } from '../../pipeline/streets/published-streets.ts';
import { hasEngine, type SpotName, spot, writeTown } from '../pipeline/streets/made-up-town.ts';
import { findCompiledTransfer } from '../support/oracles/planner-tables.ts';
import { readPublished } from '../support/worlds/ingest.ts';
import { feedFromText, writeFeedZip } from '../support/worlds/text-feed.ts';
import { type CommandRun, type CommandSetting, listRuns, NOW, runCommand, temporaryFolder } from './fake-world.ts';

let cwd: string;
let dataDir: string;
beforeEach(async () => {
  cwd = await temporaryFolder();
  dataDir = path.join(cwd, 'data');
  await writeTown(path.join(cwd, 'town.osm.pbf'));
});

const run = (argv: readonly string[], setting: Partial<CommandSetting> = {}) =>
  runCommand(['build-streets', ...argv], { dataDir, cwd, ...setting });
const findLastRun = async () => (await listRuns(dataDir, 'build-streets'))[0];

/** One bus each from the west and to the east of the town, which stop at its far corners. */
function townFeed() {
  const stop = (name: SpotName) => `${name},${name},${spot(name).lat},${spot(name).lon}`;
  return feedFromText(`
    # agency.txt
    agency_id,agency_name,agency_url,agency_timezone
    v,Verkehr,https://example.org,Europe/Vienna
    # stops.txt
    stop_id,stop_name,stop_lat,stop_lon
    ${stop('west')}
    ${stop('station')}
    far,Ferne,47.9,14.2
    # routes.txt
    route_id,agency_id,route_short_name,route_type
    r,v,1,3
    # trips.txt
    trip_id,route_id,service_id
    in,r,daily
    out,r,daily
    # stop_times.txt
    trip_id,stop_id,stop_sequence,arrival_time,departure_time
    in,far,1,08:00:00,08:00:00
    in,west,2,09:00:00,09:00:00
    out,station,1,10:00:00,10:00:00
    out,far,2,11:00:00,11:00:00
    # calendar.txt
    service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
    daily,1,1,1,1,1,1,1,20260302,20260308
  `);
}

/** Metres of the transfer between the two corners. */
async function measurePublishedWay(folder: string): Promise<number | undefined> {
  const { snapshot } = await readPublished(folder);
  return findCompiledTransfer(snapshot.tables, 'in@west', 'out@station')?.meters;
}

describe('the command build-streets', () => {
  it.runIf(hasEngine)('builds once from a file beside it', async () => {
    const first = await run(['--from', 'town.osm.pbf']);
    const id = await findCurrentStreetsId(dataDir);
    expect(first).toMatchObject({ code: exitCode.done });
    expect(first.stdout).toBe(
      `build-streets: published street graph ${id} of town.osm.pbf for walk, bike, car: 2 tiles, 0.0 MB (0 s)\n`,
    );
    expect(first.stderr.split('\n').slice(-3)).toEqual([
      'next: run "taktgeber run ingest-timetable" to recompute the walks between stops',
      'then: restart the service if it is running',
      '',
    ]);
    expect(await findLastRun()).toMatchObject({ state: 'done', endedAt: NOW });

    const credited = await runCommand(['status'], { dataDir });
    const facts = `Street graph ${id} of town.osm.pbf, published ${NOW}`;
    expect(credited.stdout).toContain(`${facts}; © OpenStreetMap contributors, ODbL\n`);

    const again = await run(['--from', 'town.osm.pbf', '--exit-code', '--json']);
    expect(again.code).toBe(exitCode.nothingToDo);
    expect(again.stderr).not.toContain('next:');
    expect(JSON.parse(again.stdout)).toMatchObject({
      job: 'build-streets',
      status: 'unchanged',
      summary: `unchanged, street graph ${id} stays`,
      details: { id, source: { name: 'town.osm.pbf' } },
    });
  });

  it.runIf(hasEngine)('is followed by a snapshot whose walks follow the streets', async () => {
    const feed = path.join(cwd, 'town.zip');
    await writeFeedZip(townFeed(), feed);
    const parts = { ingestTimetable: ingestFeeds };
    const ingest = () => runCommand(['run', 'ingest-timetable', '--gtfs', feed, '--json'], { dataDir, parts });
    const outcomeOf = ({ stdout }: CommandRun) => JSON.parse(stdout).status;
    expect(outcomeOf(await ingest())).toBe('done');
    const straight = await measurePublishedWay(dataDir);
    expect(outcomeOf(await ingest())).toBe('unchanged');

    await run(['--from', 'town.osm.pbf']);
    expect(outcomeOf(await ingest())).toBe('done');
    // Around the corner; straight across it would be 500 m, and 650 m with the detour factor.
    expect([straight, await measurePublishedWay(dataDir)]).toEqual([650, 700]);
    expect(outcomeOf(await ingest())).toBe('unchanged');

    await writeTown(path.join(cwd, 'town.osm.pbf'), { name: 'Neue Hauptstraße' });
    await run(['--from', 'town.osm.pbf']);
    expect(outcomeOf(await ingest())).toBe('done');
  });

  it('fails with one sentence, which is recorded', async () => {
    const { code, stdout, stderr } = await run(['--from', 'no.osm.pbf']);
    const sentence = `there is no file ${path.join(cwd, 'no.osm.pbf')}`;
    expect([code, stdout]).toEqual([exitCode.failed, '']);
    expect(stderr).toBe(`error: ${sentence}\n`);
    expect(await findLastRun()).toMatchObject({ state: 'failed', attempts: 1, summary: sentence });
  });

  it('needs a file', async () => {
    const { code, stderr } = await run([]);
    expect([code, stderr]).toEqual([exitCode.usage, expect.stringContaining("'--from <file>' not specified")]);
  });

  it('runs once at a time', async () => {
    const holder = { host: 'elsewhere', pid: 7, processStart: null, startedAt: NOW };
    await mkdir(path.join(dataDir, 'locks'), { recursive: true });
    await writeDataFormat(dataDir, newestFormat(), '0.1.0');
    const lock = path.join(dataDir, 'locks', 'build-streets.lock');
    await writeFile(lock, JSON.stringify(holder));
    await utimes(lock, new Date(NOW), new Date(NOW));
    const { code, stderr } = await run(['--from', 'town.osm.pbf']);
    expect([code, stderr]).toEqual([
      exitCode.failed,
      `error: build-streets is being run by process 7 on elsewhere since ${NOW}\n`,
    ]);
  });
});
