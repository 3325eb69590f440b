import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startApi } from '../../api/start-api.ts';
import { ingestFeeds } from '../../jobs/definitions/ingest-timetable.ts';
import { openConfiguredStore } from '../../jobs/store/open-store.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { systemClock } from '../../pipeline/effects/clock.ts';
import { realEffects } from '../../pipeline/effects/effects.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import type { ServiceDate } from '../../pipeline/model/service-time.ts';
import { followTrees } from '../../pipeline/scale-out/object-store/follow-trees.ts';
import { fakeEffects, NOW, runCommand } from '../jobs/fake-world.ts';
import { startS3Server, storeVariables } from '../support/fakes/s3-server.ts';
import { soundFeed, temporaryFolder } from '../support/worlds/ingest.ts';
import { publishDay } from '../support/worlds/marts.ts';
import { writeFeedZip } from '../support/worlds/text-feed.ts';

/**
 * A machine with a separate data folder and the shared store.
 * @param feed its only source
 */
async function openMachine(endpoint: string, feed: string) {
  const dataDir = await temporaryFolder();
  await writeFile(path.join(dataDir, 'taktgeber.yaml'), `sources: [{id: at, gtfs: '${feed}'}]\n`);
  const environment = {
    TAKTGEBER_DATA: dataDir,
    TAKTGEBER_PORT: '0',
    TAKTGEBER_PLANNER_THREADS: '0',
    TAKTGEBER_REFERENCE_KEY: 'ab'.repeat(32),
    ...storeVariables({ endpoint }),
  };
  const { config } = await loadConfig({ environment, cwd: dataDir, home: dataDir });
  const run = async (...argv: string[]) => {
    const ended = await runCommand(argv, {
      dataDir,
      environment,
      parts: { ingestTimetable: ingestFeeds },
    });
    expect([ended.code, ended.stderr.includes('bug')], ended.stderr).toEqual([0, false]);
    return ended.stdout;
  };
  const serve = async () => {
    const api = await startApi({ ...config, logLevel: 'silent' }, { clock: fakeEffects(NOW).clock, log: silentLog });
    onTestFinished(() => api.close());
    return async (question: string) => {
      const answer = await fetch(api.url + question);
      return { status: answer.status, etag: answer.headers.get('etag'), body: await answer.text() };
    };
  };
  return { dataDir, config, run, serve };
}

test('a third machine serves what one ingested and another built into a history', async () => {
  const server = await startS3Server();
  onTestFinished(() => server.close());
  const feed = path.join(await temporaryFolder(), 'feed.zip');
  await writeFeedZip(soundFeed, feed);
  const [a, b, c] = [
    await openMachine(server.endpoint, feed),
    await openMachine(server.endpoint, feed),
    await openMachine(server.endpoint, feed),
  ];
  await a.run('run', 'ingest-timetable');
  await publishDay(a.dataDir, 'live', '2026-02-27' as ServiceDate, [{ trip_id: 'one', utc_offset_minutes: 60 }]);
  await a.run('store', 'publish');
  expect(await b.run('run', 'build-marts')).toContain('1 ');

  const effects = realEffects({ clock: systemClock, log: silentLog });
  const context = await openConfiguredStore(c.config, effects);
  server.requests.length = 0;
  const following = followTrees(context);
  await following.ready;
  await following.close();
  context.store.close();
  expect(following.freshness().every(({ trouble }) => trouble === null)).toBe(true);
  expect(server.requests.filter((one) => one.includes('list-type'))).toEqual([]);
  // It has only the part of the lake that it serves.
  expect((await readdir(path.join(c.dataDir, 'lake'))).sort()).toEqual(['README.md', 'catalog.sql', 'manifests']);

  await a.run('store', 'fetch');
  const [getFromA, getFromC] = [await a.serve(), await c.serve()];
  const found = JSON.parse((await getFromA('/v2/stops?query=anger')).body) as { results?: { id: string }[] };
  const [stop] =
    JSON.stringify(found)
      .match(/"id":"([^"]+)"/)
      ?.slice(1) ?? [];
  expect(stop).toBeDefined();
  const questions = [
    '/v2/stops?query=anger',
    `/v2/stops/${encodeURIComponent(stop!)}/departures`,
    `/v2/stops/${encodeURIComponent(stop!)}/info`,
    '/v2/meta',
    '/v1/history',
    '/v1/network-maps',
    '/v1/announcements',
  ];
  for (const question of questions) {
    const [ofA, ofC] = [await getFromA(question), await getFromC(question)];
    expect([ofC.etag, ofC.body], question).toEqual([ofA.etag, ofA.body]);
    expect(ofC.status, question).toBeLessThan(500);
  }
});
