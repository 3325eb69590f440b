import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { holdTimetable } from '../../api/hold-published.ts';
import { listActiveAlerts } from '../../jobs/alerts/check-alerts.ts';
import { allJobs } from '../../jobs/definitions/all-jobs.ts';
import { loadConfig } from '../../pipeline/config/load-config.ts';
import { austrianFeed, startAustrianUpstreams } from '../support/fakes/austrian-upstreams.ts';
import { silentLog } from '../support/worlds/ingest.ts';
import { packFeed } from '../support/worlds/text-feed.ts';
import { fakeEffects, runCommand, temporaryFolder } from './fake-world.ts';

// The change of timetable years on 13 December 2026, second by second: what is served, and which alerts fire. The clock
// of Vienna is an hour ahead of UTC.

const RAIL = 66;
const ACCOUNT = { MVO_USER: 'me@example.org', MVO_PASSWORD: 'secret-word' };
const CONFIG = `mvo: {user: '\${MVO_USER}', password: '\${MVO_PASSWORD}'}
sources: [{id: rail, kind: mvo, dataSet: ${RAIL}}]
`;

const of2026 = await packFeed(austrianFeed('rail', '20251214', '20261212'));
const of2027 = await packFeed(austrianFeed('rail', '20261213', '20271211'));

async function openCountry() {
  const effects = fakeEffects('2026-11-14T11:00:00Z');
  const { http, mvo } = await startAustrianUpstreams(() => effects.clock.nowMilliseconds() / 1000);
  const dataDir = await temporaryFolder();
  await writeFile(path.join(dataDir, 'taktgeber.yaml'), CONFIG);
  const environment = { ...ACCOUNT, TAKTGEBER_DATA: dataDir };
  const { config } = await loadConfig({ environment, cwd: dataDir, home: dataDir });
  const { files } = mvo.dataSets.get(RAIL)!;
  const publish = (published: Readonly<Record<number, Uint8Array>>) => {
    files.clear();
    for (const [year, file] of Object.entries(published)) files.set(Number(year), file);
  };
  const ingest = async (now: string) => {
    effects.clock.set(now);
    const setting = { dataDir, environment: ACCOUNT, jobs: allJobs(), effects: { ...effects, http } };
    const { code, stdout, stderr } = await runCommand(['run', 'ingest-timetable'], setting);
    return { code, printed: `${stdout}${stderr}` };
  };
  /** A replica of the API that has loaded what is published now. */
  const open = async () => {
    const { timetables } = await holdTimetable(config, { log: silentLog, clock: effects.clock });
    onTestFinished(() => timetables.close());
    return timetables;
  };
  /** What holds at a second: whether the timetable is served, and what fires. */
  const observe = async (now: number, timetables: Awaited<ReturnType<typeof open>>) => {
    effects.clock.set(new Date(now).toISOString());
    const request = { config, jobs: allJobs(), isScheduling: false, clock: effects.clock };
    const { active } = await listActiveAlerts(request);
    const alerts = active.filter(([{ kind }]) => kind !== 'disk_low').map(([{ kind, text }]) => ({ kind, text }));
    return { isServed: timetables.current() !== null, alerts };
  };
  return { publish, ingest, open, observe };
}

/** Every second from `before` seconds before an instant to as many after it. */
function secondsAround(instant: string, before: number): number[] {
  const at = Date.parse(instant);
  return Array.from({ length: 2 * before + 1 }, (_, index) => at + (index - before) * 1000);
}

const MIDNIGHT = '2026-12-12T23:00:00Z';

it('a publisher that is late: the alert four weeks before, nothing served after the last second, all of it back', async () => {
  const { publish, ingest, open, observe } = await openCountry();
  expect((await ingest('2026-11-14T11:00:00Z')).code).toBe(0);
  let api = await open();

  // Four weeks before the licence ends, to the second.
  const fourWeeks = '2026-11-14T23:00:00Z';
  for (const now of secondsAround(fourWeeks, 30)) {
    const { isServed, alerts } = await observe(now, api);
    expect([isServed, alerts.map(({ kind }) => kind)], new Date(now).toISOString()).toEqual([
      true,
      now > Date.parse(fourWeeks) ? ['timetable_ending'] : [],
    ]);
  }

  // Nothing new on the last day; the last second of it is served, the next one is not.
  expect((await ingest('2026-12-12T02:00:00Z')).printed).toContain('nothing changed');
  publish({ 2027: of2026 });
  for (const now of secondsAround(MIDNIGHT, 90)) {
    const { isServed, alerts } = await observe(now, api);
    const isOver = now >= Date.parse(MIDNIGHT);
    expect(isServed, new Date(now).toISOString()).toBe(!isOver);
    const ends = isOver ? 'ended on 2026-12-12' : 'ends on 2026-12-12';
    expect(alerts).toEqual([
      { kind: 'timetable_ending', text: expect.stringMatching(`${ends}.*licence forbids serving it after that day`) },
    ]);
  }

  // The platform still serves yesterday's file under the new address.
  const stale = await ingest('2026-12-13T02:00:00Z');
  expect(stale.code).toBe(1);
  expect(stale.printed).toMatch(/ends on 2026-12-12, before today \(2026-12-13\).*; its validity ended on 2026-12-12/);
  for (const now of secondsAround('2026-12-13T02:01:00Z', 30)) {
    const { isServed, alerts } = await observe(now, api);
    expect([isServed, alerts.map(({ kind }) => kind)]).toEqual([false, ['timetable_ending', 'job_failing']]);
  }

  publish({ 2027: of2027 });
  expect(await ingest('2026-12-13T08:00:00Z')).toMatchObject({ code: 0 });
  api = await open();
  for (const now of secondsAround('2026-12-13T08:01:00Z', 30)) {
    expect(await observe(now, api)).toEqual({ isServed: true, alerts: [] });
  }
});

it('a publisher that is early: served in every second, without an alert', async () => {
  const { publish, ingest, open, observe } = await openCountry();
  await ingest('2026-11-14T11:00:00Z');
  publish({ 2026: of2026, 2027: of2027 });
  expect((await ingest('2026-11-14T12:00:00Z')).printed).toMatch(/is valid, \w+ starts on 2026-12-13/);
  const api = await open();
  for (const now of secondsAround(MIDNIGHT, 60)) {
    const seen = await observe(now, api);
    expect([seen.isServed, seen.alerts.filter(({ kind }) => kind !== 'timetable_stale')]).toEqual([true, []]);
  }
  // Only the new address is left.
  publish({ 2027: of2027 });
  expect((await ingest('2026-12-13T08:00:00Z')).code).toBe(0);
  for (const now of secondsAround('2026-12-13T08:01:00Z', 30)) {
    expect(await observe(now, await api)).toEqual({ isServed: true, alerts: [] });
  }
});
