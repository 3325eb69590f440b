/** What ways to the same dated trip are compared by. */
export interface Label {
  /** Probability that all transfers so far are made, 0 to 1. */
  readonly chance: number;
  /** Walked so far. */
  readonly meters: number;
  readonly begin: number;
}

/** For each key, the labels of which none dominates another. */
export class Bag<Kept extends Label> {
  readonly #byKey = new Map<string, Kept[]>();

  hasBetter(key: string, label: Label): boolean {
    return this.#byKey.get(key)?.some((other) => isAsGood(other, label)) ?? false;
  }

  add(key: string, label: Kept): void {
    if (this.hasBetter(key, label)) return;
    const others = this.#byKey.get(key)?.filter((other) => !isAsGood(label, other)) ?? [];
    this.#byKey.set(key, [...others, label]);
  }

  list(): Kept[] {
    return [...this.#byKey.values()].flat();
  }
}

function isAsGood(one: Label, other: Label): boolean {
  return one.chance >= other.chance && one.meters <= other.meters && one.begin >= other.begin;
}
