/** A column of a table whose length nobody knows beforehand; `values` beyond `length` mean nothing. */
export interface Int32List {
  values: Int32Array<ArrayBuffer>;
  length: number;
}

const FIRST_CAPACITY = 1024;

export function emptyList(): Int32List {
  return { values: new Int32Array(FIRST_CAPACITY), length: 0 };
}

export function append(list: Int32List, value: number): void {
  if (list.length === list.values.length) {
    const wider = new Int32Array(list.values.length * 2);
    wider.set(list.values);
    list.values = wider;
  }
  list.values[list.length++] = value;
}

/** The numbers without what is spare behind them. */
export function toArray(list: Int32List): Int32Array<ArrayBuffer> {
  return list.values.slice(0, list.length);
}
