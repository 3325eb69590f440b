import { type PlaceKind, placeKinds } from '../../snapshots/places-contract.ts';

/** Reasons to refuse a row. */
export type RefusedReason =
  | 'no_coordinates'
  | 'no_street'
  | 'bad_number'
  | 'duplicate_address'
  | 'in_register'
  | 'duplicate_place'
  | 'unknown_coordinate_system';

/** Rows of one input, counted. */
export class RowTally {
  read = 0;
  readonly refused = new Map<RefusedReason, number>();

  refuse(reason: RefusedReason, count = 1): void {
    if (count > 0) this.refused.set(reason, (this.refused.get(reason) ?? 0) + count);
  }

  refusedCount(): number {
    return [...this.refused.values()].reduce((sum, count) => sum + count, 0);
  }
}

/** Texts as numbers, so that millions of rows share them; 0 is the empty text. */
class TextNumbers {
  readonly texts: string[] = [''];
  readonly #numbers = new Map([['', 0]]);

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.length;
    this.texts.push(text);
    this.#numbers.set(text, number);
    return number;
  }
}

/** Addresses by column; coordinates in ten millionths of a degree. */
class AddressRows {
  /** Rows from here on are of the register; all are of the map until it is set. */
  firstRegistered = Number.POSITIVE_INFINITY;
  readonly street: number[] = [];
  readonly number: number[] = [];
  readonly postcode: number[] = [];
  readonly town: number[] = [];
  /** Further names of the town: municipality, district. */
  readonly area: number[] = [];
  readonly lat: number[] = [];
  readonly lon: number[] = [];
  readonly ref: number[] = [];

  get length(): number {
    return this.ref.length;
  }

  isRegistered(row: number): boolean {
    return row >= this.firstRegistered;
  }
}

/** Named places by column. */
export class NamedRows {
  readonly kind: number[] = [];
  readonly name: number[] = [];
  readonly otherNames: (readonly string[])[] = [];
  readonly importance: number[] = [];
  readonly town: number[] = [];
  readonly lat: number[] = [];
  readonly lon: number[] = [];
  readonly ref: number[] = [];

  get length(): number {
    return this.ref.length;
  }
}

/** Named pieces of streets by column: a point of each piece. */
class StreetRows {
  readonly name: number[] = [];
  readonly lat: number[] = [];
  readonly lon: number[] = [];

  get length(): number {
    return this.name.length;
  }
}

/** All that was read from the inputs, before it becomes an index. */
export interface PlaceRows {
  readonly texts: TextNumbers;
  readonly addresses: AddressRows;
  readonly named: NamedRows;
  readonly streets: StreetRows;
  readonly tallies: {
    readonly addresses: RowTally;
    readonly places: RowTally;
    readonly streets: RowTally;
  };
}

export function createPlaceRows(): PlaceRows {
  return {
    texts: new TextNumbers(),
    addresses: new AddressRows(),
    named: new NamedRows(),
    streets: new StreetRows(),
    tallies: { addresses: new RowTally(), places: new RowTally(), streets: new RowTally() },
  };
}

export function kindNumber(kind: PlaceKind): number {
  return placeKinds.indexOf(kind);
}
