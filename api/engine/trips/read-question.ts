import { products as allProducts } from '../../../pipeline/model/product.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { TripRequest } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import type { PlanPlace, PlanQuery } from '../planner/itinerary.ts';
import { isPartOf, type Timetable } from '../timetable.ts';
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
  // Whoever asks for the way to the stop they are at need not go: nothing leads there.
  const isThere = isOneStop(places.timetable, asked);
  return {
    places: asked,
    query: {
      from: opened[0]!,
      to: isThere ? NOWHERE : opened.at(-1)!,
      via: opened.slice(1, -1),
      stretchMeters: isThere ? [null] : stretchMeters,
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

const NOWHERE: PlanPlace = { members: [], reach: [] };

/** Whether the question is for one and the same stop, or for a station and its own platform. */
function isOneStop({ tables }: Timetable, asked: readonly AskedPlace[]): boolean {
  const [from, to] = [asked[0]!.stop, asked.at(-1)!.stop];
  if (asked.length > 2 || from < 0 || to < 0) return false;
  return isPartOf(tables, from, to) || isPartOf(tables, to, from);
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
