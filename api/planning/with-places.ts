import { namePoint } from '../engine/places/nearest-place.ts';
import type { PlacesIndex } from '../engine/places/place-index.ts';
import { resolvePlace } from '../engine/places/resolve-places.ts';
import type { Timetable } from '../engine/read/timetable.ts';
import type { SnapshotHolder } from '../plugins/route-handler.ts';
import type { Planning, PlanningTask } from './planning.ts';

/**
 * Planning that also accepts ids of places, and names coordinates that have no name. Places are resolved before a task
 * is passed on, so that the threads that plan need no index.
 */
export function withPlaces(planning: Planning, places: SnapshotHolder<PlacesIndex>): Planning {
  return {
    answer(task, held, instant, whenGone) {
      const index = places.current()?.value;
      const resolved = index ? resolveTask(held?.value.timetable ?? null, index, task) : task;
      return planning.answer(resolved, held, instant, whenGone);
    },
    follow: (held) => planning.follow(held),
    prepare: (timetable) => planning.prepare(timetable),
    isWorking: () => planning.isWorking(),
    get queueDepth() {
      return planning.queueDepth;
    },
    close: () => planning.close(),
  };
}

function resolveTask(timetable: Timetable | null, index: PlacesIndex, task: PlanningTask): PlanningTask {
  const resolve = (place: Parameters<typeof resolvePlace>[2]) => resolvePlace(timetable, index, place);
  switch (task.kind) {
    case 'trips':
    case 'tripChoice': {
      const { from, to, via } = task.body;
      const places = { from: resolve(from), to: resolve(to), ...(via ? { via: via.map(resolve) } : {}) };
      return { ...task, body: { ...task.body, ...places } };
    }
    case 'followedTrip':
      return { ...task, body: { ...task.body, from: resolve(task.body.from), to: resolve(task.body.to) } };
    case 'rescue': {
      const { to, position } = task.body;
      const positionName = position ? namePoint(index, position.lat, position.lon) : null;
      return {
        ...task,
        body: {
          ...task.body,
          ...(to ? { to: resolve(to) } : {}),
          ...(positionName === null ? {} : { positionName }),
        },
      };
    }
    case 'footpath':
      return task;
  }
}
