import { products as allProducts } from '../../../pipeline/model/product.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { TripRequest } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { PlanQuery } from '../planner/itinerary.ts';
import type { Timetable } from '../timetable.ts';
import { type AskedPlace, measureStretches, openPlace, type Places, readPlace, type Walking } from './places.ts';

/** A request with all names resolved. */
export interface Question {
  readonly query: PlanQuery;
  /** In travel order: `from`, every `via`, `to`. */
  readonly places: readonly AskedPlace[];
}

const DEFAULT_MAX_TRANSFERS = 8;

/**
 * @param time where to begin
 * @throws ApiProblem `unknown_stop` with the JSON Pointer of the place
 */
export async function readQuestion(
  places: Places,
  body: TripRequest,
  time: Instant,
  walks: Walking['walks'],
): Promise<Question> {
  const asked = readPlaces(places.timetable, body);
  const walking: Walking = { profile: body.wheelchair ? 'wheelchair' : 'foot', maxMeters: body.maxWalkMeters, walks };
  const [opened, stretchMeters] = await Promise.all([
    Promise.all(asked.map((place) => openPlace(places, place, walking))),
    measureStretches(asked, walking),
  ]);
  return {
    places: asked,
    query: {
      from: opened[0]!,
      to: opened.at(-1)!,
      via: opened.slice(1, -1),
      stretchMeters,
      time,
      timeMode: body.timeMode,
      limit: body.limit,
      maxTransfers: body.maxTransfers ?? DEFAULT_MAX_TRANSFERS,
      minTransferSeconds: (body.minTransferMinutes ?? 0) * 60,
      products: readProducts(body),
      walkSpeedKmh: body.walkSpeedKmh,
      maxWalkMeters: body.maxWalkMeters,
      wheelchair: body.wheelchair,
    },
  };
}

function readPlaces(timetable: Timetable, { from, via = [], to }: TripRequest): AskedPlace[] {
  return [
    readPlace(timetable, from, '/from'),
    ...via.map((place, i) => readPlace(timetable, place, `/via/${i}`)),
    readPlace(timetable, to, '/to'),
  ];
}

function readProducts({ products = [] }: TripRequest): number | null {
  if (products.length === 0) return null;
  return products.reduce((bits, product) => bits | (1 << allProducts.indexOf(product)), 0);
}

/** @throws ApiProblem `timetable_out_of_range` */
export function checkTime({ begin, end, manifest }: Timetable, time: Instant, parameter: string | undefined): void {
  if (time >= begin && time <= end) return;
  const period = `The loaded timetable runs from ${manifest.beginDate} to ${manifest.endDate}`;
  throw new ApiProblem('timetable_out_of_range', `${period}; ask for a time within it.`, parameter);
}
