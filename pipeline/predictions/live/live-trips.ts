import type { ObservedTrip } from '../../model/prediction.ts';
import { type DatedTripTable, departAfter, floorToMinute, splitMinutes } from '../features/dated-trip-table.ts';
import { checkCall, lastEvent } from '../features/implausible-calls.ts';
import { PlanNumbers } from '../features/plan-index.ts';
import { emptyStatistics, type RunningStatistics, takeEvents } from '../features/running-statistics.ts';
import { type SweepHandlers, sweep } from '../features/sweep.ts';
import { TrainNumbers } from '../features/train-numbers.ts';
import type { RecordedTrips } from '../learning/recorded-trips.ts';

/** A trip to forecast, with its last observed event. */
export interface PredictedTrip extends Progress {
  readonly observed: ObservedTrip;
  /** Number of later calls. */
  readonly targets: number;
}

/** Space beyond the record before it has to be reread. */
export interface TableCapacity {
  readonly datedTrips: number;
  readonly calls: number;
}

/** Space for new names beyond those of the record: numbers of stops and routes must stay below this. */
const NEW_NAMES = 50_000;
/** Seconds; a larger delay is an error of the publisher, as in learning. */
const MAX_DELAY_SECONDS = 14_400;

/** The last observed event of a trip: which call, when, and from which kind of report. */
export interface Progress {
  readonly datedTrip: number;
  /** Index into the calls of the table, and position in the trip. */
  readonly call: number;
  readonly position: number;
  readonly observedAt: number;
  readonly isFromPosition: boolean;
  /** Its arrival there was observed and its departure was not. */
  readonly isStanding: boolean;
  /** Its last arrival was observed. */
  readonly isOver: boolean;
}

/**
 * The record of a source followed by the trips of the present, in the same table and numbering: the columns of a trip
 * under way are those of a past one, so the same code builds features from both.
 */
export class LiveTrips {
  readonly table: DatedTripTable;
  readonly index: PlanNumbers;
  readonly statistics: RunningStatistics;
  readonly #growing: Growing;
  readonly #trains = new TrainNumbers();
  readonly #routes: Map<string, number>;
  readonly #stops: Map<string, number>;
  readonly #events: Pick<SweepHandlers, 'onArrival' | 'onDeparture' | 'onTripEnd'>;
  /** Trips of the present by trip key and day. */
  readonly #datedTrips = new Map<string, number>();

  constructor(recorded: RecordedTrips, gridSeconds: number, room: TableCapacity) {
    this.#growing = makeRoom(gridSeconds === 60 ? splitMinutes(recorded.table) : recorded.table, room);
    this.table = this.#growing;
    this.#routes = numberNames(recorded.routes);
    this.#stops = numberNames(recorded.stops);
    this.index = new PlanNumbers(this.table);
    for (let datedTrip = 0; datedTrip < this.table.datedTripCount; datedTrip++) {
      this.index.add(datedTrip);
      this.#growing.train[datedTrip] = this.#trains.numberOf(
        this.index.pattern[datedTrip]!,
        recorded.departureOfDay[datedTrip]!,
      );
    }
    this.statistics = emptyStatistics(this.table, this.index);
    this.#events = takeEvents(this.table, this.index, this.statistics);
    const past = takeEvents(this.table, this.index, this.statistics, null);
    sweep(this.table, { departure: () => false }, { ...past, onInstant: () => {} });
  }

  /**
   * Adds the current observations of a trip.
   * @returns its last observed event; null where nothing usable was observed
   * @throws RangeError when the table is full: then the record has to be reread
   */
  update(observed: ObservedTrip): Progress | null {
    const datedTrip = this.#findRun(observed);
    const first = this.table.callStart[datedTrip]!;
    const last = observed.stopIds.length - 1;
    const { scheduledArrival, scheduledDeparture } = this.table;
    let position = -1;
    let previous = Number.NaN;
    for (let at = 0; at <= last; at++) {
      const call = first + at;
      const arrived = at === 0 ? Number.NaN : plausible(observed.arrival[at]! - scheduledArrival[call]!);
      const left = at === last ? Number.NaN : plausible(observed.departure[at]! - scheduledDeparture[call]!);
      const arrivalTime = scheduledArrival[call]! + arrived;
      const departureTime = scheduledDeparture[call]! + left;
      if (checkCall(previous, arrivalTime, departureTime, left) !== null) {
        this.#forget(call);
        continue;
      }
      previous = lastEvent(previous, arrivalTime, departureTime);
      if (this.#updateCall(datedTrip, call, arrived, left, at === last)) position = at;
    }
    if (position < 0) return null;
    return {
      datedTrip,
      call: first + position,
      position,
      observedAt: laterOf(observed.arrival[position]!, observed.departure[position]!),
      isFromPosition: observed.isFromPosition[position] === 1,
      isStanding: this.table.isDepartureReported[first + position] === 0,
      isOver: position === last,
    };
  }

  /**
   * Sets the delays of a call; NaN where none was observed.
   * @returns whether anything was observed of the call
   */
  #updateCall(datedTrip: number, call: number, arrived: number, left: number, isLast: boolean): boolean {
    const { scheduledArrival, scheduledDeparture, arrivalDelay, departureDelay, isDepartureReported } = this.table;
    if (!Number.isNaN(arrived)) {
      const isNew = Number.isNaN(arrivalDelay[call]);
      const at = scheduledArrival[call]! + arrived;
      this.#set(call, 'arrival', arrived);
      if (isNew) this.#events.onArrival(call, datedTrip, at);
      if (isNew && isLast) this.#events.onTripEnd(datedTrip, at);
      const filled = departAfter(arrived, scheduledArrival[call]!, scheduledDeparture[call]!);
      if (!isLast && isDepartureReported[call] === 0) this.#set(call, 'departure', filled);
    }
    if (!Number.isNaN(left)) {
      const isNew = isDepartureReported[call] === 0;
      this.#set(call, 'departure', left);
      isDepartureReported[call] = 1;
      if (isNew) this.#events.onDeparture(call, datedTrip, scheduledDeparture[call]! + left);
    }
    return isLast ? !Number.isNaN(arrivalDelay[call]) : !Number.isNaN(departureDelay[call]);
  }

  /** Resets a call that turned out to be implausible to not observed. */
  #forget(call: number): void {
    const { arrivalDelay, departureDelay, arrivalTime, departureTime, isDepartureReported } = this.table;
    for (const column of [arrivalDelay, departureDelay, arrivalTime, departureTime]) column[call] = Number.NaN;
    isDepartureReported[call] = 0;
  }

  #set(call: number, event: 'arrival' | 'departure', delay: number): void {
    const { table } = this;
    const onGrid = table.gridSeconds === 60 ? floorToMinute(delay) : delay;
    if (event === 'arrival') {
      table.arrivalDelay[call] = onGrid;
      table.arrivalOffset[call] = delay - onGrid;
      table.arrivalTime[call] = table.scheduledArrival[call]! + delay;
    } else {
      table.departureDelay[call] = onGrid;
      table.departureOffset[call] = delay - onGrid;
      table.departureTime[call] = table.scheduledDeparture[call]! + delay;
    }
  }

  /** The row of a trip with its current plan; the same dated trip with other calls than before gets a new row. */
  #findRun(observed: ObservedTrip): number {
    const name = `${observed.day} ${observed.tripId}`;
    const known = this.#datedTrips.get(name);
    if (known !== undefined && this.#isSamePlan(known, observed)) return known;
    const datedTrip = this.#append(observed);
    this.#datedTrips.set(name, datedTrip);
    return datedTrip;
  }

  #isSamePlan(datedTrip: number, { stopIds, scheduledArrival, scheduledDeparture }: ObservedTrip): boolean {
    const { table } = this;
    const [start, end] = [table.callStart[datedTrip]!, table.callStart[datedTrip + 1]!];
    if (end - start !== stopIds.length) return false;
    return stopIds.every(
      (stop, at) =>
        table.stop[start + at] === this.#stops.get(stop) &&
        table.scheduledArrival[start + at] === scheduledArrival[at] &&
        table.scheduledDeparture[start + at] === scheduledDeparture[at],
    );
  }

  #append({ routeId, day, departureOfDay, stopIds, scheduledArrival, scheduledDeparture }: ObservedTrip): number {
    const table = this.#growing;
    const datedTrip = table.datedTripCount;
    const start = table.callStart[datedTrip]!;
    const end = start + stopIds.length;
    if (datedTrip + 1 >= table.callStart.length || end > table.stop.length) {
      throw new RangeError('no room is left for further trips');
    }
    table.callStart[datedTrip + 1] = end;
    table.serviceDay[datedTrip] = day;
    table.dayStart[datedTrip] = scheduledDeparture[0]! - departureOfDay;
    table.route[datedTrip] = numberName(this.#routes, routeId);
    for (const column of ['arrivalDelay', 'departureDelay', 'arrivalTime', 'departureTime'] as const) {
      table[column].fill(Number.NaN, start, end);
    }
    stopIds.forEach((stop, at) => {
      table.stop[start + at] = numberName(this.#stops, stop);
      table.sequence[start + at] = at;
      table.scheduledArrival[start + at] = scheduledArrival[at]!;
      table.scheduledDeparture[start + at] = scheduledDeparture[at]!;
    });
    table.datedTripCount = datedTrip + 1;
    this.index.add(datedTrip);
    table.train[datedTrip] = this.#trains.numberOf(this.index.pattern[datedTrip]!, departureOfDay);
    return datedTrip;
  }
}

type Growing = { -readonly [Column in keyof DatedTripTable]: DatedTripTable[Column] };

/** The same table in longer columns; the numbering of stops and routes gets space too, since keys of legs use it. */
function makeRoom(table: DatedTripTable, room: TableCapacity): Growing {
  const datedTrips = table.datedTripCount + room.datedTrips;
  const calls = table.stop.length + room.calls;
  const int = (column: Int32Array, length: number) => withRoom(column, new Int32Array(length));
  const float = (column: Float64Array, length = calls) => withRoom(column, new Float64Array(length));
  const byte = (column: Uint8Array) => withRoom(column, new Uint8Array(calls));
  return {
    datedTripCount: table.datedTripCount,
    gridSeconds: table.gridSeconds,
    callStart: int(table.callStart, datedTrips + 1),
    serviceDay: int(table.serviceDay, datedTrips),
    dayStart: float(table.dayStart, datedTrips),
    train: int(table.train, datedTrips),
    route: int(table.route, datedTrips),
    operator: int(table.operator, datedTrips),
    trainCount: table.trainCount,
    routeCount: table.routeCount + NEW_NAMES,
    stopCount: table.stopCount + NEW_NAMES,
    stop: int(table.stop, calls),
    sequence: int(table.sequence, calls),
    scheduledArrival: float(table.scheduledArrival),
    scheduledDeparture: float(table.scheduledDeparture),
    arrivalDelay: float(table.arrivalDelay),
    departureDelay: float(table.departureDelay),
    arrivalTime: float(table.arrivalTime),
    departureTime: float(table.departureTime),
    arrivalOffset: byte(table.arrivalOffset),
    departureOffset: byte(table.departureOffset),
    isDepartureReported: byte(table.isDepartureReported),
    isInstant: byte(table.isInstant),
  };
}

function withRoom<Column extends Int32Array | Float64Array | Uint8Array>(column: Column, longer: Column): Column {
  longer.set(column);
  return longer;
}

/** The later of two times, of which one may be NaN. */
function laterOf(one: number, other: number): number {
  if (Number.isNaN(one)) return other;
  return Number.isNaN(other) ? one : Math.max(one, other);
}

function plausible(delay: number): number {
  return Math.abs(delay) < MAX_DELAY_SECONDS ? delay : Number.NaN;
}

function numberNames(names: readonly string[]): Map<string, number> {
  return new Map(names.map((name, number) => [name, number]));
}

/** The number of a name; a new name gets the next one. */
function numberName(numbers: Map<string, number>, name: string): number {
  const known = numbers.get(name);
  if (known !== undefined) return known;
  numbers.set(name, numbers.size);
  return numbers.size - 1;
}
