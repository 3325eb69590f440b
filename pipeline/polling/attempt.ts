import type { Instant } from '../model/service-time.ts';

/** What makes the next request conditional: the server then says 304 instead of sending the same again. */
export interface Validators {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/** What is remembered of an answer that was applied. */
export interface AppliedAnswer {
  readonly fetchedAt: Instant;
  /** Header time; null where there is none. */
  readonly publishedAt: Instant | null;
  /** Null when the next answer is wanted in full. */
  readonly validators: Validators | null;
}

/** What came of one request. */
export type Attempt =
  | {
      readonly kind: 'applied';
      /** Applied all the same: the answer is frozen, or its header lies ahead of us. */
      readonly trouble: 'frozen' | 'header_in_future' | null;
      readonly answer: AppliedAnswer;
    }
  /** The last answer still holds. */
  | { readonly kind: 'unchanged' }
  /** Older than what was applied before: left aside. */
  | { readonly kind: 'outdated' }
  | FailedAttempt;

export interface FailedAttempt {
  readonly kind: 'failed';
  /** Stable, snake_case. */
  readonly code: string;
  /** For the person who runs it: one sentence, or the stack of a bug. */
  readonly sentence: string;
  /** How long the publisher wants to be left alone. */
  readonly retryAfterSeconds: number | null;
}

/** The word under which an attempt is counted, and what is wrong after it; null trouble: nothing. */
export function nameAttempt(attempt: Attempt): { readonly name: string; readonly trouble: string | null } {
  switch (attempt.kind) {
    case 'applied':
      return { name: attempt.trouble ?? 'applied', trouble: attempt.trouble };
    case 'unchanged':
      return { name: 'unchanged', trouble: null };
    case 'outdated':
      return { name: 'header_backwards', trouble: 'header_backwards' };
    case 'failed':
      return { name: attempt.code, trouble: attempt.code };
  }
}
