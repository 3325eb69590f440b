import type { GeoBox } from '../model/geo.ts';
import type { ListedFile, SourceUpdate } from '../model/realtime.ts';
import type { Instant } from '../model/service-time.ts';

/** Facts about a publisher: its rules, its limits, its licence. */
export interface SourceFacts {
  /** Kind of its definition, e.g. `gtfs-rt`. */
  readonly kind: string;
  /** Time zone of local times in its answers. */
  readonly zone: string;
  /** Minimum seconds between any two requests to the source, as its publisher requires. */
  readonly minGapSeconds: number;
  readonly timeoutSeconds: number;
  /** Largest answer that is accepted. */
  readonly maxBytes: number;
  /** Age beyond which its last report is no longer shown as live. */
  readonly maxAgeSeconds: number;
  /** Maximum requests per day; null: no limit. */
  readonly dailyBudget: number | null;
  /** `full`: raw responses and observations are stored; `none`: neither may be. */
  readonly archive: 'full' | 'none';
  readonly licence: string | null;
  readonly attribution: string | null;
  /** The area that it covers, for riders: e.g. `Wien`. */
  readonly coverage: readonly string[];
  /** Whether it covers the whole country: its disruptions are then `nationwide`. */
  readonly isNationwide: boolean;
}

/** A request as a value: what to send, how often, and the name of its part. */
export interface SourceRequest {
  /** Stable, unique in the source, `[a-z0-9-]`, e.g. `monitor-3`. An answer replaces the previous one of its part. */
  readonly part: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly intervalSeconds: number;
  /** Hosts to which a redirect is followed and reported; absent: redirects are followed as those of any address. */
  readonly redirectHosts?: readonly string[];
  /** Ending of the stored raw file, e.g. `pb`, `json`, `xml`. */
  readonly extension: string;
}

/** A source of one publisher. Pure: equal bytes give equal updates. */
export interface RealtimeSource {
  readonly facts: SourceFacts;
  /** All requests, in the order of the first round. `now` sets times that a request must contain. */
  listRequests(now: Instant): readonly SourceRequest[];
  /** The request for a file that an answer lists; absent if the source has no such files. */
  toFileRequest?(file: ListedFile): SourceRequest;
  /** The request for the vehicles of a map area; absent if the publisher has no such request. */
  toAreaRequest?(box: GeoBox, now: Instant): SourceRequest;
  /**
   * Parses an answer. A bad record is dropped and reported as a problem.
   * @throws UnreadableAnswer unless the bytes are an answer of this publisher: truncated, HTML, another format
   */
  parse(bytes: Uint8Array, request: SourceRequest, fetchedAt: Instant): SourceUpdate | Promise<SourceUpdate>;
}
