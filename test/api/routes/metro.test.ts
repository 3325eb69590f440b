import { beforeAll, describe, expect, test } from 'vitest';
import { fixedClock } from '../../../pipeline/effects/clock.ts';
import type { StationBoard } from '../../../pipeline/model/realtime.ts';
import type { RealtimeSourceState } from '../../../pipeline/snapshots/realtime-contract.ts';
import { expectValidAnswer } from '../../support/checks/contract-validator.ts';
import { instant, openWorld, type World } from '../../support/worlds/board-world.ts';
import { openLiveWorld, sourceState } from '../../support/worlds/live-world.ts';
import { at, town } from '../engine/live-town.ts';
import { openService } from '../service-app.ts';
import { expectProblem } from '../test-app.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld(town);
});

const STATION = '60201095';
const metro = { kind: 'wiener-linien', maxAgeSeconds: 180 };

const departure = (line: string, planned: string, real: string | null) => ({
  line,
  towards: `Towards ${line}`,
  plannedAt: instant(at(planned)),
  realAt: real === null ? null : instant(at(real)),
});

async function liveWorld(board: Partial<StationBoard>, over: Partial<RealtimeSourceState> = {}): Promise<World> {
  const live = await openLiveWorld(world, ['city'], { ...metro, ...over });
  const stationBoards = [{ station: STATION, publishedAt: null, isFrozen: false, departures: [], ...board }];
  live.report('city', at('08:00'), { stationBoards });
  return live.at(at('08:00'));
}

async function getMonitor(
  live: World,
  now = '08:00',
  diva: string = STATION,
  sources?: readonly RealtimeSourceState[],
) {
  const options = { clock: fixedClock(at(now)), ...(sources ? { realtimeSources: sources } : {}) };
  const app = await openService(live, options);
  return app.inject({ url: `/v1/city-transit/metro?diva=${diva}` });
}

const rush = {
  departures: [
    departure('U2', '08:09', null),
    departure('U1', '07:55', '08:02'),
    departure('U1', '08:01', '07:59'),
    departure('U1', '07:50', null),
    departure('U2', '07:58', '08:00'),
    departure('U4', '08:05', '08:05'),
  ],
};

describe('the monitor of a station', () => {
  test('shows future departures in order of time', async () => {
    const answer = await getMonitor(await liveWorld(rush));
    await expectValidAnswer('V1Metro', answer.json());
    expect(answer.json()).toEqual({
      generatedAt: '2026-03-03T07:00:00.000Z',
      status: 'ok',
      departures: [
        ['U2', '06:58', '07:00'],
        ['U1', '06:55', '07:02'],
        ['U4', '07:05', '07:05'],
        ['U2', '07:09', null],
      ].map(([line, planned, real]) => ({
        line,
        towards: `Towards ${line}`,
        plannedAt: `2026-03-03T${planned}:00.000Z`,
        realAt: real === null ? null : `2026-03-03T${real}:00.000Z`,
      })),
    });
  });

  test('drops departures that have left', async () => {
    const answer = await getMonitor(await liveWorld(rush), '08:02:45');
    expect(answer.json().departures.map(({ line }: { line: string }) => line)).toEqual(['U4', 'U2']);
  });

  test('can be empty without being stale', async () => {
    expect((await getMonitor(await liveWorld({}))).json()).toMatchObject({ status: 'ok', departures: [] });
  });
});

describe('stale, and then without departures', () => {
  test.each<[string, Partial<StationBoard>, string, string]>([
    ['not yet', rush, '08:03:00', 'ok'],
    ['not heard for too long', rush, '08:03:15', 'stale'],
    ['the upstream stands still', { ...rush, isFrozen: true }, '08:00', 'stale'],
    ['never asked for this station', { ...rush, station: '60200001' }, '08:00', 'stale'],
    ['of a station that has no number', { ...rush, station: 'Karlsplatz' }, '08:00', 'stale'],
  ])('%s', async (_case, board, now, expected) => {
    const answer = await getMonitor(await liveWorld(board), now);
    await expectValidAnswer('V1Metro', answer.json());
    expect([answer.statusCode, answer.json().status]).toEqual([200, expected]);
    if (expected === 'stale') expect(answer.json().departures).toEqual([]);
  });

  test('is empty if the source reports another timetable', async () => {
    const answer = await getMonitor(world, '08:00', STATION, [sourceState('city', metro)]);
    expect(answer.json()).toMatchObject({ status: 'stale', departures: [] });
  });
});

describe('refusals', () => {
  test.each(['60200001', '1', '0'])('%s is not a known station', async (diva) => {
    expectProblem(await getMonitor(await liveWorld(rush), '08:00', diva), 'unknown_station', 'diva');
  });

  test.each(['', 'x', '-1', '60201095.5', '60201095,60201320'])('"%s" is not a number', async (diva) => {
    expectProblem(await getMonitor(await liveWorld(rush), '08:00', diva), 'invalid_parameter', 'diva');
  });

  test('reports a paused source', async () => {
    expectProblem(await getMonitor(await liveWorld(rush, { isStandby: true })), 'source_standby');
  });

  test('ignores the state of other sources', async () => {
    const paused = sourceState('other', { isStandby: true });
    const sources = [sourceState('city', { ...metro, lastSuccessAt: '2026-03-03T07:00:00.000Z' }), paused];
    expect((await getMonitor(await liveWorld(rush), '08:00', STATION, sources)).statusCode).toBe(200);
    const others = [sourceState('city', { ...metro, isStandby: true }), sourceState('other')];
    expectProblem(await getMonitor(await liveWorld(rush), '08:00', STATION, others), 'source_standby');
  });

  test('reports an unknown station before a pause', async () => {
    expectProblem(
      await getMonitor(await liveWorld(rush, { isStandby: true }), '08:00', '1'),
      'unknown_station',
      'diva',
    );
  });
});
