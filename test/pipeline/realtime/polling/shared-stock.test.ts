import { expect, it } from 'vitest';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import { openLiveSink } from '../../../../pipeline/realtime/polling/live-sink.ts';
import { findCurrentRealtime, readRealtimeSnapshot } from '../../../../pipeline/snapshots/realtime-files.ts';
import { createGbfsSource } from '../../../../pipeline/sources/gbfs/gbfs-source.ts';
import { instant, publishFeeds } from '../../../support/worlds/board-world.ts';
import { silentLog, soundFeed, temporaryFolder } from '../../../support/worlds/ingest.ts';

const NOW = instant('2026-03-03T08:00:00+01:00');
const id = toSourceId('radl');
const settings = { memoryLimit: '256MB', threads: 1, keepSnapshots: 3, raw: { maxAgeHours: 1, maxBytes: 1_000_000 } };

it('is published from the files of a system, and contradictions are counted', async () => {
  const dataDir = await temporaryFolder();
  await publishFeeds({ at: soundFeed }, { dataDir });
  const source = createGbfsSource({ id, url: 'https://x.example/gbfs', fileHosts: [], language: 'de', facts: {} });
  const { facts } = source;
  const sink = await openLiveSink(dataDir, [{ id, timetable: null, facts, provides: [], source }], settings, {
    log: silentLog,
  });
  const apply = async (part: string, data: object) => {
    const bytes = Buffer.from(JSON.stringify({ last_updated: NOW, ttl: 0, version: '2.3', data }));
    const update = await source.parse(bytes, source.toFileRequest!({ part, url: 'https://x.example/a' }), NOW);
    await sink.apply({ sourceId: id, part, fetchedAt: NOW, rawId: null, update });
  };
  const stock = (station_id: string) => ({ station_id, num_bikes_available: 3, num_docks_available: 4 });
  await apply('station-information', { stations: [{ station_id: 's', name: 'Berg', lat: 48.01, lon: 16.01 }] });
  await apply('station-status', { stations: [stock('s'), stock('gone')] });
  await sink.publish([], NOW);
  await sink.close();
  const { manifest, tables } = await readRealtimeSnapshot(dataDir, (await findCurrentRealtime(dataDir))!.id);
  const { name, bikes, docks } = tables.sharingStations;
  expect([name.get(0), ...bikes, ...docks]).toEqual(['Berg', 3, 4]);
  expect(JSON.parse(tables.sharingSystems.json.get(0))).toMatchObject({ stationsExpireAt: NOW + 600 });
  expect(manifest.sources[0]!.tally).toMatchObject({ records: 3, problems: { unknown_station: 1 } });
});
