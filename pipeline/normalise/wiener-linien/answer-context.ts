import type { Instant } from '../../model/service-time.ts';

/** What has to be known beside an answer to understand it. */
export interface AnswerContext {
  /** Id of the source, for problems. */
  readonly source: string;
  readonly fetchedAt: Instant;
}
