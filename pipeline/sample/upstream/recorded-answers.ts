import type { Instant } from '../../model/service-time.ts';
import { type AnswerSource, httpDate, textAnswer } from './answer-source.ts';

/** A recorded answer of an upstream. */
interface RecordedAnswer {
  readonly path: string;
  readonly recordedAt: Instant;
  readonly contentType: string;
  /** Loads the original bytes, decompressed. */
  read(): Promise<Uint8Array>;
}

/**
 * Replays recorded answers: for each path, the last one recorded before the instant; 503 before the first.
 * @param recordings in any order
 */
export function recordedAnswers(recordings: readonly RecordedAnswer[]): AnswerSource {
  const byPath = new Map<string, RecordedAnswer[]>();
  for (const recording of recordings.toSorted((a, b) => a.recordedAt - b.recordedAt)) {
    const known = byPath.get(recording.path);
    if (known) known.push(recording);
    else byPath.set(recording.path, [recording]);
  }
  return async ({ path }, { at }) => {
    const known = byPath.get(path);
    if (!known) return null;
    const last = known.findLast(({ recordedAt }) => recordedAt <= at);
    if (!last) return textAnswer(503, 'text/plain; charset=utf-8', 'Nothing was recorded yet.\n');
    return {
      status: 200,
      headers: { 'content-type': last.contentType, 'last-modified': httpDate(last.recordedAt) },
      body: await last.read(),
    };
  };
}
