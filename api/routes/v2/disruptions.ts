import { parseTimestamp } from '../../../pipeline/model/service-time.ts';
import type { DisruptionsQuery } from '../../contract/v2-queries.ts';
import { listDisruptions } from '../../engine/alerts/disruptions.ts';
import type { Handlers } from '../service.ts';

const DEFAULT_RADIUS_METERS = 1000;

export function disruptionHandlers(): Handlers {
  return {
    'GET /v2/disruptions': {
      snapshot: 'required',
      changesWithTime: () => true,
      answer: ({ snapshot, query, instant }) => {
        const { activeAt, lat, lon, radiusMeters = DEFAULT_RADIUS_METERS, ...filters } = query as DisruptionsQuery;
        const near = lat === undefined || lon === undefined ? {} : { near: { lat, lon, radiusMeters } };
        // Validated by the contract.
        const at = activeAt === undefined ? instant : parseTimestamp(activeAt)!;
        return { json: listDisruptions(snapshot!.value, { ...filters, ...near, activeAt: at }, instant) };
      },
    },
  };
}
