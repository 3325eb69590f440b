/** A type that the compiler distinguishes from others of the same shape: a `TripId` is not a `StopId`. */
export type Brand<Base, Name extends string> = Base & { readonly __brand: Name };

/** Id of a configured publisher: lower case letters, digits, `_` and `-`; names folders and prefixes public ids. */
export type SourceId = Brand<string, 'SourceId'>;

/** Content address of one published timetable: the first 16 hexadecimal digits of its SHA-256. */
export type FeedVersion = Brand<string, 'FeedVersion'>;

const SOURCE_ID = /^[a-z0-9][a-z0-9_-]{0,39}$/;

/** Whether a text may name a source; ids become path segments, so nothing else is accepted. */
export function isSourceId(text: string): text is SourceId {
  return SOURCE_ID.test(text);
}

/** @throws RangeError naming the text, when it cannot name a source */
export function toSourceId(text: string): SourceId {
  if (!isSourceId(text)) {
    throw new RangeError(`"${text}" cannot name a source: use 1 to 40 of a-z, 0-9, "_" and "-"`);
  }
  return text;
}
