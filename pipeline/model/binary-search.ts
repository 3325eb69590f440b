/**
 * Returns the first of the positions `from .. end` that is not before what is sought, `end` if all are.
 * @param isBefore holds for no position, or for all from `from` up to some position
 */
export function partitionPoint(from: number, end: number, isBefore: (position: number) => boolean): number {
  let low = from;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the position of the first value that is at least `wanted`, `end` if there is none. @param sorted ascending */
export function lowerBound(sorted: ArrayLike<number>, wanted: number, from = 0, end = sorted.length): number {
  let low = from;
  let high = end;
  // A loop, as `partitionPoint` would call a function at each step.
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
