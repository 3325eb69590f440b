import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferences } from '../../../api/engine/read/references.ts';
import { workFolder } from '../../../pipeline/lake/paths.ts';
import { fromEpochDay } from '../../../pipeline/model/service-time.ts';
import { findCurrentTimetableId } from '../../../pipeline/snapshots/timetable-files.ts';
import type { FeedOutcome } from '../../../pipeline/timetable/ingest-timetable.ts';
import { trials } from '../../support/checks/trials.ts';
import { loadTimetable, queryDepartures, TEST_KEY } from '../../support/worlds/board-world.ts';
import { fuzzedFeeds } from '../../support/worlds/fuzzed-feeds.ts';
import { type Ingest, ingestFeeds, soundFeed } from '../../support/worlds/ingest.ts';
import { type Mutant, mutateFeed, seededRandom } from '../../support/worlds/mutate-feed.ts';
import { packFeed } from '../../support/worlds/text-feed.ts';

/**
 * Mutants of three small feeds, one after the other in one data folder beside a valid source. Each is rejected with a
 * code, and the published state remains; or it is published, no row is lost uncounted, the snapshot passes its own
 * checks and answers boards. `TRIALS=10` tries more of them, `PROPERTY_SEED` selects others.
 */
const COUNT = trials(30);
const SEED = Number.parseInt(process.env.PROPERTY_SEED ?? '1', 10) || Date.now() % 1_000_000;
const NAMES = Object.keys(fuzzedFeeds);

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'taktgeber-mutants-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function ingestMutant(dataDir: string, { files, changeZip }: Mutant): Promise<Ingest> {
  const location = path.join(dataDir, 'mutant.zip');
  await writeFile(location, changeZip(await packFeed(files)));
  return ingestFeeds(
    { mutant: { location }, other: soundFeed },
    { dataDir, now: '2026-03-03T12:00:00Z', settings: { keepSnapshots: 2 } },
  );
}

function checkRefused({ failure, failureCode, isBug }: FeedOutcome, context: string): void {
  expect(isBug, `${context}: ${failure}`).toBe(false);
  expect(failureCode, context).toMatch(/^(feed|timetable)_[a-z_0-9]+$/);
  expect(failure, context).toMatch(/^.{10,600}$/);
}

/** Boards of some stops, on days on which services begin or end, each checked against the schema of the contract. */
async function checkBoards(dataDir: string, random: () => number, context: string): Promise<number> {
  const timetable = await loadTimetable(dataDir);
  const world = { timetable, realtime: null, references: createReferences(TEST_KEY) };
  const { stops, services } = timetable.tables;
  const some = <Item>(items: ArrayLike<Item>): Item => items[Math.floor(random() * items.length)]!;
  const served = Array.from(stops.memberCount.keys()).filter((stop) => stops.memberCount[stop]! > 0);
  expect(served.length, context).toBeGreaterThan(0);
  let departures = 0;
  for (let i = 0; i < 3; i++) {
    const stop = some(served);
    const [first, last] = [services.firstDay, services.lastDay].map((days) =>
      days.filter((_, service) => services.firstDay[service]! <= services.lastDay[service]!),
    );
    const day = some([...first!, ...last!]);
    const id = `${timetable.tables.sources.sourceId.get(stops.source[stop]!)}:${stops.stopId.get(stop)}`;
    const query = { time: `${fromEpochDay(day as never)}T05:00:00Z`, durationMinutes: 1440 };
    departures += (await queryDepartures(world, id, query)).departures.length;
  }
  return departures;
}

async function checkLeftovers(dataDir: string, context: string): Promise<void> {
  expect(await readdir(workFolder(dataDir)), context).toEqual([]);
  const snapshots = await readdir(path.join(dataDir, 'snapshots', 'timetable'));
  expect(
    snapshots.filter((name) => name.startsWith('.') || name.endsWith('.tmp')),
    context,
  ).toEqual([]);
}

describe.each(NAMES)(`mutants of the feed "%s", seed ${SEED}`, (name) => {
  const count = Math.ceil(COUNT / NAMES.length);

  it(`${count} of them`, { timeout: 120_000 + count * 10_000 }, async () => {
    const dataDir = path.join(root, name);
    await mkdir(dataDir);
    const feed = fuzzedFeeds[name]!;
    const sound = await ingestMutant(dataDir, { files: feed, changeZip: (zip) => zip, steps: [] });
    expect(sound.outcome.feeds.map(({ failure }) => failure)).toEqual([undefined, undefined]);
    const tally = { refused: 0, published: 0, departures: 0 };
    for (let n = 0; n < count; n++) {
      const random = seededRandom(SEED * 1_000_003 + NAMES.indexOf(name) * 100_003 + n);
      const mutant = mutateFeed(feed, random);
      const context = `seed ${SEED}, mutant ${n} of ${name}: ${mutant.steps.join(', ')}`;
      const before = await findCurrentTimetableId(dataDir);
      const ingest = await ingestMutant(dataDir, mutant).catch((error: unknown) => {
        throw new Error(`${context} throws`, { cause: error });
      });
      const [outcome, other] = ingest.outcome.feeds as [FeedOutcome, FeedOutcome];
      expect(other.failure, context).toBeUndefined();
      expect(ingest.outcome.snapshotId, context).toBe(await findCurrentTimetableId(dataDir));
      await checkLeftovers(dataDir, context);
      if (outcome.failure !== undefined) {
        checkRefused(outcome, context);
        expect(ingest.outcome.snapshotId, context).toBe(before);
        tally.refused++;
      } else {
        tally.departures += await checkBoards(dataDir, random, context);
        tally.published++;
      }
    }
    // A fuzz test that rejects all or nothing tests only half of its claim.
    expect(Math.min(tally.refused, tally.published), JSON.stringify(tally)).toBeGreaterThan(count / 12);
    expect(tally.departures, JSON.stringify(tally)).toBeGreaterThan(0);
  });
});
