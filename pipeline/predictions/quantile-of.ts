/**
 * The quantile of values in any order, between two of them by their distance. A sort would take several times as long.
 * @param values reordered here; none is NaN
 * @returns 0 where there are none
 */
export function quantileOf(values: Float32Array, share: number): number {
  if (values.length === 0) return 0;
  const place = share * (values.length - 1);
  const low = Math.floor(place);
  select(values, low);
  const value = values[low]!;
  if (place === low) return value;
  let next = Number.POSITIVE_INFINITY;
  for (let i = low + 1; i < values.length; i++) if (values[i]! < next) next = values[i]!;
  return value + (place - low) * (next - value);
}

/** Puts the value that a sort would put there in its place, none larger before it and none smaller behind it. */
function select(values: Float32Array, place: number): void {
  let first = 0;
  let last = values.length - 1;
  while (first < last) {
    const pivot = middleOf(values[first]!, values[(first + last) >> 1]!, values[last]!);
    let up = first;
    let down = last;
    while (up <= down) {
      while (values[up]! < pivot) up++;
      while (values[down]! > pivot) down--;
      if (up > down) break;
      const swapped = values[up]!;
      values[up++] = values[down]!;
      values[down--] = swapped;
    }
    // Between the two lie values that equal the pivot.
    if (place <= down) last = down;
    else if (place >= up) first = up;
    else return;
  }
}

function middleOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
