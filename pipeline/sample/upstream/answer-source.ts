import type { Instant } from '../../model/service-time.ts';

/** A request as it reached the fake upstream. */
export interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Host and port to which the request was sent. */
  readonly host: string;
  /** Empty without a body. */
  readonly body: string;
}

export interface UpstreamAnswer {
  readonly status: number;
  /** Names in lower case; the length is added on sending. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface UpstreamTimes {
  /** Instant of the data. */
  readonly at: Instant;
  /** The upstream's clock: later than `at` if its data are frozen. */
  readonly serverTime: Instant;
}

/** The answer of an upstream at an instant; null for an unknown path. */
export type AnswerSource = (
  request: UpstreamRequest,
  times: UpstreamTimes,
) => UpstreamAnswer | null | Promise<UpstreamAnswer | null>;

/** Tries the sources in order until one knows the path. */
export function chainAnswers(...sources: readonly AnswerSource[]): AnswerSource {
  return async (request, times) => {
    for (const source of sources) {
      const answer = await source(request, times);
      if (answer) return answer;
    }
    return null;
  };
}

export function textAnswer(status: number, contentType: string, text: string): UpstreamAnswer {
  return { status, headers: { 'content-type': contentType }, body: Buffer.from(text) };
}

/** Format of times in HTTP headers. */
export function httpDate(instant: Instant): string {
  return new Date(instant * 1000).toUTCString();
}
