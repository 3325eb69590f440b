/** What single publishers write in their own way; each fix is named and dated where the source is made. */
export interface PublisherFixes {
  /** The stop's id out of a reference to it. */
  readonly toStopId: (ref: string) => string;
  /** A reference or a name; null where the publisher wrote that it has none. */
  readonly toValue: (text: string) => string | null;
  /** A text of a situation without what is meant for machines. */
  readonly toSituationText: (text: string) => string;
}

export const noFixes: PublisherFixes = {
  toStopId: (ref) => ref,
  toValue: (text) => text,
  toSituationText: (text) => text,
};
