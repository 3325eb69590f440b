import { changeKinds, type TimetableTables } from '../contract.ts';
import { checkSorted, isWithin, promise } from './promise.ts';

/**
 * Asserts what the planner relies on: where calls are boarded and alighted at, and the ways between.
 * @throws Error naming the first promise that is broken
 */
export function checkChanges(tables: TimetableTables): void {
  const { changes, changePlaces, stops } = tables;
  const stopCount = stops.source.length;
  const placeCount = stopCount + changePlaces.stop.length;
  promise(isWithin(changePlaces.stop, stopCount), 'every change place is at a stop');
  promise(
    changePlaces.stop.every((stop, i) => i === 0 || changePlaces.stop[i - 1]! <= stop),
    'change places are sorted by stop',
  );
  checkPlacesOfCalls(tables);
  promise(isWithin(changes.from, placeCount), 'every change begins at a place');
  promise(isWithin(changes.to, placeCount), 'every change ends at a place');
  checkSorted(Int32Array.from(changes.from.keys()), changes.from, changes.to);
  for (let row = 0; row < changes.from.length; row++) checkChange(tables, row);
  checkStarts(tables.changeStarts.change, changes.from, placeCount);
  checkSorted(tables.changesBack.change, changes.to, changes.from);
  const toByBack = tables.changesBack.change.map((row) => changes.to[row]!);
  checkStarts(tables.changeBackStarts.row, toByBack, placeCount);
}

/** @returns the stop at which a place is */
function getStop({ stops, changePlaces }: TimetableTables, place: number): number {
  const stopCount = stops.source.length;
  return place < stopCount ? place : changePlaces.stop[place - stopCount]!;
}

const NOT_AVAILABLE = 1;

function checkPlacesOfCalls(tables: TimetableTables): void {
  const { patterns, patternCalls } = tables;
  for (let pattern = 0; pattern < patterns.firstCall.length; pattern++) {
    const first = patterns.firstCall[pattern]!;
    const last = first + patterns.callCount[pattern]! - 1;
    for (let call = first; call <= last; call++) {
      const mayBoard = call !== last && patternCalls.pickupType[call] !== NOT_AVAILABLE;
      const mayAlight = call !== first && patternCalls.dropOffType[call] !== NOT_AVAILABLE;
      checkPlace(tables, call, patternCalls.boardAt[call]!, mayBoard);
      checkPlace(tables, call, patternCalls.alightAt[call]!, mayAlight);
    }
  }
}

function checkPlace(tables: TimetableTables, call: number, place: number, isOpen: boolean): void {
  promise(place >= 0 === isOpen, 'calls have places just where people may board and alight');
  const isThere = place < 0 || getStop(tables, place) === tables.patternCalls.stop[call];
  promise(isThere, 'people board and alight at the stop of the call');
}

function checkChange(tables: TimetableTables, row: number): void {
  const { from, to, meters, wheelchairMeters, seconds } = tables.changes;
  const kind = changeKinds[tables.changes.kind[row]!];
  promise(kind !== undefined, 'every change is of a known kind');
  promise(meters[row]! >= 0 && wheelchairMeters[row]! >= -1, 'no way is shorter than nothing');
  promise(kind === 'published' ? seconds[row]! >= 0 : seconds[row] === 0, 'only published changes have a time');
  const isSameStop = getStop(tables, from[row]!) === getStop(tables, to[row]!);
  promise(kind !== 'sameStop' || isSameStop, 'a change at one stop leads to no other');
  const isElsewhere = kind === 'sameStation' || kind === 'walk';
  promise(!(isSameStop && isElsewhere), 'a change between stops leads to another');
  promise(!isSameStop || (meters[row] === 0 && wheelchairMeters[row] === 0), 'nobody walks from a stop to itself');
}

/** @param places by row, rising */
function checkStarts(starts: Int32Array, places: Int32Array, placeCount: number): void {
  promise(starts.length === placeCount + 1, 'every place knows where its changes begin');
  promise(starts[0] === 0 && starts[placeCount] === places.length, 'places have all changes between them');
  for (let place = 0; place < placeCount; place++) {
    promise(starts[place]! <= starts[place + 1]!, 'changes of places follow one another');
    for (let row = starts[place]!; row < starts[place + 1]!; row++) {
      promise(places[row] === place, 'changes are listed at their own places');
    }
  }
}
