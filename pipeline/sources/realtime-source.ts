import type { GeoBox } from '../model/geo.ts';
import type { SourceUpdate } from '../model/realtime.ts';
import type { Instant } from '../model/service-time.ts';

/** What is known of a publisher before it is asked: its rules, its limits, its licence. */
export interface SourceFacts {
  /** Of the definition that made it, e.g. `gtfs-rt`. */
  readonly kind: string;
  /** Zone of local times in its answers. */
  readonly zone: string;
  /** Seconds between two requests of the source, whatever they ask for; the publisher's rule. */
  readonly minGapSeconds: number;
  readonly timeoutSeconds: number;
  /** Largest answer that is read. */
  readonly maxBytes: number;
  /** Age beyond which what it said last is no longer shown as live. */
  readonly maxAgeSeconds: number;
  /** Requests a day; null: no limit. Beyond it nothing is asked. */
  readonly dailyBudget: number | null;
  /** `full`: raw answers and sightings are kept; `none`: neither may be. */
  readonly archive: 'full' | 'none';
  readonly licence: string | null;
  readonly attribution: string | null;
  /** Areas it speaks of, for people: e.g. `Wien`. */
  readonly coverage: readonly string[];
  /** A source that covers the country makes disruptions `nationwide`. */
  readonly isNationwide: boolean;
}

/** A request as a value: what to send, how often, and what it is called. */
export interface SourceRequest {
  /** Stable, unique within the source, `[a-z0-9-]`: e.g. `trip-updates`, `monitor-3`. An answer replaces the last of its part. */
  readonly part: string;
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly intervalSeconds: number;
  /** Ending of the stored raw file, e.g. `pb`, `json`, `xml`. */
  readonly extension: string;
}

/** One publisher, ready to be asked. Pure: the same bytes give the same update. */
export interface RealtimeSource {
  readonly facts: SourceFacts;
  /** Every request there is, in the order of the first round. `now` fills in times that a request must carry. */
  listRequests(now: Instant): readonly SourceRequest[];
  /** The request for the vehicles of an area of the map; absent where the publisher cannot be asked for one. */
  toAreaRequest?(box: GeoBox, now: Instant): SourceRequest;
  /**
   * Reads an answer. A bad record costs that record and is told as a problem.
   * @throws UnreadableAnswer when the whole is no answer of this publisher: truncated, HTML, another format
   */
  parse(bytes: Uint8Array, request: SourceRequest, fetchedAt: Instant): SourceUpdate | Promise<SourceUpdate>;
}
