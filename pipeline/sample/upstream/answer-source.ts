import type { Instant } from '../../model/service-time.ts';

/** A request as it reached the fake upstream. */
export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Empty where none was sent. */
  readonly body: string;
}

export interface UpstreamAnswer {
  readonly status: number;
  /** Names in lower case; the length is added when it is sent. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface UpstreamMoment {
  /** The moment that is told of. */
  readonly at: Instant;
  /** What the upstream's clock shows: later than `at` where its data stands still. */
  readonly serverTime: Instant;
}

/** What an upstream answers, and when: null for a path that it does not know. */
export type AnswerSource = (
  request: UpstreamRequest,
  moment: UpstreamMoment,
) => UpstreamAnswer | null | Promise<UpstreamAnswer | null>;

/** Asks one source after the other until one knows the path. */
export function chainAnswers(...sources: readonly AnswerSource[]): AnswerSource {
  return async (request, moment) => {
    for (const source of sources) {
      const answer = await source(request, moment);
      if (answer) return answer;
    }
    return null;
  };
}

export function textAnswer(status: number, contentType: string, text: string): UpstreamAnswer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(text) };
}

/** The form of an HTTP header's time. */
export function httpDate(instant: Instant): string {
  return new Date(instant * 1000).toUTCString();
}
