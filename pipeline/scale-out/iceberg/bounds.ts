import type { IcebergPrimitive, IcebergValue } from './iceberg-types.ts';
import { serializeValue } from './single-value.ts';

/** The least and the greatest value of a part of a column; a writer may have shortened texts. */
export interface ValueRange {
  readonly least: IcebergValue;
  readonly greatest: IcebergValue;
}

/** Bounds as manifests hold them; a side without a bound says nothing. */
export interface SerializedBounds {
  readonly lower?: Buffer;
  readonly upper?: Buffer;
}

/** Code points of a text that a bound keeps, as other writers of the format do: enough to skip files by. */
const BOUND_CODE_POINTS = 16;

/**
 * Bounds that contain all values of a column.
 * @param ranges of its parts; null: a part of which nothing is known, so that there are no bounds
 */
export function toBounds(type: IcebergPrimitive, ranges: readonly (ValueRange | null)[]): SerializedBounds {
  const known = ranges.filter((range) => range !== null);
  if (known.length === 0 || known.length < ranges.length) return {};
  const { least, greatest } = known.reduce(join);
  if (Number.isNaN(least) || Number.isNaN(greatest)) return {};
  if (type === 'string') return toTextBounds(String(least), String(greatest));
  // Zero has two signs, and readers may tell them apart.
  const isFraction = type === 'float' || type === 'double';
  const lower = isFraction && least === 0 ? -0 : least;
  const upper = isFraction && greatest === 0 ? 0 : greatest;
  return { lower: serializeValue(type, lower), upper: serializeValue(type, upper) };
}

function join(one: ValueRange, other: ValueRange): ValueRange {
  if ([one, other].some(({ least, greatest }) => Number.isNaN(least) || Number.isNaN(greatest))) {
    return { least: Number.NaN, greatest: Number.NaN };
  }
  return {
    least: isBefore(other.least, one.least) ? other.least : one.least,
    greatest: isBefore(one.greatest, other.greatest) ? other.greatest : one.greatest,
  };
}

/** Texts are in the order of their bytes in UTF-8. */
function isBefore(one: IcebergValue, other: IcebergValue): boolean {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other))) < 0;
  return one < other;
}

function toTextBounds(least: string, greatest: string): SerializedBounds {
  const lower = [...least].slice(0, BOUND_CODE_POINTS).join('');
  const upper = shortenUpwards(greatest);
  return {
    lower: serializeValue('string', lower),
    ...(upper === null ? {} : { upper: serializeValue('string', upper) }),
  };
}

const LAST_CODE_POINT = 0x10ffff;
const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/** The shortest text that is not before any text with this prefix; null if there is none. */
function shortenUpwards(text: string): string | null {
  const letters = [...text];
  if (letters.length <= BOUND_CODE_POINTS) return text;
  for (let length = BOUND_CODE_POINTS; length > 0; length--) {
    const next = nextCodePoint(letters[length - 1]!.codePointAt(0)!);
    if (next !== null) return `${letters.slice(0, length - 1).join('')}${String.fromCodePoint(next)}`;
  }
  return null;
}

function nextCodePoint(point: number): number | null {
  if (point >= LAST_CODE_POINT) return null;
  return point + 1 >= FIRST_SURROGATE && point + 1 <= LAST_SURROGATE ? LAST_SURROGATE + 1 : point + 1;
}
