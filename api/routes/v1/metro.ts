import { formatUtc } from '../../../pipeline/model/service-time.ts';
import type { V1Metro } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { V1MetroQuery } from '../../contract/v1-queries.ts';
import { getMetroBoard } from '../../engine/metro.ts';
import type { Handlers, Service } from '../service.ts';

/** Kind of source that publishes these monitors. */
const METRO_KIND = 'wiener-linien';

export function metroHandlers({ metroStations, getRealtimeSources }: Service): Handlers {
  return {
    'GET /v1/city-transit/metro': {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: ({ snapshot, query, instant }) => {
        const { diva } = query as V1MetroQuery;
        if (!metroStations.has(diva)) {
          throw new ApiProblem(
            'unknown_station',
            'The list of metro stations has no station with this number.',
            'diva',
          );
        }
        const sources = getRealtimeSources().filter(({ kind }) => kind === METRO_KIND);
        // A source that is not configured counts as paused.
        if (sources.every(({ isStandby }) => isStandby)) {
          throw new ApiProblem(
            'source_standby',
            'The operator has paused the source of metro departures. Try again later.',
          );
        }
        const board = getMetroBoard(snapshot!.value.realtime, diva, instant);
        const answer: V1Metro = {
          generatedAt: formatUtc(instant * 1000),
          status: board.isStale ? 'stale' : 'ok',
          departures: board.departures.map(({ line, towards, plannedAt, realAt }) => ({
            line,
            towards,
            plannedAt: formatUtc(plannedAt * 1000),
            realAt: realAt === null ? null : formatUtc(realAt * 1000),
          })),
        };
        return { json: answer };
      },
    },
  };
}
