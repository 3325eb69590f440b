/** The criteria of a label at a dated trip. */
export interface Label {
  /** Probability that all transfers so far are made, 0 to 1. */
  readonly probability: number;
  /** Walking distance so far. */
  readonly meters: number;
  readonly begin: number;
}

/** The bags of McRAPTOR: for each key, the labels that do not dominate each other. */
export class Bag<Entry extends Label> {
  readonly #byKey = new Map<string, Entry[]>();

  hasBetter(key: string, label: Label): boolean {
    return this.#byKey.get(key)?.some((other) => isAsGood(other, label)) ?? false;
  }

  add(key: string, label: Entry): void {
    if (this.hasBetter(key, label)) return;
    const others = this.#byKey.get(key)?.filter((other) => !isAsGood(label, other)) ?? [];
    this.#byKey.set(key, [...others, label]);
  }

  list(): Entry[] {
    return [...this.#byKey.values()].flat();
  }
}

function isAsGood(one: Label, other: Label): boolean {
  return one.probability >= other.probability && one.meters <= other.meters && one.begin >= other.begin;
}
