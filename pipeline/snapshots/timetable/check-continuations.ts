import { runsOn, type TimetableTables } from '../contract.ts';
import { checkSorted, isWithin, promise } from './promise.ts';

const DAY_SECONDS = 86_400;

/**
 * Asserts what the planner relies on: trips that go on as other trips.
 * @throws Error naming the first promise that is broken
 */
export function checkContinuations(tables: TimetableTables): void {
  const { continuations, continuationsBack, trips, services } = tables;
  const { fromTrip, toTrip, service } = continuations;
  promise(isWithin(fromTrip, trips.service.length) && isWithin(toTrip, trips.service.length), 'only trips go on');
  promise(isWithin(service, services.firstDay.length), 'trips go on by a service');
  checkSorted(Int32Array.from(fromTrip.keys()), fromTrip, toTrip);
  checkSorted(continuationsBack.continuation, toTrip, fromTrip);
  for (let row = 0; row < fromTrip.length; row++) checkContinuation(tables, row);
}

function checkContinuation(tables: TimetableTables, row: number): void {
  const { continuations, trips, services } = tables;
  const [from, to] = [continuations.fromTrip[row]!, continuations.toTrip[row]!];
  const offset = continuations.dayOffset[row]!;
  promise(offset === 0 || offset === 1, 'trips go on on the same day or the next');
  promise(trips.frequencyStart[from] === -1 && trips.frequencyStart[to] === -1, 'repeated trips do not go on');
  const begins = tables.times.departure[findFirstTime(tables, to)]! + offset * DAY_SECONDS;
  const lastTime = findFirstTime(tables, from) + tables.patterns.callCount[trips.pattern[from]!]! - 1;
  promise(tables.times.arrival[lastTime]! <= begins, 'no trip goes on before it has arrived');
  const service = continuations.service[row]!;
  promise(services.firstDay[service]! <= services.lastDay[service]!, 'trips go on on some day');
  for (let day = services.firstDay[service]!; day <= services.lastDay[service]!; day++) {
    if (!runsOn(tables, service, day)) continue;
    const bothRun = runsOn(tables, trips.service[from]!, day) && runsOn(tables, trips.service[to]!, day + offset);
    promise(bothRun, 'trips go on only on days on which both run');
  }
}

function findFirstTime({ patterns, trips }: TimetableTables, trip: number): number {
  const pattern = trips.pattern[trip]!;
  return patterns.firstTime[pattern]! + (trip - patterns.firstTrip[pattern]!) * patterns.callCount[pattern]!;
}
