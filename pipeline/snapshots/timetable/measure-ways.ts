import type { Log } from '../../effects/log.ts';
import { isCoordinate } from '../../model/geo.ts';
import { CHANGE_WALK_METERS } from '../../model/walking.ts';
import type { Point, WalkProfile, WalkRouter } from '../../streets/walk-router.ts';
import { append, emptyList, toArray } from './int32-list.ts';
import { type PlacedStops, type Relation, relations, type StopPairs } from './stop-ways.ts';

/** Ways inside of stations, and those that the publisher names, are looked for this far. */
const FURTHEST_METERS = 3000;
/** As many as the street engine has hands: it works in the system's pool of four threads. */
const QUESTIONS_AT_ONCE = 4;
const STOPS_PER_STEP = 2000;

/** Also what the snapshot says where a wheelchair does not get through. */
const UNKNOWN = -1;
const sameStop = relations.indexOf('sameStop');
const near = relations.indexOf('near');

/**
 * Puts ways through the streets in the place of straight ones. Stops that are near by the straight line alone are no
 * pair any more, unless a rule names them; in a station, and where a rule says so, the straight way stays where the
 * streets know none.
 */
export async function measureStopPairs(
  pairs: StopPairs,
  stops: PlacedStops,
  walks: WalkRouter,
  log: Log,
): Promise<StopPairs> {
  const foot = new Int32Array(pairs.a.length).fill(UNKNOWN);
  const wheelchair = foot.slice();
  const waiting = handOut(listQuestions(pairs, stops), log);
  // All take from one line; when one of them fails the line is closed for the others, too.
  const takeTurns = async () => {
    for (const question of waiting) {
      await ask(question, 'foot', pairs, stops, walks, foot);
      await ask(question, 'wheelchair', pairs, stops, walks, wheelchair);
    }
  };
  await Promise.all(Array.from({ length: QUESTIONS_AT_ONCE }, takeTurns));
  return settle(pairs, foot, wheelchair);
}

function* handOut(questions: readonly Question[], log: Log): Generator<Question> {
  for (const [begun, question] of questions.entries()) {
    if (begun % STOPS_PER_STEP === 0) log.progress(`ways on foot: ${begun} of ${questions.length} stops`);
    yield question;
  }
}

/** Pairs from one stop to others, all of them with coordinates. */
interface Question {
  readonly stop: number;
  readonly rows: readonly number[];
  readonly maxMeters: number;
}

function listQuestions(pairs: StopPairs, { lat, lon }: PlacedStops): Question[] {
  const questions: Question[] = [];
  const isPlaced = (stop: number) => isCoordinate(lat[stop]!, lon[stop]!);
  for (let first = 0, end = 0; first < pairs.a.length; first = end) {
    const stop = pairs.a[first]!;
    const rows: number[] = [];
    let maxMeters = CHANGE_WALK_METERS;
    for (end = first; pairs.a[end] === stop; end++) {
      if (pairs.relation[end] === sameStop || !isPlaced(pairs.b[end]!)) continue;
      rows.push(end);
      if (pairs.relation[end] !== near || pairs.isNamed[end]) maxMeters = FURTHEST_METERS;
    }
    if (rows.length > 0 && isPlaced(stop)) questions.push({ stop, rows, maxMeters });
  }
  return questions;
}

async function ask(
  { stop, rows, maxMeters }: Question,
  profile: WalkProfile,
  { b }: StopPairs,
  { lat, lon }: PlacedStops,
  walks: WalkRouter,
  into: Int32Array,
): Promise<void> {
  const place = (of: number): Point => ({ lat: lat[of]!, lon: lon[of]! });
  const others = rows.map((row) => place(b[row]!));
  const found = await walks.measure(place(stop), others, profile, maxMeters);
  for (const [i, row] of rows.entries()) into[row] = found[i] ?? UNKNOWN;
}

/** @param foot metres by pair, or `UNKNOWN`; so for wheelchairs */
function settle(pairs: StopPairs, foot: Int32Array, wheelchair: Int32Array): StopPairs {
  const settled = { relation: pairs.relation.slice(), meters: pairs.meters.slice(), wheelchairMeters: foot.slice() };
  const kept = emptyList();
  for (let row = 0; row < pairs.a.length; row++) {
    const way = settlePair(
      relations[pairs.relation[row]!]!,
      pairs.isNamed[row] === 1,
      { meters: pairs.meters[row]!, wheelchairMeters: pairs.wheelchairMeters[row]! },
      { meters: foot[row]!, wheelchairMeters: wheelchair[row]! },
    );
    if (way === null) continue;
    settled.relation[row] = relations.indexOf(way.relation);
    settled.meters[row] = way.meters;
    settled.wheelchairMeters[row] = way.wheelchairMeters;
    append(kept, row);
  }
  const rows = toArray(kept);
  return {
    a: rows.map((row) => pairs.a[row]!),
    b: rows.map((row) => pairs.b[row]!),
    relation: Uint8Array.from(rows, (row) => settled.relation[row]!),
    isNamed: Uint8Array.from(rows, (row) => pairs.isNamed[row]!),
    meters: rows.map((row) => settled.meters[row]!),
    wheelchairMeters: rows.map((row) => settled.wheelchairMeters[row]!),
  };
}

interface Way {
  readonly meters: number;
  readonly wheelchairMeters: number;
}

/** @returns null where the stops are no pair */
function settlePair(
  relation: Relation,
  isNamed: boolean,
  straight: Way,
  measured: Way,
): (Way & { readonly relation: Relation }) | null {
  const isKnown = measured.meters !== UNKNOWN;
  if (relation === 'sameStop') return { relation, ...straight };
  if (relation === 'sameStation') {
    const hasRamp = measured.wheelchairMeters !== UNKNOWN;
    return {
      relation,
      meters: isKnown ? measured.meters : straight.meters,
      wheelchairMeters: hasRamp ? measured.wheelchairMeters : straight.wheelchairMeters,
    };
  }
  const isNear = relation === 'near' && isKnown && measured.meters <= CHANGE_WALK_METERS;
  // What the publisher names is a way, even where the streets know of none.
  if (isNamed) return { relation: isNear ? 'near' : 'named', ...(isKnown ? measured : straight) };
  if (!isNear) return null;
  const isReachable = measured.wheelchairMeters <= CHANGE_WALK_METERS;
  return { relation, meters: measured.meters, wheelchairMeters: isReachable ? measured.wheelchairMeters : UNKNOWN };
}
