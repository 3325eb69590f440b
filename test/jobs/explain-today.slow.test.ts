import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExplainedTrip } from '../../jobs/explain/explain-trip.ts';
import { openWorldToFinalise, type World } from '../support/worlds/finalised-world.ts';
import { soundFeed } from '../support/worlds/ingest.ts';
import { POLLED_DAY as DAY, pollDay } from '../support/worlds/polled-day.ts';
import { fakeEffects, runCommand } from './fake-world.ts';

/** The valid feed: trips t1 (08:00) and t2 (09:00) of line 1 call at Anger, Berg and Kirche. */
async function freshWorld(): Promise<World> {
  return openWorldToFinalise(soundFeed, DAY);
}

async function explainAt({ dataDir }: World, time: string, ...args: string[]) {
  return runCommand(['explain', ...args, '--config', path.join(dataDir, 'taktgeber.yaml')], {
    dataDir,
    environment: { TAKTGEBER_REFERENCE_KEY: 'ab'.repeat(32) },
    effects: fakeEffects(`${DAY}T${time}Z`),
  });
}

const halfPastEight = '07:32:00';

describe('taktgeber explain, of a trip of today', () => {
  it.each<[what: string, args: string[], trip: string, calls: number[]]>([
    ['by its stop', ['Berg'], 't1', [1]],
    ['by its stop in other letters', ['ANGER'], 't2', [0]],
    ['by the beginning of its stop', ['kirch'], 't1', [2]],
    ['by its line', ['1'], 't1', [0, 1, 2]],
    ['by its line and stop', ['1', 'anger'], 't2', [0]],
    ['by its id', ['t2'], 't2', [0, 1, 2]],
    ['by its id and stop', ['t2', 'berg'], 't2', [1]],
    ['by two stops', ['Anger', 'Kirche'], 't1', [2]],
  ])('finds it %s while the lake only has the timetable', async (_what, args, tripId, positions) => {
    const { code, stdout } = await explainAt(await freshWorld(), halfPastEight, ...args, '--json');
    expect(code).toBe(0);
    const [trip, ...rest] = JSON.parse(stdout) as ExplainedTrip[];
    expect(rest).toEqual([]);
    expect(trip).toMatchObject({ source: 'city', serviceDate: DAY, day: null });
    expect(trip!.calls.map(({ row }) => [row.trip_id, row.position])).toEqual(positions.map((at) => [tripId, at]));
    expect(trip!.calls[0]!.published).toMatchObject({ trip_id: tripId });
  });

  it('is readable, and names the other trips', async () => {
    const { stdout, stderr } = await explainAt(await freshWorld(), halfPastEight, 'Berg');
    expect(stdout).toContain(`city, ${DAY}: no realtime source has reported the trip yet; this is its timetable`);
    expect(stdout).toContain('call 1, Berg (b), arrival: scheduled');
    expect(stdout).toContain(`scheduled_time ${DAY} 07:10:00`);
    expect(stdout).toContain('rule: none yet: the day is not finalised');
    expect(stdout).toMatch(/timetable city [0-9a-f]+: raw\/source=city/);
    expect(stderr).toMatch(
      /2 trips of today match. Explaining 1 to Kirche, 08:11 at Berg \(trip id t1\). Others:\n {2}09:11 {2}1 to Kirche {2}t2\n$/,
    );
  });

  it('shows reports at the calls of a day that is not finalised', async () => {
    const world = await freshWorld();
    await pollDay(world);
    const { stdout } = await explainAt(world, halfPastEight, '1', 'Anger', '--json');
    const nearest = JSON.parse(stdout) as ExplainedTrip[];
    expect(nearest.map(({ source }) => source)).toEqual(['live']);
    const { stdout: text } = await explainAt(world, '06:30:00', 't1', 'Anger');
    expect(text).toContain('the day is not finalised');
    expect(text).toContain('call 0, Anger (a), departure: scheduled');
    expect(text).toContain(`${DAY} 07:01:30`);
    expect(text).not.toContain('observations that are in no row');
  });

  it.each<[reason: string, args: string[], message: string]>([
    ['a blank text', [' '], 'no trip of today has the id, line, number or stop " "'],
    ['a blank stop', ['t1', ' '], 'no trip of today has the id, line, number or stop "t1" and calls at " "'],
    ['a trip that does not run today', ['t9'], 'no trip of today has the id, line, number or stop "t9"'],
    [
      'a stop that the trip does not serve',
      ['t1', 'Wien'],
      'no trip of today has the id, line, number or stop "t1" and calls at "Wien"',
    ],
  ])('rejects %s', async (_reason, args, message) => {
    const { code, stderr } = await explainAt(await freshWorld(), halfPastEight, ...args);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
  });
});
