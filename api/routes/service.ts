import type { Clock } from '../../pipeline/effects/clock.ts';
import type { References } from '../engine/references.ts';
import type { Timetable } from '../engine/timetable.ts';
import type { QueryValues, RouteHandler, RouteKey } from '../plugins/route-handler.ts';

/** What routes work with beside the request: made once, when the service starts. */
export interface Service {
  readonly clock: Clock;
  readonly references: References;
  /** When each source was last asked with success, by source id; ISO 8601 UTC. */
  getSourceChecks(): Readonly<Record<string, string>>;
  /** A source not asked with success for longer than this is stale. */
  readonly timetableMaxAgeSeconds: number;
}

/** A route that answers from the timetable. */
export type TimetableHandler<Query = QueryValues, Body = unknown> = RouteHandler<Timetable, Query, Body>;

/** Handlers by route. The contract's schema is what makes a query of the handler's type of a raw one. */
export type Handlers = Partial<Record<RouteKey, TimetableHandler>>;

/**
 * A handler that only follows the timetable: its answer stays as it is until a new one is loaded.
 * @param answer gets the timetable and the request's parts
 */
export function timetableRoute<Query>(
  answer: (timetable: Timetable, query: Query, params: Readonly<Record<string, string>>) => object,
): TimetableHandler {
  return {
    snapshot: 'required',
    changesWithTime: () => false,
    answer: ({ snapshot, query, params }) => ({ json: answer(snapshot!.value, query as Query, params) }),
  };
}
