import { describe, expect, it } from 'vitest';
import { ExternalError } from '../../../../pipeline/effects/external-error.ts';
import { type FakeAnswer, fakeSource, instantAt, START_INSTANT, virtualWorld } from './virtual-world.ts';

const well = (): FakeAnswer => ({});

describe('header times', () => {
  const publishedAt = (seconds: number) => ({ body: { publishedAt: instantAt(seconds) } });

  it('that run backwards are set aside until current data have expired', async () => {
    const world = virtualWorld((_, count) => publishedAt([-10, -40, 50, 40, 40, 40, 40, 40, 40][count]!));
    void world.start([fakeSource('a', { maxAgeSeconds: 120 })]);
    await world.run(35);
    expect(world.state('a')).toMatchObject({ trouble: 'header_backwards', lastSuccessAt: START_INSTANT });
    await world.run(220);
    expect(world.applied.map(({ fetchedAt }) => fetchedAt - START_INSTANT)).toEqual([0, 60, 210]);
    expect(world.state('a')).toMatchObject({ trouble: null, attempts: { applied: 3, header_backwards: 5 } });
  });

  it('that do not change are accepted', async () => {
    const world = virtualWorld(() => publishedAt(0));
    void world.start([fakeSource('a')]);
    await world.run(70);
    expect(world.state('a').attempts).toEqual({ applied: 3 });
  });

  it('ahead of us are detected, corrected, and do not make later ones look old', async () => {
    const world = virtualWorld((_, count) => publishedAt([100, 29, 119][count]!));
    void world.start([fakeSource('a')]);
    await world.run(1);
    expect(world.applied[0]!.update).toMatchObject({
      publishedAt: START_INSTANT,
      problems: [{ code: 'header_in_future', source: 'a', place: 'main' }],
    });
    expect(world.state('a')).toMatchObject({ trouble: 'header_in_future', lastSuccessAt: START_INSTANT });
    await world.run(65);
    // 59 s are within the usual difference of clocks.
    expect(world.applied.slice(1).map(({ update }) => update.publishedAt)).toEqual([instantAt(29), instantAt(119)]);
    expect(world.state('a').trouble).toBeNull();
  });

  it('further ahead than a response may be behind are not current', async () => {
    const board = { station: '60201095', publishedAt: null, isFrozen: false, departures: [] };
    const world = virtualWorld(() => ({ body: { publishedAt: instantAt(86_400), stationBoards: [board] } }));
    void world.start([fakeSource('a')]);
    await world.run(1);
    expect(world.applied[0]!.update).toMatchObject({
      publishedAt: START_INSTANT,
      isFrozen: true,
      stationBoards: [{ isFrozen: true }],
      problems: [{ code: 'header_in_future' }],
    });
    expect(world.state('a')).toMatchObject({ trouble: 'frozen', lastSuccessAt: null });
  });

  it('of a frozen response: applied, but not a success', async () => {
    const world = virtualWorld((_, count) => ({ headers: { etag: '"1"' }, body: { isFrozen: count > 0 } }));
    void world.start([fakeSource('a')]);
    await world.run(65);
    expect(world.applied).toHaveLength(3);
    expect(world.state('a')).toMatchObject({ trouble: 'frozen', lastSuccessAt: START_INSTANT });
    expect(world.requested.map(({ headers }) => 'if-none-match' in headers)).toEqual([false, true, false]);
  });
});

describe('the daily budget', () => {
  it('is checked before each request; its refusal is reported until it is lifted', async () => {
    const world = virtualWorld(well);
    let left = 2;
    world.budget.spend = async (source, limit) => {
      expect([source, limit]).toEqual(['a', { requests: 2, zone: 'Europe/Vienna' }]);
      return left-- > 0 ? null : 'budget_spent';
    };
    void world.start([fakeSource('a', { dailyBudget: 2 })]);
    await world.run(90);
    expect(world.requested).toHaveLength(2);
    expect(world.state('a')).toMatchObject({ trouble: 'budget_spent', lastSuccessAt: instantAt(30) });
    left = 1;
    await world.run(125);
    expect(world.requested.map(({ at }) => at)).toEqual([0, 30, 120]);
    expect(world.state('a').trouble).toBeNull();
  });

  it('that is unreadable blocks all requests', async () => {
    const world = virtualWorld(well);
    world.budget.spend = async () => 'budget_unusable';
    void world.start([fakeSource('a', { dailyBudget: 2 }), fakeSource('b')]);
    await world.run(300);
    expect(world.requested.every(({ source }) => source === 'b')).toBe(true);
    expect(world.state('a').trouble).toBe('budget_unusable');
  });
});

describe('standby', () => {
  const since = '2026-03-02T07:00:00Z';

  it('is applied while polling, and nothing is requested until it ends', async () => {
    const world = virtualWorld(well);
    void world.start([fakeSource('a'), fakeSource('b')]);
    await world.run(10);
    world.standby.switches = { a: { isStandby: true, since } };
    await world.run(100);
    expect(world.state('a')).toMatchObject({ isStandby: true, trouble: null });
    expect(world.published.find(({ states }) => states[0]!.isStandby)!.at).toBeLessThanOrEqual(20);
    world.standby.switches = { a: { isStandby: false, since } };
    await world.run(110);
    expect(world.requested.filter(({ source }) => source === 'a').map(({ at }) => at)).toEqual([0, 105]);
    expect(world.requested.filter(({ source }) => source === 'b')).toHaveLength(4);
    expect(world.state('a').isStandby).toBe(false);
  });

  it('can be configured, and is lifted by a switch', async () => {
    const world = virtualWorld(well);
    void world.start([fakeSource('a', { isStandby: true })]);
    await world.run(60);
    expect([world.requested, world.state('a').isStandby]).toEqual([[], true]);
    world.standby.switches = { a: { isStandby: false, since } };
    await world.run(70);
    expect(world.requested).toHaveLength(1);
  });

  it('that is unreadable blocks all requests', async () => {
    const world = virtualWorld(well);
    world.standby.switches = new ExternalError('standby_unreadable', 'mend it');
    void world.start([fakeSource('a')]);
    await world.run(60);
    expect([world.requested, world.state('a')]).toMatchObject([
      [],
      { isStandby: false, trouble: 'standby_unreadable' },
    ]);
  });
});
