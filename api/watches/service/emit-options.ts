import type { RescueRequest, RescueResult } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { WantedOptions } from './learned-watches.ts';
import type { WatchService } from './watch-service.ts';

/** Options that an event carries. */
const MAX_OPTIONS = 4;
/** Broken trips that are looked at after one judging; the others follow after the next. */
const MAX_AT_A_TIME = 20;

/** What can be done about a broken trip, from the present snapshots. @throws ApiProblem as `POST /v2/rescue` */
export type FindOptions = (body: RescueRequest) => Promise<RescueResult>;

/**
 * Searches options for the rescue watches that need some, one after the other, so that requests take precedence.
 * Those of which the planner is too busy stay for the next time.
 */
export async function emitOptions(
  service: Pick<WatchService, 'listWanted' | 'emitOptions'>,
  find: FindOptions,
): Promise<void> {
  for (const wanted of await service.listWanted(MAX_AT_A_TIME)) {
    try {
      await service.emitOptions(wanted.watchId, await findGoodOptions(wanted, find));
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error;
      if (error.code === 'overloaded') return;
      // Its trip is finished or no longer in the timetable: a later snapshot may contain it again.
      await service.emitOptions(wanted.watchId, []);
    }
  }
}

/** An option of which nothing is known is kept: it is not known to be bad. */
async function findGoodOptions({ spec }: WantedOptions, find: FindOptions): Promise<RescueResult['options']> {
  const { to, minSuccessProbability } = spec;
  const legs = spec.legs.map(({ journeyRef, originId, destinationId }) => ({ journeyRef, originId, destinationId }));
  const { options } = await find({ legs, ...(to ? { to } : {}), limit: MAX_OPTIONS });
  return options.filter(
    ({ successProbability }) => successProbability === undefined || successProbability >= minSuccessProbability,
  );
}
