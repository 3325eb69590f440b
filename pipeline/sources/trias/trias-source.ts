import type { Dialect } from '../../formats/trias/dialect.ts';
import { parseAnswer } from '../../formats/trias/parse-answer.ts';
import { defaultXmlLimits } from '../../formats/trias/parse-xml.ts';
import { normaliseAnswer } from '../../normalise/trias/normalise-answer.ts';
import type { TriasVersion } from '../configured-source.ts';
import type { RealtimeSource, SourceFacts, SourceRequest } from '../realtime-source.ts';
import { publisherFixes } from './publisher-fixes.ts';
import { buildStopEventRequest } from './stop-event-request.ts';

/** One server of TRIAS or OJP and the stops that are watched through it. */
export interface TriasOptions {
  /** Id for problems. */
  readonly id?: string;
  readonly kind: 'trias' | 'ojp';
  /** TRIAS 1.1 or 1.2 (default), OJP 1.0 or 2.0 (default). */
  readonly version?: TriasVersion;
  readonly url: string;
  /** The name or key that the publisher has given out; null where it asks for none. */
  readonly requestorRef: string | null;
  /** Ids of stops or stations, IFOPT as a rule; one request each. */
  readonly stops: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly numberOfResults?: number;
  /** Whether the calls before and after each stop event are asked for. */
  readonly includeCalls?: boolean;
  readonly includeSituations?: boolean;
  /** From one request for a stop to the next for the same. */
  readonly intervalSeconds?: number;
  /** What is known of this publisher in place of what holds for most. */
  readonly facts?: Partial<SourceFacts>;
}

const DEFAULT_RESULTS = 20;
const DEFAULT_INTERVAL_SECONDS = 60;

const usualFacts: Omit<SourceFacts, 'kind'> = {
  zone: 'Europe/Vienna',
  minGapSeconds: 1,
  timeoutSeconds: 15,
  maxBytes: defaultXmlLimits.maxBytes,
  maxAgeSeconds: 180,
  dailyBudget: null,
  archive: 'full',
  licence: null,
  attribution: null,
  coverage: [],
  isNationwide: false,
};

/**
 * A source that asks for the stop events of its stops, one after the other: parts `stop-event-1`, `stop-event-2`, …
 * in the order of `stops`.
 * @throws RangeError for a version that the standard does not have
 */
export function createTriasSource(options: TriasOptions): RealtimeSource {
  const { id: source = 'trias', includeSituations = true } = options;
  const dialect = toDialect(options);
  const facts: SourceFacts = { ...usualFacts, ...options.facts, kind: options.kind };
  const question = {
    dialect,
    requestorRef: options.requestorRef,
    numberOfResults: options.numberOfResults ?? DEFAULT_RESULTS,
    includeCalls: options.includeCalls ?? true,
    includeSituations,
  };
  return {
    facts,
    listRequests: (now) =>
      options.stops.map(
        (stopRef, index): SourceRequest => ({
          part: `stop-event-${index + 1}`,
          method: 'POST',
          url: options.url,
          headers: {
            'content-type': 'text/xml; charset=utf-8',
            accept: 'text/xml, application/xml',
            ...options.headers,
          },
          body: buildStopEventRequest({ ...question, stopRef }, now),
          intervalSeconds: options.intervalSeconds ?? DEFAULT_INTERVAL_SECONDS,
          extension: 'xml',
        }),
      ),
    parse: (bytes, _request, fetchedAt) => {
      const answer = parseAnswer(bytes, source, { ...defaultXmlLimits, maxBytes: facts.maxBytes });
      return normaliseAnswer(answer, { source, fetchedAt, fixes: publisherFixes, includeSituations });
    },
  };
}

function toDialect({ kind, version }: TriasOptions): Dialect {
  if (kind === 'trias' && (version === undefined || version === '1.2')) return { kind, version: '1.2' };
  if (kind === 'trias' && version === '1.1') return { kind, version };
  if (kind === 'ojp' && (version === undefined || version === '2.0')) return { kind, version: '2.0' };
  if (kind === 'ojp' && version === '1.0') return { kind, version };
  throw new RangeError(`${kind} has no version ${version} that is spoken here`);
}
