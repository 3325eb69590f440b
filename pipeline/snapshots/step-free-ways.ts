import { lowerBound } from '../model/binary-search.ts';
import type { TimetableTables } from './timetable-contract.ts';

/** @returns row of `stepFreeStops` of a stop, or -1 */
export function findStepFreeRow({ stepFreeStops }: Pick<TimetableTables, 'stepFreeStops'>, stop: number): number {
  const row = lowerBound(stepFreeStops.stop, stop);
  return stepFreeStops.stop[row] === stop ? row : -1;
}

/** Whether two stops are the same, or a path without steps and lifts is published between them. */
export function isStepFreeBetween(tables: Pick<TimetableTables, 'stepFreeStops'>, from: number, to: number): boolean {
  if (from === to) return true;
  const [one, other] = [findStepFreeRow(tables, from), findStepFreeRow(tables, to)];
  return one >= 0 && other >= 0 && tables.stepFreeStops.group[one] === tables.stepFreeStops.group[other];
}
