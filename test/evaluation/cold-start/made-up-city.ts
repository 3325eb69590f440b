import { buildDatedTripTable, type DatedTripTable } from '../../../pipeline/predictions/features/dated-trip-table.ts';
import { seededRandom } from '../../../pipeline/predictions/forest/seeded-random.ts';

/** Traffic of a city without a public archive, and how its vehicles are observed. Times in seconds. */
interface CityStyle {
  readonly lines: number;
  readonly stops: number;
  readonly headway: number;
  readonly hours: number;
  /** Standard deviations: of a leg, of what a leg of a line usually loses, of an observation. */
  readonly legNoise: number;
  readonly legHabit: number;
  readonly observedNoise: number;
  /** Mean delay of a first departure. */
  readonly startDelay: number;
  /** Share of calls that are observed. */
  readonly observed: number;
  /** An early vehicle waits at every so many stops. */
  readonly timepointEvery: number;
}

/** A large city of streetcars and buses: short headways, measured times. */
const torontoLike: CityStyle = {
  lines: 6,
  stops: 32,
  headway: 600,
  hours: 17,
  legNoise: 22,
  legHabit: 9,
  observedNoise: 3,
  startDelay: 75,
  observed: 0.97,
  timepointEvery: 16,
};

/** A small city: half-hourly buses, observed by their positions, a quarter of the calls not at all. */
const kingstonLike: CityStyle = {
  lines: 9,
  stops: 26,
  headway: 1800,
  hours: 15,
  legNoise: 20,
  legHabit: 10,
  observedNoise: 10,
  startDelay: 70,
  observed: 0.74,
  timepointEvery: 9,
};

/** The styles, by name. */
export const cityStyles: ReadonlyMap<string, CityStyle> = new Map([
  ['toronto_like', torontoLike],
  ['kingston_like', kingstonLike],
]);

/** 2026-01-01, in days since 1970. */
export const FIRST_CITY_DAY = 20_454;

/** Dated trips of some days; the same for the same style, days and seed. */
export function makeCity(style: CityStyle, days: number, seed: number): DatedTripTable {
  const random = seededRandom(seed);
  const normal = () => {
    let sum = 0;
    for (let i = 0; i < 6; i++) sum += random();
    return (sum - 3) * Math.SQRT2;
  };
  const { lines, stops, headway, hours } = style;
  const directions = 2 * lines;
  const trips = Math.floor((hours * 3600) / headway);
  const count = days * directions * trips * stops;
  const ints = () => new Int32Array(count);
  const floats = () => new Float64Array(count);
  const calls = {
    datedTrip: ints(),
    serviceDay: ints(),
    train: ints(),
    route: ints(),
    operator: ints(),
    stop: ints(),
    sequence: ints(),
    scheduledArrival: floats(),
    scheduledDeparture: floats(),
    arrivalDelay: floats(),
    departureDelay: floats(),
    isInstant: new Uint8Array(count).fill(1),
  };
  const legSeconds = Array.from({ length: directions * stops }, () => 50 + Math.floor(100 * random()));
  const habits = legSeconds.map(() => style.legHabit * normal());
  let row = 0;
  for (let day = 0; day < days; day++) {
    const weather = 1 + 0.15 * normal();
    for (let direction = 0; direction < directions; direction++) {
      for (let trip = 0; trip < trips; trip++) {
        const first = row;
        let planned = (FIRST_CITY_DAY + day) * 86_400 + 5 * 3600 + trip * headway + direction * 97;
        const hour = 5 + (trip * headway) / 3600;
        const rush = Math.exp(-((hour - 8) ** 2) / 3) + Math.exp(-((hour - 17) ** 2) / 4);
        let delay = -style.startDelay * Math.log(1 - random()) - 20;
        for (let stop = 0; stop < stops; stop++, row++) {
          if (row > first) {
            const leg = direction * stops + stop;
            planned += legSeconds[leg]!;
            const habit = habits[leg]! + 3 * rush * weather - 1.2;
            const spike = random() < 0.01 ? 60 * random() : 0;
            delay += habit + style.legNoise * normal() * Math.sqrt(legSeconds[leg]! / 90) + spike - 0.02 * delay;
            if (stop % style.timepointEvery === 0 && delay < 0) delay *= 0.2;
          }
          calls.datedTrip[row] = (day * directions + direction) * trips + trip;
          calls.serviceDay[row] = FIRST_CITY_DAY + day;
          calls.train[row] = direction * trips + trip;
          calls.route[row] = direction >> 1;
          calls.stop[row] = direction * stops + stop;
          calls.sequence[row] = stop;
          calls.scheduledArrival[row] = planned;
          calls.scheduledDeparture[row] = planned;
          const isObserved = random() < style.observed;
          const seen = Math.round(delay + style.observedNoise * normal());
          calls.arrivalDelay[row] = isObserved ? seen : Number.NaN;
          calls.departureDelay[row] = isObserved ? seen + Math.round(5 + 15 * random()) : Number.NaN;
        }
      }
    }
  }
  return buildDatedTripTable(calls);
}
