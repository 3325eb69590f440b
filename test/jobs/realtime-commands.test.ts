import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCode } from '../../jobs/job/exit-code.ts';
import { silentLog } from '../../pipeline/effects/log.ts';
import { TextColumn } from '../../pipeline/model/column.ts';
import { toSourceId } from '../../pipeline/model/ids.ts';
import { parseTimestamp } from '../../pipeline/model/service-time.ts';
import { spendBudget } from '../../pipeline/realtime/polling/daily-budget.ts';
import type { PollingRequest } from '../../pipeline/realtime/polling/poll-here.ts';
import type { PolledSourceState } from '../../pipeline/realtime/polling/realtime-sink.ts';
import { publishRealtime } from '../../pipeline/snapshots/publish-realtime.ts';
import {
  type RealtimeSourceState,
  type RealtimeTables,
  realtimeTables,
} from '../../pipeline/snapshots/realtime-contract.ts';
import { badInputs, makeFeed, runSteps } from '../pipeline/realtime/passage-cases.ts';
import { fakeSource } from '../pipeline/realtime/polling/virtual-world.ts';
import { openWorld } from '../support/worlds/board-world.ts';
import type { Parts } from './fake-world.ts';
import { NOW, runCommand, temporaryFolder } from './fake-world.ts';

const REALTIME = `realtime:
  - {id: wl, kind: wiener-linien}
  - {id: vao, kind: hafas, profile: vao, stops: [1290101], dailyBudget: 5000}
`;

async function dataDirWith(content = REALTIME): Promise<string> {
  const dataDir = await temporaryFolder();
  await writeFile(path.join(dataDir, 'taktgeber.yaml'), content);
  return dataDir;
}

const now = parseTimestamp(NOW)!;

describe('run poll-realtime', () => {
  const state = (id: string, facts: Partial<PolledSourceState> = {}): PolledSourceState => ({
    id: toSourceId(id),
    kind: 'gtfs-rt',
    timetable: null,
    isStandby: false,
    lastSuccessAt: now,
    lastAttemptAt: now,
    requestedParts: [],
    trouble: null,
    troubleSince: null,
    isCircuitOpen: false,
    attempts: { applied: 1 },
    facts: fakeSource('a').facts,
    onDemand: null,
    ...facts,
  });
  const silent = { lastSuccessAt: null, trouble: 'http_timeout' };

  /** A poller with scripted results that records its requests. */
  function pollPart(states: readonly PolledSourceState[]) {
    const requests: PollingRequest[] = [];
    const pollRealtime: Parts['pollRealtime'] = async (request) => {
      requests.push(request);
      return states;
    };
    return { requests, parts: { pollRealtime } };
  }

  const cases: readonly [states: PolledSourceState[], code: number, output: string][] = [
    [[state('a'), state('b')], exitCode.done, 'poll-realtime: 2 of 2 realtime sources answered (0 s)\n'],
    [
      [state('a'), state('b', silent), state('c', { isStandby: true, lastSuccessAt: null })],
      exitCode.done,
      'poll-realtime: 1 of 3 realtime sources answered; b: http_timeout; c: on standby (0 s)\n',
    ],
    [[state('b', silent)], exitCode.failed, 'error: 0 of 1 realtime sources answered; b: http_timeout\n'],
    [
      [state('c', { isStandby: true, lastSuccessAt: null })],
      exitCode.done,
      'poll-realtime: 0 of 1 realtime sources answered; c: on standby (0 s)\n',
    ],
  ];
  it.each(cases)('%#', async (states, code, output) => {
    const { requests, parts } = pollPart(states);
    const ran = await runCommand(['run', 'poll-realtime'], { dataDir: await dataDirWith(), parts });
    expect([ran.code, ran.stdout + ran.stderr]).toEqual([code, output]);
    expect(requests).toMatchObject([{ sources: [{ id: 'wl' }, { id: 'vao' }], rounds: 1 }]);
  });

  it('requests only the selected sources', async () => {
    const { requests, parts } = pollPart([state('vao')]);
    await runCommand(['run', 'poll-realtime', '--source', 'vao'], { dataDir: await dataDirWith(), parts });
    expect(requests[0]!.sources.map(({ id }) => id)).toEqual(['vao']);
    const unknown = await runCommand(['run', 'poll-realtime', '--source', 'x'], { dataDir: await dataDirWith() });
    expect(unknown).toMatchObject({
      code: exitCode.usage,
      stderr: 'error: there is no realtime source "x"; there are wl, vao\n',
    });
  });

  it('does nothing without a source', async () => {
    expect(await runCommand(['run', 'poll-realtime', '--exit-code'], { dataDir: await dataDirWith('') })).toMatchObject(
      {
        code: exitCode.nothingToDo,
        stdout: 'poll-realtime: no realtime source is configured (0 s)\n',
      },
    );
  });
});

describe('standby', () => {
  it('turns the switch of a source, and shows all of them', async () => {
    const dataDir = await dataDirWith(
      `${REALTIME}  - {id: t, kind: gtfs-rt, alerts: "http://x.example", standby: true}\n`,
    );
    const { stdout } = await runCommand(['standby', 'vao', 'on'], { dataDir });
    expect(stdout).toBe(`SOURCE  STANDBY  SINCE
------  -------  ------------------------
wl      off      as configured
vao     on       ${NOW}
t       on       as configured
`);
    await runCommand(['standby', 't', 'off'], { dataDir });
    const { standby } = JSON.parse((await runCommand(['standby', '--json'], { dataDir })).stdout);
    expect(standby).toEqual([
      { source: 'wl', isStandby: false, since: null },
      { source: 'vao', isStandby: true, since: NOW },
      { source: 't', isStandby: false, since: NOW },
    ]);
  });

  it('accepts the sources of the sample if none is configured', async () => {
    const dataDir = await dataDirWith('');
    expect((await runCommand(['standby', 'city_transit', 'on'], { dataDir })).stdout).toMatch(/^city_transit +on/m);
    const withTimetable = await dataDirWith('sources: [{id: a, gtfs: a.zip}]\n');
    expect((await runCommand(['standby'], { dataDir: withTimetable })).stdout).toBe(
      'No realtime source is configured.\n',
    );
  });

  const wrong: readonly [argv: readonly string[], message: string][] = [
    [['vao'], 'add on or off after the source'],
    [['vao', 'maybe'], 'add on or off after the source'],
    [['VAO', 'on'], '"VAO" cannot name a source'],
    [['x', 'on'], 'there is no realtime source "x"; there are wl, vao'],
  ];
  it.each(wrong)('%j is wrong usage', async (argv, message) => {
    const { code, stderr } = await runCommand(['standby', ...argv], { dataDir: await dataDirWith() });
    expect([code, stderr]).toEqual([exitCode.usage, expect.stringContaining(message)]);
  });

  it('reports unreadable switches', async () => {
    const dataDir = await dataDirWith();
    await mkdir(path.join(dataDir, 'realtime'));
    await writeFile(path.join(dataDir, 'realtime', 'standby.json'), '{');
    const { code, stderr } = await runCommand(['standby', 'vao', 'on'], { dataDir });
    expect([code, stderr]).toEqual([exitCode.failed, expect.stringContaining('does not say which sources')]);
    expect((await runCommand(['status'], { dataDir })).stdout).toMatch(/^vao +never +- +standby_unreadable/m);
  });
});

describe('status', () => {
  const published: RealtimeSourceState = {
    id: 'wl',
    kind: 'wiener-linien',
    archive: 'full',
    isStandby: false,
    lastSuccessAt: '2026-03-01T11:59:00.000Z',
    lastSuccessByArea: {},
    lastAttemptAt: '2026-03-01T11:59:30.000Z',
    requestedAreas: ['departures'],
    trouble: 'http_503',
    maxAgeSeconds: 180,
    provides: ['departures'],
    coverage: ['Wien'],
    isNationwide: false,
    attribution: null,
    licence: null,
    vehicleCells: [],
    onDemand: null,
    tally: {
      matched: { stop_line_time: 1200, trip_id: 34 },
      unmatched: { unknown_trip: 5 },
      vehiclesMatched: 10,
      vehiclesOnRouteOnly: 4,
      vehiclesUnmatched: 2,
      alerts: 3,
      records: 1300,
      problems: {},
    },
  };

  async function publish(dataDir: string, sources: readonly RealtimeSourceState[]): Promise<string> {
    return publishRealtime(
      dataDir,
      { timetableId: 's0', sources, models: [], tables: emptyTables() },
      Date.parse(NOW),
      3,
    );
  }

  function emptyTables(): RealtimeTables {
    const noRows = {
      u8: new Uint8Array(),
      i16: new Int16Array(),
      u16: new Uint16Array(),
      i32: new Int32Array(),
      u32: new Uint32Array(),
      u64: new BigUint64Array(),
      f64: new Float64Array(),
      text: TextColumn.from([]),
    };
    const empty = (shape: Readonly<Record<string, keyof typeof noRows>>) =>
      Object.fromEntries(Object.entries(shape).map(([column, type]) => [column, noRows[type]]));
    const tables = Object.entries(realtimeTables).map(([name, shape]) => [name, empty(shape)]);
    return Object.fromEntries(tables) as unknown as RealtimeTables;
  }

  it('shows how fresh each source is, its requests, and the results of its records', async () => {
    const dataDir = await dataDirWith();
    const id = await publish(dataDir, [published]);
    const limit = { requests: 5000, zone: 'Europe/Vienna' };
    await spendBudget(dataDir, toSourceId('vao'), limit, now, { log: silentLog });
    await runCommand(['standby', 'vao', 'on'], { dataDir });
    const { stdout } = await runCommand(['status'], { dataDir });
    expect(stdout).toContain(`
Realtime ${id} on timetable s0, published ${NOW}
REALTIME  STATE    LAST SUCCESS              TROUBLE   BUDGET USED
--------  -------  ------------------------  --------  ------------------------
wl        fresh    2026-03-01T11:59:00.000Z  http_503  -
vao       standby  -                         -         1 of 5,000 on 2026-03-01
wl: 1,300 records, 3 alerts
    trips matched: 1,234, stop_line_time 1,200, trip_id 34
    trips not matched: 5, unknown_trip 5
    vehicles: 10 matched to a trip, 4 to a line only, 2 to neither
    problems: 0
`);
    const { realtime } = JSON.parse((await runCommand(['status', '--json'], { dataDir })).stdout);
    expect(realtime).toMatchObject({
      id,
      timetableId: 's0',
      sources: [
        { source: 'wl', status: 'fresh', ageSeconds: 60, tally: { records: 1300 } },
        { source: 'vao', status: 'standby', budget: { used: 1, limit: 5000, date: '2026-03-01' }, tally: null },
      ],
    });
  });

  it('shows what bad positions are counted as', async () => {
    const world = await openWorld({ at: makeFeed('') });
    const ids = badInputs.map((_, i) => `case${i}`);
    const dataDir = await dataDirWith(
      `realtime:\n${ids.map((id) => `  - {id: ${id}, kind: gtfs-rt, vehiclePositions: "https://x.example"}\n`).join('')}`,
    );
    const sources = await Promise.all(
      badInputs.map(async ({ steps }, i) => {
        const { tallies } = await runSteps(world, steps);
        // As for a poller: the counts of one answer, here of the last one with a problem.
        const tally = tallies.findLast(({ problems }) => Object.keys(problems).length > 0) ?? tallies.at(-1)!;
        return { ...published, id: ids[i]!, kind: 'gtfs-rt' as const, tally };
      }),
    );
    await publish(dataDir, sources);
    const { stdout } = await runCommand(['status'], { dataDir });
    const counts = ids.map((id) => {
      const lines = stdout
        .slice(stdout.indexOf(`\n${id}: `))
        .split('\n')
        .slice(2, 6);
      return [/vehicles: (.*)/, /problems: (.*)/].map((line) => line.exec(lines.join('\n'))?.[1]).join('; ');
    });
    expect(Object.fromEntries(badInputs.map(({ name }, i) => [name, counts[i]]))).toMatchInlineSnapshot(`
      {
        "a position that jumps and returns": "1 matched to a trip, 0 to a line only, 0 to neither; 1, position_jumped 1",
        "a tunnel that takes one minute": "1 matched to a trip, 0 to a line only, 0 to neither; 0",
        "a tunnel, where positions are missing for four and a half minutes": "1 matched to a trip, 0 to a line only, 0 to neither; 1, passage_too_uncertain 1",
        "a vehicle in another part of the city": "1 matched to a trip, 0 to a line only, 0 to neither; 1, position_off_path 1",
        "a vehicle that carries the trip that is to follow, half an hour early": "1 matched to a trip, 0 to a line only, 0 to neither; 2, implausibly_early 2",
        "a vehicle that changes trips on its way": "1 matched to a trip, 0 to a line only, 0 to neither; 2, implausibly_early 2",
        "a vehicle that names a trip that is not in the timetable": "0 matched to a trip, 0 to a line only, 1 to neither; 0",
        "a vehicle that replaces one whose reports have ended": "1 matched to a trip, 0 to a line only, 0 to neither; 0",
        "a vehicle that stands for an hour": "1 matched to a trip, 0 to a line only, 0 to neither; 1, vehicle_standing 1",
        "positions of the future": "1 matched to a trip, 0 to a line only, 0 to neither; 1, position_in_future 1",
        "two vehicles on one trip, the second one behind": "2 matched to a trip, 0 to a line only, 0 to neither; 1, passage_of_other_vehicle 1",
      }
    `);
  });

  it('shows where requests are redirected', async () => {
    const dataDir = await dataDirWith();
    await publish(dataDir, [{ ...published, redirectedTo: 'https://vao.example/hamm/gate' }]);
    const { stdout } = await runCommand(['status'], { dataDir });
    expect(stdout).toContain(
      '\nwl: requests are redirected to https://vao.example/hamm/gate; set its endpoint to that\n',
    );
  });

  it('shows stale sources, and an unreadable budget', async () => {
    const dataDir = await dataDirWith();
    await publish(dataDir, [{ ...published, lastSuccessAt: '2026-03-01T11:56:59.000Z', trouble: null }]);
    await mkdir(path.join(dataDir, 'realtime', 'budgets', 'vao.json'), { recursive: true });
    const { stdout } = await runCommand(['status'], { dataDir });
    expect(stdout).toMatch(/^wl +stale/m);
    expect(stdout).toMatch(/^vao +never +- +budget_unusable/m);
  });

  it('reports that nothing is published, or that nothing is configured', async () => {
    expect((await runCommand(['status'], { dataDir: await dataDirWith() })).stdout).toContain(
      'No realtime data is published yet',
    );
    const withTimetable = await dataDirWith('sources: [{id: a, gtfs: a.zip}]\n');
    expect((await runCommand(['status'], { dataDir: withTimetable })).stdout).toContain(
      'No realtime source is configured.',
    );
  });
});
