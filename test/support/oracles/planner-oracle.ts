import fc from 'fast-check';
import { openPlanner } from '../../../api/engine/planner/open-planner.ts';
import { type Product, products } from '../../../pipeline/model/product.ts';
import type { World } from '../worlds/board-world.ts';
import { cityQuestion, toCityQuestion } from '../worlds/city-plans.ts';
import { reportCity } from '../worlds/city-reports.ts';
import { type Compared, compareBest, comparePages } from './compare-plans.ts';
import { receiveReports } from './naive-plan-cases.ts';
import { readPlanFeed } from './naive-plan-feed.ts';
import { isThere } from './naive-plan-places.ts';
import { openNaiveNetwork } from './naive-plan-runs.ts';
import type { PlannerQuestion } from './query-planner.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const PAGES = 3;

/** A feed on which both planners are queried at random: on some days, for journeys of normal length. */
export interface PlannerOracle {
  /** Compares the earliest arrivals, or the latest departures. @returns how often there was an itinerary */
  compareBest(timeMode: PlannerQuestion['timeMode'], count: number, seed: number): number;
  /** Compares the first pages. @returns number of compared itineraries */
  comparePages(timeMode: PlannerQuestion['timeMode'], count: number, seed: number): number;
  /** Compares both on the first day, with all reports up to an hour. @returns number of comparisons */
  compareLive(hour: number, count: number, seed: number): Promise<number>;
}

/**
 * @param world of one source, `at`
 * @param files the texts of its feed
 * @param days their starts, seconds since 1970
 */
export function openPlannerOracle(
  world: World,
  files: ReadonlyMap<string, string>,
  days: readonly number[],
): PlannerOracle {
  const planner = openPlanner(world.timetable);
  const feed = readPlanFeed(files, readProducts(world));
  // A page searches one day ahead, a journey may take two days, and one that began the day before may still be under
  // way.
  const openNetwork = (day: number, live: Parameters<typeof openNaiveNetwork>[3] = null) =>
    openNaiveNetwork(feed, day - 2 * DAY, day + 4 * DAY, live);
  const networks = new Map(days.map((day) => [day, openNetwork(day)]));
  const asPlanned = (time: number): Compared => ({
    world: { planner, realtime: null },
    network: networks.get(days.findLast((day) => day <= time)!)!,
    span: DAY,
  });
  const best = (compared: Compared, requested: PlannerQuestion) =>
    compareBest({ ...compared, longest: 8 * HOUR }, requested);
  const pages = (compared: Compared, requested: PlannerQuestion) =>
    comparePages({ ...compared, span: 6 * HOUR, longest: 4 * HOUR }, requested, PAGES);
  const query = (
    count: number,
    seed: number,
    check: (question: ReturnType<typeof toCityQuestion>, draw: number) => void,
  ) =>
    fc.assert(
      fc.property(cityQuestion, fc.nat(119), (drawn, draw) => {
        const question = toCityQuestion(drawn, feed, days);
        fc.pre(!isThere(feed, question));
        check(question, draw);
      }),
      // Shrinking a query does not shrink the city.
      { numRuns: count, seed, endOnFailure: true },
    );
  return {
    compareBest(timeMode, count, seed) {
      let reached = 0;
      query(count, seed, (question) => {
        if (best(asPlanned(question.time), { ...question, timeMode, limit: 6 })) reached += 1;
      });
      return reached;
    },
    comparePages(timeMode, count, seed) {
      let shown = 0;
      query(count, seed, (question) => {
        shown += pages(asPlanned(question.time), { ...question, timeMode, limit: 6 });
      });
      return shown;
    },
    async compareLive(hour, count, seed) {
      const instant = days[0]! + hour * HOUR;
      const reports = reportCity(feed, instant, seed);
      const network = openNetwork(days[0]!, { reports, instant });
      const compared = {
        world: { planner, realtime: await receiveReports(world, reports, instant) },
        network,
        span: DAY,
      };
      let shown = 0;
      query(count, seed, (question, draw) => {
        // From half an hour ago on; every fourth query also compares pages.
        const timeMode = draw % 2 === 0 ? 'departure' : 'arrival';
        const requested: PlannerQuestion = {
          ...question,
          time: instant + (draw - 30) * 60,
          instant,
          timeMode,
          limit: 6,
        };
        best(compared, requested);
        if (draw % 4 < 2) shown += pages(compared, requested);
      });
      return shown;
    },
  };
}

/** The service derives the products of routes: separate tests verify them. */
function readProducts({ timetable }: World): (routeId: string) => Product {
  const { routes } = timetable.tables;
  const byId = new Map<string, Product>();
  for (let row = 0; row < routes.source.length; row++)
    byId.set(routes.routeId.get(row), products[routes.product[row]!]!);
  return (routeId) => byId.get(routeId)!;
}
