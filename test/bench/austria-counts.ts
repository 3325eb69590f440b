import { type AustrianFeed, FLEX_CALLS, flexTrips, isToRallyingPoint, listFeedRoutes } from './austria-feed.ts';

/** Numbers by what is counted, such as `kaernten: stop_times duplicate_row`. */
export type Counts = Readonly<Record<string, number>>;

/** What an ingest of the generated country must count: the generator knows what it has put in. */
export function expectCounts(feeds: readonly AustrianFeed[]): Counts {
  return Object.assign({}, ...feeds.map(expectOfFeed), expectMerges(feeds));
}

function expectOfFeed(feed: AustrianFeed): Counts {
  const { plan, stations, variants } = feed;
  const { fixes } = plan.repairs;
  const trips = variants.reduce((sum, { service }) => sum + service.length, 0);
  const calls = variants.reduce((sum, { service, variant }) => sum + service.length * variant.stations.length, 0);
  const routes = listFeedRoutes(feed);
  const ofFlex = plan.isFlex ? flexTrips.length : 0;
  const flexRoutes = plan.isFlex ? new Set(flexTrips.map(({ line }) => line)).size : 0;
  // The rallying points have no stops, so nobody can be taken there.
  const toNowhere = plan.isFlex ? flexTrips.filter(isToRallyingPoint).length : 0;
  const isRailway = fixes.includes('train-categories');
  const sum = (of: (variant: AustrianFeed['variants'][number]) => boolean) =>
    variants.filter(of).reduce((all, { service }) => all + service.length, 0);
  const counts = {
    'stop_times rows': calls + plan.copies + plan.conflicts + ofFlex * FLEX_CALLS,
    'stop_times duplicate_row': plan.copies,
    'stop_times duplicate_sequence': plan.conflicts,
    'stop_times empty_location_group': toNowhere,
    'stop_times trip_refused': toNowhere,
    'trips rows': trips + ofFlex,
    'trips unusable_call_count': toNowhere,
    'stops parent-ids': stations.filter(({ railwayId }) => !isRailway || railwayId === null).length,
    'routes assumed_time_zone': plan.lacksAgencies ? routes.length + flexRoutes : 0,
    'routes unknown_agency': plan.lacksAgencies ? routes.length + flexRoutes : 0,
    'trips train-numbers': isRailway
      ? sum(({ route, tripNames }) => route.shortName !== null && isNumbered(route.shortName) && tripNames === null)
      : 0,
    'routes train-numbers': isRailway ? routes.filter(({ shortName }) => shortName === null).length : 0,
    'routes train-categories': isRailway ? routes.length : 0,
    'routes corridor-names': isRailway ? routes.filter(({ longName }) => longName.split(' - ').length > 2).length : 0,
    'trips border-shapes': isRailway ? sum(({ shapedStations }) => shapedStations !== null) : 0,
  };
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [[`${plan.id}: ${name}`, count]])),
  );
}

/** Names of long-distance trains have a blank, those of the S-Bahn's lines have none. */
function isNumbered(shortName: string): boolean {
  return shortName.includes(' ');
}

function expectMerges(feeds: readonly AustrianFeed[]): Counts {
  const publishers = new Map<string, number>();
  let byName = 0;
  for (const { plan, stations } of feeds) {
    for (const { id, railwayId } of stations) {
      // The railway's own number is found only by name and place.
      if (railwayId !== null && plan.states.length === 0) byName += 1;
      else publishers.set(id, (publishers.get(id) ?? 0) + 1);
    }
  }
  const byId = [...publishers.values()].reduce((sum, count) => sum + count - 1, 0);
  const shared = feeds.flatMap((feed) => feed.shared);
  const countTrips = (rule: 'number' | 'line') =>
    shared.filter((one) => one.rule === rule).reduce((sum, { trips }) => sum + trips, 0);
  return {
    'merged stations by table': 0,
    'merged stations by global_id': byId,
    'merged stations by name': byName,
    'merged trips by table': 0,
    'merged trips by number': countTrips('number'),
    'merged trips by line': countTrips('line'),
  };
}

/** @returns a sentence for each number that is not the expected one */
export function compareCounts(expected: Counts, found: Counts): string[] {
  const names = [...new Set([...Object.keys(expected), ...Object.keys(found)])];
  return names.flatMap((name) => {
    const [wanted, counted] = [expected[name] ?? 0, found[name] ?? 0];
    return wanted === counted ? [] : [`${name}: ${counted}, expected ${wanted}`];
  });
}
