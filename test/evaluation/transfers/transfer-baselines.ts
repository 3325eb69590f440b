import { NEEDED_SECONDS, type TransferCases } from '../../../pipeline/predictions/past-transfers/transfer-cases.ts';

/** Cases that held, by key; a key that was never seen has neither. */
class HeldCounts {
  readonly #held = new Map<string, number>();
  readonly #all = new Map<string, number>();

  add(key: string, isHeld: boolean): void {
    this.#all.set(key, (this.#all.get(key) ?? 0) + 1);
    if (isHeld) this.#held.set(key, (this.#held.get(key) ?? 0) + 1);
  }

  /** As the protocol defines it, so that a key never seen has one half. */
  share(key: string): number {
    return ((this.#held.get(key) ?? 0) + 1) / ((this.#all.get(key) ?? 0) + 2);
  }
}

/** Forecasts of some cases, from the cases of some days before. */
type Baseline = (cases: TransferCases, learn: Int32Array, requested: Int32Array) => Float32Array;

function countByKey(keyOf: (cases: TransferCases, place: number) => string): Baseline {
  return (cases, learn, requested) => {
    const counts = new HeldCounts();
    for (const place of learn) counts.add(keyOf(cases, place), cases.leftSeconds[place]! >= 0);
    return Float32Array.from(requested, (place) => counts.share(keyOf(cases, place)));
  };
}

/** Share of the transfers made with as many planned minutes. */
export const sharesByPlannedMinutes = countByKey(({ plannedSeconds }, place) =>
  String(Math.floor(plannedSeconds[place]! / 60)),
);

/** Planned seconds with the last known delays; an unknown delay counts as none. */
function expectedSeconds({ plannedSeconds, arrival, departure }: TransferCases, place: number): number {
  return plannedSeconds[place]! + orZero(departure.delay[place]!) - orZero(arrival.delay[place]!);
}

const orZero = (value: number) => (Number.isNaN(value) ? 0 : value);

/** Certain or impossible, by the last known delays. */
export const ruleOfDelays: Baseline = (cases, _learn, requested) =>
  Float32Array.from(requested, (place) => (expectedSeconds(cases, place) >= NEEDED_SECONDS ? 1 : 0));

const MAX_TABLE_MINUTES = 20;

/** Share of the transfers made with as many minutes by the last known delays, by which of them are known. */
export const tableOfDelays = countByKey((cases, place) => {
  const minutes = Math.floor(expectedSeconds(cases, place) / 60);
  const bounded = Math.max(-MAX_TABLE_MINUTES, Math.min(MAX_TABLE_MINUTES, minutes));
  return `${bounded} ${cases.arrival.call[place]! >= 0} ${cases.departure.call[place]! >= 0}`;
});
