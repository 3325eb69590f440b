/** Delay of a future event: p10, p50, p90; seconds, early is negative. */
export interface DelayQuantiles {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Quantiles of the delays; between two of them, delays are equally likely. */
const shares = [0, 0.1, 0.5, 0.9, 1] as const;

/**
 * The delay at one of those shares. The outer quantiles are not predicted: each tail is as long as the half next to it.
 */
function delayAt({ low, median, high }: DelayQuantiles, place: number): number {
  if (place === 0) return 2 * low - median;
  if (place === 1) return low;
  if (place === 2) return median;
  return place === 3 ? high : 2 * high - median;
}

/** Share of the delays that are not greater. */
export function findShare(forecast: DelayQuantiles, seconds: number): number {
  // Equal delays count with their whole share.
  let from = shares.length - 1;
  while (from >= 0 && delayAt(forecast, from) > seconds) from--;
  if (from < 0) return 0;
  if (from === shares.length - 1) return 1;
  const [before, after] = [delayAt(forecast, from), delayAt(forecast, from + 1)];
  return shares[from]! + ((seconds - before) / (after - before)) * (shares[from + 1]! - shares[from]!);
}

/** The delay that the given share does not exceed. @param share 0 to 1 */
export function findQuantile(forecast: DelayQuantiles, share: number): number {
  let from = shares.length - 1;
  while (from > 0 && shares[from]! > share) from--;
  const before = delayAt(forecast, from);
  if (from === shares.length - 1) return before;
  const way = (share - shares[from]!) / (shares[from + 1]! - shares[from]!);
  return before + way * (delayAt(forecast, from + 1) - before);
}

/** Number of sampled departures, each equally likely. */
const SAMPLED_DEPARTURES = 100;

/**
 * Probability that a transfer is made if the delays of the two vehicles are independent. A predicted departure is never
 * earlier than planned.
 * @param arrivalDelay its distribution, or its value where it has none; likewise `departureDelay`
 * @param spareSeconds planned seconds between the two, minus those that the transfer needs
 * @returns 0 to 1
 */
export function findIndependentChance(
  arrivalDelay: DelayQuantiles | number,
  departureDelay: DelayQuantiles | number,
  spareSeconds: number,
): number {
  const chanceWithin = (seconds: number) =>
    typeof arrivalDelay === 'number' ? Number(seconds >= arrivalDelay) : findShare(arrivalDelay, seconds);
  if (typeof departureDelay === 'number') return chanceWithin(spareSeconds + departureDelay);
  let sum = 0;
  for (let i = 0; i < SAMPLED_DEPARTURES; i++) {
    const late = findQuantile(departureDelay, (i + 0.5) / SAMPLED_DEPARTURES);
    sum += chanceWithin(spareSeconds + Math.max(0, late));
  }
  return sum / SAMPLED_DEPARTURES;
}
