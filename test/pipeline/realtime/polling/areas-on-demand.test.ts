import { describe, expect, it } from 'vitest';
import type { GeoBox } from '../../../../pipeline/model/geo.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import { nameArea } from '../../../../pipeline/model/vehicle-demand.ts';
import type { PolledSource } from '../../../../pipeline/realtime/polling/open-sources.ts';
import { areaBudget } from '../../../../pipeline/sources/area-budget.ts';
import { type FakeSource, fakeSource, START_INSTANT, virtualWorld, type World } from './virtual-world.ts';

const salzburg = { south: 47.7, west: 12.9, north: 47.9, east: 13.2 };
const linz = { south: 48.2, west: 14.2, north: 48.4, east: 14.4 };

/** A source that can be requested by area, every half minute. */
function mapSource(id: string, more: FakeSource = {}): PolledSource {
  const polled = fakeSource(id, more);
  const [board] = polled.source.listRequests(START_INSTANT);
  const toAreaRequest = (box: GeoBox) => {
    const part = `area-${nameArea(box)}`;
    return { ...board!, part, url: `https://${id}.example/${part}`, intervalSeconds: 30 };
  };
  return { ...polled, source: { ...polled.source, toAreaRequest } };
}

const want = (...boxes: GeoBox[]) => boxes.map((box) => ({ box, wantedAt: START_INSTANT }));
const requestedBoards = (world: World, part: string) =>
  world.requested.filter((one) => one.part === part).map(({ at }) => at);
const SALZBURG = `area-${nameArea(salzburg)}`;

describe('an area of the map', () => {
  it('is requested within seconds, repeatedly while it is wanted, and no longer', async () => {
    const world = virtualWorld(() => ({}));
    void world.start([mapSource('a', { parts: { main: 3600 } })]);
    await world.run(60);
    expect(world.state('a').onDemand).toEqual({ isCapped: false, areas: [] });
    world.demands.wanted = want(salzburg);
    await world.run(130);
    const instants = requestedBoards(world, SALZBURG);
    expect(instants[0]! - 60).toBeLessThanOrEqual(5);
    expect(instants.map((at) => at - instants[0]!)).toEqual([0, 30, 60]);
    const requestedAt = (START_INSTANT + instants[2]!) as Instant;
    expect(world.state('a').onDemand).toEqual({ isCapped: false, areas: [{ box: salzburg, requestedAt }] });
    expect(world.applied.at(-1)).toMatchObject({ sourceId: 'a', part: SALZBURG });
    world.demands.wanted = [];
    await world.run(300);
    expect(requestedBoards(world, SALZBURG)).toEqual(instants);
    expect(world.state('a').onDemand).toEqual({ isCapped: false, areas: [] });
    world.stop();
  });

  it('covers only what was returned', async () => {
    const world = virtualWorld(({ part }) => (part.startsWith('area') ? { status: 500 } : {}));
    void world.start([mapSource('a')]);
    world.demands.wanted = want(salzburg);
    await world.run(60);
    expect(requestedBoards(world, SALZBURG).length).toBeGreaterThan(0);
    expect(world.state('a').onDemand!.areas).toEqual([]);
    world.stop();
  });

  it('is ignored by a source without areas, one on standby, and a single round', async () => {
    const world = virtualWorld(() => ({}));
    void world.start([fakeSource('plain'), mapSource('paused', { isStandby: true })]);
    world.demands.wanted = want(salzburg);
    await world.run(60);
    expect(requestedBoards(world, SALZBURG)).toEqual([]);
    expect([world.state('plain').onDemand, world.state('paused').onDemand]).toEqual([
      null,
      { isCapped: false, areas: [] },
    ]);
    world.stop();
    const once = virtualWorld(() => ({}));
    once.demands.wanted = want(salzburg);
    const done = once.start([mapSource('a')], { rounds: 1 });
    await once.run(10);
    await done;
    expect(once.requested.map(({ part }) => part)).toEqual(['main']);
  });
});

describe('the budget', () => {
  it('gives areas a share, counted before each request, and boards continue', async () => {
    const world = virtualWorld(() => ({}));
    const spent = new Map<string, number>();
    world.budget.spend = async (source, { requests }) => {
      const used = spent.get(source) ?? 0;
      if (used >= requests) return 'budget_spent';
      spent.set(source, used + 1);
      return null;
    };
    void world.start([mapSource('a', { parts: { main: 60 }, dailyBudget: 50 })]);
    world.demands.wanted = want(salzburg, linz);
    await world.run(1200);
    expect(areaBudget(50)).toBe(10);
    const areas = world.requested.filter(({ part }) => part.startsWith('area'));
    expect([areas.length, spent.get('a.areas')]).toEqual([10, 10]);
    expect(world.state('a').onDemand).toMatchObject({ isCapped: true });
    expect(world.state('a').trouble).toBeNull();
    // Every request counts against the total, including areas.
    expect(requestedBoards(world, 'main').length).toBeGreaterThan(18);
    expect(spent.get('a')).toBe(world.requested.length);
    // No demand any more: nothing is refused.
    world.demands.wanted = [];
    await world.run(1300);
    expect(world.state('a').onDemand).toEqual({ isCapped: false, areas: [] });
    world.stop();
  });

  it('of the whole source, if spent or unreadable, forbids areas too', async () => {
    for (const refusal of ['budget_spent', 'budget_unusable'] as const) {
      const world = virtualWorld(() => ({}));
      world.budget.spend = async (source) => (source === 'a' ? refusal : null);
      world.demands.wanted = want(salzburg);
      void world.start([mapSource('a', { dailyBudget: 50 })]);
      await world.run(200);
      expect([world.requested, world.state('a').onDemand!.isCapped]).toEqual([[], true]);
      world.stop();
    }
  });
});
