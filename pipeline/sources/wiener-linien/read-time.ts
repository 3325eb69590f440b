import { type Instant, parseTimestamp } from '../../model/service-time.ts';

/** The context for interpreting an answer. */
export interface AnswerContext {
  /** Id of the source, for problems. */
  readonly source: string;
  readonly fetchedAt: Instant;
}

/**
 * Parses a time of an answer, `2026-04-20T14:40:15.000+0200` or without milliseconds; offsets with a colon too.
 * @returns null for anything else, including an absent time
 */
export function parseTime(text: string | undefined): Instant | null {
  return text === undefined ? null : parseTimestamp(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
}
