import type { CallObservation } from '../../../pipeline/model/observation.ts';
import type { VehicleReport } from '../../../pipeline/model/realtime.ts';
import type { RealtimeTally } from '../../../pipeline/model/realtime-tally.ts';
import type { AppliedUpdate } from '../../../pipeline/realtime/state/apply-update.ts';
import { instant, type World } from '../../support/worlds/board-world.ts';
import { tripOf, vehicleOf } from '../../support/worlds/live-reports.ts';
import { type LiveWorld, openLiveWorld } from '../../support/worlds/live-world.ts';
import { feedFromText } from '../../support/worlds/text-feed.ts';

// A bus eastwards along 48° N, a stop every hundredth of a degree (744 m) and every two minutes, and the next bus ten
// minutes later.
const STOPS = ['a', 'b', 'c', 'd', 'e'];
export const makeFeed = (furtherTrips: string) =>
  feedFromText(`
  # agency.txt
  agency_id,agency_name,agency_url,agency_timezone
  x,X,https://x.example,Europe/Vienna
  # routes.txt
  route_id,agency_id,route_short_name,route_type
  r,x,1,3
  # calendar.txt
  service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date
  s,1,1,1,1,1,1,1,20260301,20260331
  # stops.txt
  stop_id,stop_name,stop_lat,stop_lon
  ${STOPS.map((stop, i) => `${stop},${stop.toUpperCase()},48,16.0${i}`).join('\n  ')}
  # trips.txt
  trip_id,route_id,service_id
  t1,r,s
  t2,r,s${furtherTrips}
  # stop_times.txt
  trip_id,stop_sequence,stop_id,arrival_time,departure_time
  ${[...(furtherTrips ? ['t0'] : []), 't1', 't2'].flatMap((trip) => STOPS.map((stop, i) => callLine(trip, i, stop, (Number(trip[1]) + 1) * 10 + i * 2))).join('\n  ')}
`);

function callLine(trip: string, i: number, stop: string, minute: number): string {
  const time = `${minute < 20 ? '07' : '08'}:${String((minute + 40) % 60).padStart(2, '0')}:00`;
  return `${trip},${i + 1},${stop},${time},${time}`;
}

export const DAY = '2026-03-03';
/** Seconds after 08:00 in Vienna. */
export const at = (seconds: number) => new Date((instant(`${DAY}T08:00:00+01:00`) + seconds) * 1000).toISOString();
export const secondsOf = (time: number | null) => (time === null ? '-' : time - instant(`${DAY}T08:00:00+01:00`));

/** A position in short form; by default of vehicle v1 on trip t1, now. */
interface Position {
  /** In stops after the first one: 1.5 is half of the way from b to c. */
  readonly stops: number;
  readonly id?: string;
  readonly trip?: string;
  readonly recorded?: number;
  readonly north?: number;
  readonly over?: Partial<VehicleReport>;
}

function toVehicle(now: number, { stops, id = 'v1', trip = 't1', recorded = now, north = 0, over }: Position) {
  return vehicleOf(id, {
    trip: tripOf(trip, { startDate: DAY as never }),
    lat: 48 + north,
    lon: 16 + stops / 100,
    recordedAt: instant(at(recorded)),
    ...over,
  });
}

export function report(live: LiveWorld, now: number, ...positions: Position[]): AppliedUpdate {
  return live.report('rt', at(now), { vehicles: positions.map((one) => toVehicle(now, one)) }, 'vehicles');
}

/** `t1 b arrival 118 ±21`. */
export function show({ tripId, stopId, event, time, evidence, uncertaintySeconds }: CallObservation): string {
  const counted = evidence === 'observed_actual' ? '' : ` ${evidence}`;
  return `${tripId} ${stopId} ${event} ${secondsOf(time)}${uncertaintySeconds === null ? '' : ` ±${uncertaintySeconds}`}${counted}`;
}

/** The positions of an answer, and its time. */
export type Step = readonly [seconds: number, ...positions: Position[]];

/** Several answers: what was derived from their positions, and what was counted. */
export async function runSteps(world: World, steps: readonly Step[]) {
  const live = await openLiveWorld(world);
  const observations: CallObservation[] = [];
  const problems: Record<string, number> = {};
  const tallies: RealtimeTally[] = [];
  for (const [seconds, ...positions] of steps) {
    const applied = report(live, seconds, ...positions);
    observations.push(...applied.observations);
    tallies.push(applied.tally);
    for (const [code, count] of Object.entries(applied.tally.problems)) problems[code] = (problems[code] ?? 0) + count;
  }
  return { live, observations, shown: observations.map(show), problems, tallies };
}

/** On time, every half minute. */
export const drive = (from: number, to: number, over: Partial<Position> = {}) =>
  Array.from({ length: Math.floor((to - from) / 30) + 1 }, (_, i): readonly [number, Position] => [
    from + i * 30,
    { stops: (from + i * 30) / 120, ...over },
  ]);

/** Bad input, with what is derived from it and what is counted. */
interface BadInput {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly shown: readonly string[];
  /** Sums over all answers. */
  readonly problems: Readonly<Record<string, number>>;
}

export const badInputs: readonly BadInput[] = [
  {
    name: 'positions of the future',
    steps: drive(-30, 300).map(([seconds, one]) => [seconds, { ...one, recorded: seconds + 3600 }]),
    shown: [],
    problems: { position_in_future: 12 },
  },
  {
    name: 'two vehicles on one trip, the second one behind',
    steps: drive(-30, 300).map(([seconds, one]) => [seconds, one, { stops: Math.max(0, one.stops - 1.3), id: 'v2' }]),
    shown: [
      't1 a departure 9 ±18',
      't1 b arrival 111 ±18',
      't1 b departure 129 ±18',
      't1 c arrival 231 ±18',
      't1 c departure 249 ±18',
    ],
    problems: { passage_of_other_vehicle: 2 },
  },
  {
    name: 'a vehicle that replaces one whose reports have ended',
    steps: [...drive(-30, 180), ...drive(210, 450, { id: 'v2' })],
    shown: [
      't1 a departure 9 ±18',
      't1 b arrival 111 ±18',
      't1 b departure 129 ±18',
      't1 c arrival 231 ±18',
      't1 c departure 249 ±18',
      't1 d arrival 351 ±18',
      't1 d departure 369 ±18',
    ],
    problems: {},
  },
  {
    name: 'a vehicle that changes trips on its way',
    steps: [...drive(-30, 180), ...drive(210, 450, { trip: 't2' })],
    shown: ['t1 a departure 9 ±18', 't1 b arrival 111 ±18', 't1 b departure 129 ±18'],
    problems: { implausibly_early: 4 },
  },
  {
    name: 'a vehicle that carries the trip that is to follow, half an hour early',
    steps: drive(-1830, -1500).map(([seconds, { stops }]) => [seconds, { stops: stops + 15 }]),
    shown: [],
    problems: { implausibly_early: 5 },
  },
  {
    name: 'a vehicle in another part of the city',
    steps: drive(-30, 300, { north: 0.05 }),
    shown: [],
    problems: { position_off_path: 12 },
  },
  {
    name: 'a position that jumps and returns',
    steps: drive(-30, 300).map(([seconds, one]) => [seconds, seconds === 90 ? { stops: 3.9 } : one]),
    shown: [
      't1 a departure 9 ±18',
      't1 b arrival 103 ±34',
      't1 b departure 129 ±18',
      't1 c arrival 231 ±18',
      't1 c departure 249 ±18',
    ],
    problems: { position_jumped: 1 },
  },
  {
    name: 'a tunnel, where positions are missing for four and a half minutes',
    steps: [...drive(-30, 90), ...drive(360, 480)],
    shown: [
      't1 a departure 9 ±18',
      't1 b arrival 111 ±203 unknown',
      't1 b departure 111 ±203 unknown',
      't1 c arrival 197 ±142 unknown',
      't1 c departure 197 ±142 unknown',
      't1 d arrival 283 ±141 unknown',
      't1 d departure 369 ±18',
      't1 e arrival 471 ±18',
    ],
    problems: { passage_too_uncertain: 5 },
  },
  {
    name: 'a tunnel that takes one minute',
    steps: [...drive(-30, 90), ...drive(150, 300)],
    shown: [
      't1 a departure 9 ±18',
      't1 b arrival 120 ±27',
      't1 b departure 120 ±27',
      't1 c arrival 231 ±18',
      't1 c departure 249 ±18',
    ],
    problems: {},
  },
  {
    name: 'a vehicle that names a trip that is not in the timetable',
    steps: drive(-30, 300, { trip: 'unknown' }),
    shown: [],
    problems: {},
  },
  {
    name: 'a vehicle that stands for an hour',
    steps: Array.from({ length: 120 }, (_, i) => [i * 30, { stops: 1.5 }]),
    shown: [],
    problems: { vehicle_standing: 60 },
  },
];
