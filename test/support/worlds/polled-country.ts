import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { buildApp } from '../../../api/app.ts';
import { openRealtime, type Realtime } from '../../../api/engine/read/realtime.ts';
import { createReferences } from '../../../api/engine/read/references.ts';
import type { Timetable } from '../../../api/engine/read/timetable.ts';
import { pairSnapshots } from '../../../api/plugins/paired-snapshots.ts';
import type { ConfiguredSource } from '../../../pipeline/config/configured-source.ts';
import type { Clock } from '../../../pipeline/effects/clock.ts';
import type { ServiceDate } from '../../../pipeline/model/service-time.ts';
import { buildSampleFeed } from '../../../pipeline/sample/feed/sample-feed.ts';
import { createSimulator } from '../../../pipeline/sample/simulator/create-simulator.ts';
import type { AnswerSource, UpstreamAnswer } from '../../../pipeline/sample/upstream/answer-source.ts';
import { simulatedAnswers } from '../../../pipeline/sample/upstream/simulated-answers.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { findCurrentRealtime, readRealtimeSnapshot } from '../../../pipeline/snapshots/realtime-files.ts';
import { serviceOptions } from '../../api/service-app.ts';
import { type PollingWorld, type SteeredPolling, startPolling } from '../fakes/steered-polling.ts';
import { loadTimetable, publishFeeds, TEST_KEY } from './board-world.ts';
import { readSmallCountry } from './small-country.ts';

/** A Monday morning in Vienna, half past eight. */
export const POLL_START = '2026-03-02T07:30:00Z';

/**
 * A part of the simulated country with its timetable published once; each test polls it into a separate folder, one at
 * a time.
 */
export interface Country {
  /** Data folder with the timetable. */
  readonly dataDir: string;
  /** @param configure returns the sources, whose upstream has the given address */
  poll(configure: (baseUrl: string) => readonly ConfiguredSource[]): Promise<PolledCountry>;
  close(): Promise<void>;
}

/** Polled sources, and the service that shows their realtime. */
export interface PolledCountry extends SteeredPolling {
  readonly dataDir: string;
  /** The time this many seconds after the start, in milliseconds since 1970. */
  at(seconds: number): number;
  /** Sends a GET request to the service. */
  getJson(url: string): Promise<{ readonly status: number; readonly json: unknown }>;
  /** A source in the published manifest. */
  source(id: string): RealtimeSourceState;
}

export async function openCountry(): Promise<Country> {
  const lookups = await readSmallCountry();
  const dataDir = await makeFolder();
  const feed = buildSampleFeed({ today: POLL_START.slice(0, 10) as ServiceDate }, lookups);
  await publishFeeds({ sample: feed }, { dataDir, now: POLL_START });
  const service = await openShownService(await loadTimetable(dataDir));
  const answers = rememberAnswers(simulatedAnswers(createSimulator(lookups)));
  return {
    dataDir,
    poll: async (configure) => {
      const folder = await makeFolder();
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      await mkdir(path.join(folder, 'snapshots'));
      // Polling only reads it.
      await symlink(path.join(dataDir, 'snapshots', 'timetable'), path.join(folder, 'snapshots', 'timetable'));
      return pollCountry(service, { dataDir: folder, answers, start: POLL_START, configure });
    },
    async close() {
      await service.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

function makeFolder(): Promise<string> {
  return mkdtemp(path.join(tmpdir(), 'taktgeber-polled-'));
}

/** Caching is safe: the tests of a file send the same queries at the same times. */
function rememberAnswers(answers: AnswerSource): AnswerSource {
  const known = new Map<string, UpstreamAnswer | null>();
  return async (request, instant) => {
    const name = JSON.stringify([request.path, request.query.toString(), request.body, instant]);
    const answer = known.get(name) ?? (await answers(request, instant));
    known.set(name, answer);
    return answer;
  };
}

async function pollCountry(service: ShownService, world: PollingWorld): Promise<PolledCountry> {
  const polling = await startPolling(world);
  onTestFinished(polling.end);
  service.show(world.dataDir, polling.clock);
  return {
    ...polling,
    dataDir: world.dataDir,
    at: (seconds) => Date.parse(POLL_START) + seconds * 1000,
    async run(untilSeconds) {
      await polling.run(untilSeconds);
      await service.refresh();
    },
    getJson: service.getJson,
    source: service.source,
  };
}

// ---- Service -----------------------------------------------------------------------------------

interface ShownService extends Pick<PolledCountry, 'getJson' | 'source'> {
  /** Switches to another data folder, which is read at the next refresh. */
  show(dataDir: string, clock: Clock): void;
  /** Reads the pointer, as the service does periodically. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** The service, started once, since that takes as long as many polls. */
async function openShownService(timetable: Timetable): Promise<ShownService> {
  let shown: { readonly dataDir: string; readonly clock: Clock } | null = null;
  let realtime: Realtime | null = null;
  const world = {
    timetable,
    references: createReferences(TEST_KEY),
    get realtime() {
      return realtime;
    },
  };
  const clock = { nowMilliseconds: () => shown!.clock.nowMilliseconds() };
  const held = { value: timetable, dataVersion: timetable.manifest.id };
  const snapshots = pairSnapshots(
    { current: () => held },
    { current: () => realtime && { value: realtime, dataVersion: realtime.manifest.id } },
    clock,
  );
  const sourceChecks = { sample: POLL_START };
  const app = await buildApp(serviceOptions(world, { clock, sourceChecks, overrides: { snapshots } }));
  return {
    show(dataDir, itsClock) {
      shown = { dataDir, clock: itsClock };
      realtime = null;
    },
    async refresh() {
      const pointer = await findCurrentRealtime(shown!.dataDir);
      if (pointer === null || pointer.id === realtime?.manifest.id) return;
      realtime = openRealtime(await readRealtimeSnapshot(shown!.dataDir, pointer.id), realtime);
    },
    async getJson(url) {
      const answer = await app.inject({ method: 'GET', url });
      return { status: answer.statusCode, json: answer.json() as unknown };
    },
    source(id) {
      const found = realtime?.manifest.sources.find((source) => source.id === id);
      if (!found) throw new RangeError(`nothing is published of ${id}`);
      return found;
    },
    close: () => app.close(),
  };
}
