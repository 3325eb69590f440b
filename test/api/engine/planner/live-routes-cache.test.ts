import { expect, test } from 'vitest';
import { openPlanner } from '../../../../api/engine/planner/open-planner.ts';
import { SPAN_SECONDS } from '../../../../api/engine/planner/raptor-routes.ts';
import { instant, openWorld } from '../../../support/worlds/board-world.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { bookedFeed } from '../../../support/worlds/on-demand-feed.ts';
import { at } from '../live-town.ts';

test('routes with realtime are kept while a query reads the timetable alone', async () => {
  const live = await openLiveWorld(await openWorld(bookedFeed));
  live.report('rt', at('08:01'), { trips: [] });
  const { timetable, realtime } = live.at(at('08:01'));
  live.report('rt', at('08:02'), { trips: [] });
  const later = live.at(at('08:02')).realtime;
  const { getRaptorRoutes, getLiveRoutes } = openPlanner(timetable);
  const now = instant(at('08:02'));
  const routes = getRaptorRoutes(Math.floor(now / SPAN_SECONDS));
  const first = getLiveRoutes(routes, realtime, now);
  const planned = getLiveRoutes(routes, null, now);
  expect(getLiveRoutes(routes, realtime, now)).toBe(first);
  expect(getLiveRoutes(routes, null, now)).toBe(planned);
  expect(getLiveRoutes(routes, later, now)).not.toBe(first);
  expect(getLiveRoutes(routes, null, now)).toBe(planned);
  expect(getLiveRoutes(routes, realtime, now)).not.toBe(first);
});
