import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Log } from '../../../../pipeline/effects/log.ts';
import { MAGIC } from '../../../../pipeline/lake/observations/journal-frames.ts';
import { openObservations } from '../../../../pipeline/lake/observations/observation-store.ts';
import { observationStateFolder } from '../../../../pipeline/lake/paths.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import { emptyUpdate, type SourceUpdate } from '../../../../pipeline/model/realtime.ts';
import type { SinkSource } from '../../../../pipeline/realtime/polling/describe-source.ts';
import { openLiveSink } from '../../../../pipeline/realtime/polling/live-sink.ts';
import type { RealtimeSink } from '../../../../pipeline/realtime/polling/realtime-sink.ts';
import type { RealtimeManifest, RealtimeTables } from '../../../../pipeline/snapshots/realtime-contract.ts';
import { findCurrentRealtime, readRealtimeSnapshot } from '../../../../pipeline/snapshots/realtime-files.ts';
import { findCurrentTimetableId, readTimetableSnapshot } from '../../../../pipeline/snapshots/timetable-files.ts';
import { publishFeeds } from '../../../support/worlds/board-world.ts';
import { silentLog, temporaryFolder } from '../../../support/worlds/ingest.ts';
import { lakeSettings, live } from '../../../support/worlds/observations.ts';
import { clock, describeObservation, describeTrip, lineFeed, reported } from '../live-line.ts';
import { type FakeSource, fakeSource } from './virtual-world.ts';

/** Whether the journal can be written. */
const journal = vi.hoisted(() => ({ isFull: false }));

vi.mock('../../../../pipeline/lake/observations/observation-store.ts', async (importOriginal) => {
  const real = await importOriginal<typeof import('../../../../pipeline/lake/observations/observation-store.ts')>();
  const openObservations: typeof real.openObservations = async (...arguments_) => {
    const store = await real.openObservations(...arguments_);
    const append: typeof store.append = async (batch) => {
      if (journal.isFull) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' });
      return store.append(batch);
    };
    return { ...store, append };
  };
  return { ...real, openObservations };
});

const settings = { ...lakeSettings, keepSnapshots: 3, raw: { maxAgeHours: 24, maxBytes: 1e9 } };

let dataDir: string;
beforeEach(async () => {
  journal.isFull = false;
  dataDir = await temporaryFolder();
  await publishFeeds({ at: lineFeed }, { dataDir });
});

interface OpenSink extends RealtimeSink {
  report(at: string, update: Partial<SourceUpdate>): Promise<void>;
  /** Publishes, and reads what was published. */
  show(at: string): Promise<{ manifest: RealtimeManifest; tables: RealtimeTables }>;
}

async function open(sources: readonly SinkSource[] = [fakeSource('live')], log: Log = silentLog): Promise<OpenSink> {
  const sink = await openLiveSink(dataDir, sources, settings, { log });
  return {
    ...sink,
    report(at, update) {
      const fetchedAt = clock(at);
      const reported = { ...emptyUpdate, isPropagating: true, publishedAt: fetchedAt, ...update };
      return sink.apply({ sourceId: live, part: 'all', fetchedAt, rawId: `raw ${at}`, update: reported });
    },
    async show(at) {
      await sink.publish([], clock(at));
      return readRealtimeSnapshot(dataDir, (await findCurrentRealtime(dataDir))!.id);
    },
  };
}

async function readTimetable() {
  return (await readTimetableSnapshot(dataDir, (await findCurrentTimetableId(dataDir))!)).tables;
}

/** Open observations in the journal of the source, once its sink is closed. */
async function listOpen(): Promise<string[]> {
  const store = await openObservations(dataDir, live, lakeSettings, { log: silentLog });
  const open = [...store.listOpen()].map(describeObservation).sort();
  await store.close();
  return open;
}

const delayed = (seconds: number) => ({ trips: [reported('bus', [{ sequence: 2, times: [null, seconds] }])] });

describe('published data', () => {
  it('a source whose timetable is not loaded matches nothing, even if another one has the same ids', async () => {
    const elsewhere = { ...fakeSource('live'), timetable: toSourceId('elsewhere') };
    const sink = await open([elsewhere]);
    await sink.report('08:00', delayed(60));
    expect((await sink.show('08:00')).manifest.sources[0]!.tally.unmatched).toEqual({ unknown_trip: 1 });
    await sink.close();
  });
});

describe('recorded data', () => {
  it('continue after a restart from the emitted observations', async () => {
    let sink = await open();
    await sink.report('08:00', delayed(120));
    await sink.close();
    sink = await open();
    // Before the first response, the last observations are shown.
    const { tables } = await sink.show('08:01');
    expect(describeTrip(tables, await readTimetable(), 'bus')).toBe('-/- -/08:13 -/- -/-');
    await sink.report('08:02', delayed(120));
    await sink.close();
    expect(await listOpen()).toEqual(['bus 1.departure 08:13 forecast']);
  });

  it.each<[what: string, spoil: (folder: string) => Promise<void>, code: string]>([
    ['a file in place of its folder', (folder) => writeFile(folder, ''), 'ENOTDIR'],
    ['a folder in place of its journal', (folder) => makeFolder(folder, '0000000001.journal'), 'EISDIR'],
    ['a journal of a newer format', (folder) => writeNewerJournal(folder), 'journal_unreadable'],
  ])('of a source with %s: none, and of the others all, until it is repaired', async (_what, spoil, code) => {
    const folder = observationStateFolder(dataDir, live);
    await mkdir(path.dirname(folder), { recursive: true });
    await spoil(folder);
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (text: string) => void warnings.push(text) };
    const sink = await open([fakeSource('live'), fakeSource('other')], log);
    expect(warnings).toEqual([expect.stringContaining('live: its observations cannot be opened, so its answers fail')]);
    const update = { ...emptyUpdate, isPropagating: true, publishedAt: clock('08:00'), ...delayed(60) };
    const reported = { sourceId: toSourceId('other'), part: 'all', fetchedAt: clock('08:00'), rawId: 'raw', update };
    await sink.apply(reported);
    await expect(sink.report('08:00', delayed(120))).rejects.toMatchObject({ code });
    // Unrecorded data are not shown either: the delay is that of the other source.
    expect(describeTrip((await sink.show('08:01')).tables, await readTimetable(), 'bus')).toContain('08:12');
    await rm(folder, { recursive: true });
    await sink.report('08:02', delayed(120));
    await sink.close();
    expect(await listOpen()).toEqual(['bus 1.departure 08:13 forecast']);
  });

  async function makeFolder(...names: readonly string[]): Promise<void> {
    await mkdir(path.join(...names), { recursive: true });
  }

  async function writeNewerJournal(folder: string): Promise<void> {
    await mkdir(folder);
    const magic = Buffer.from(MAGIC);
    magic[magic.length - 2] = 99;
    await writeFile(path.join(folder, '0000000001.journal'), magic);
  }

  it('of a source whose licence forbids an archive: none', async () => {
    const before = await listFiles();
    const sink = await open([fakeSource('live', { archive: 'none' } satisfies FakeSource)]);
    await sink.report('08:00', delayed(120));
    await sink.show('08:00');
    await sink.show('08:20');
    await sink.close();
    expect((await listFiles()).filter((file) => !file.startsWith('snapshots/realtime/'))).toEqual(before);
  });

  it('an unchanged response confirms nothing', async () => {
    const sink = await open();
    await sink.report('08:00', delayed(120));
    await sink.report('08:10', { ...delayed(300), isFrozen: true });
    await sink.close();
    const store = await openObservations(dataDir, live, lakeSettings, { log: silentLog });
    expect([...store.listOpen()].map(({ lastSeenAt }) => lastSeenAt)).toEqual([clock('08:00')]);
    await store.close();
  });

  it('a response that still contains an observation confirms it', async () => {
    const sink = await open();
    await sink.report('08:00', delayed(120));
    await sink.confirm({ sourceId: live, part: 'all', fetchedAt: clock('08:05') });
    await sink.confirm({ sourceId: live, part: 'never heard', fetchedAt: clock('08:07') });
    await sink.close();
    const store = await openObservations(dataDir, live, lakeSettings, { log: silentLog });
    expect([...store.listOpen()].map(({ lastSeenAt }) => lastSeenAt)).toEqual([clock('08:05')]);
    await store.close();
  });

  it('the next response emits observations again that could not be written', async () => {
    const sink = await open();
    await sink.report('08:00', delayed(120));
    journal.isFull = true;
    await expect(sink.report('08:01', delayed(180))).rejects.toThrow('ENOSPC');
    await expect(sink.report('08:02', delayed(180))).rejects.toThrow('ENOSPC');
    journal.isFull = false;
    await sink.report('08:03', delayed(180));
    await sink.close();
    expect(await listOpen()).toEqual(['bus 1.departure 08:14 forecast']);
  });
});

describe('a new timetable', () => {
  const movedFeed = lineFeed.replaceAll('bus,', 'the-bus,');

  it('is loaded with the next snapshot', async () => {
    const sink = await open();
    await sink.report('08:00', delayed(120));
    const old = (await sink.show('08:00')).manifest.timetableId;
    await publishFeeds({ at: movedFeed }, { dataDir });
    const { manifest, tables } = await sink.show('08:01');
    expect(manifest.timetableId).not.toBe(old);
    expect([...tables.trips.trip]).toEqual([]);
    await sink.report('08:02', { trips: [reported('the-bus', [{ sequence: 2, times: [null, 60] }])] });
    const later = await sink.show('08:02');
    expect(describeTrip(later.tables, await readTimetable(), 'the-bus')).toBe('-/- -/08:12 08:21/08:23 08:31/08:31');
    await sink.close();
  });

  it('keeps the current one if the new one is unreadable, and warns once a minute', async () => {
    const warnings: string[] = [];
    const sink = await open([fakeSource('live')], { ...silentLog, warn: (text) => warnings.push(text) });
    const old = (await sink.show('08:00')).manifest.timetableId;
    await publishFeeds({ at: movedFeed }, { dataDir });
    const id = (await findCurrentTimetableId(dataDir))!;
    await writeFile(path.join(dataDir, 'snapshots', 'timetable', id, 'trips.arrow'), 'rotten');
    for (const at of ['08:01', '08:01:01', '08:01:59']) {
      expect((await sink.show(at)).manifest.timetableId).toBe(old);
    }
    const reporting = () => warnings.filter((text) => text.includes(`timetable ${id} cannot be used for realtime`));
    expect(reporting()).toHaveLength(1);
    await sink.show('08:02');
    expect(reporting()).toHaveLength(2);
    await sink.close();
  });
});

async function listFiles(): Promise<string[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dataDir, path.join(entry.parentPath, entry.name)))
    .sort();
}
