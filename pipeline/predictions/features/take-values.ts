/** The feature values of some rows, in the given order. */
export function takeValues(values: Float32Array, places: ArrayLike<number>, width: number): Float32Array {
  const taken = new Float32Array(places.length * width);
  for (let row = 0; row < places.length; row++) {
    // Faster than `set` for so few values.
    const [from, to] = [places[row]! * width, row * width];
    for (let column = 0; column < width; column++) taken[to + column] = values[from + column]!;
  }
  return taken;
}

/** The values at some places, in the given order. */
export function takeEntries(column: Float32Array, places: ArrayLike<number>): Float32Array {
  return takeValues(column, places, 1);
}
