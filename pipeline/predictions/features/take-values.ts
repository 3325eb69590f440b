/** The feature values of some rows, in the given order. */
export function takeValues(values: Float32Array, places: ArrayLike<number>, width: number): Float32Array {
  const taken = new Float32Array(places.length * width);
  for (let row = 0; row < places.length; row++) {
    const place = places[row]!;
    taken.set(values.subarray(place * width, (place + 1) * width), row * width);
  }
  return taken;
}
