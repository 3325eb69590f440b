import type { Instant } from '../../model/service-time.ts';
import type { RealtimeSource, SourceFacts, SourceRequest } from '../realtime-source.ts';
import type { PublisherFixes } from './answer-context.ts';
import { namesOf, type TriasDialect } from './dialect.ts';
import { normaliseAnswer } from './normalise-answer.ts';
import { parseAnswer } from './parse-answer.ts';
import { defaultXmlLimits, element, formatXmlTime, textElement, type Xml, xmlDocument } from './xml.ts';

export type TriasVersion = '1.0' | '1.1' | '1.2' | '2.0';

/** All fixes of publishers. Their patterns occur with one publisher only, so the fixes are always on. */
const publisherFixes: PublisherFixes = {
  toStopId: fromLinkingAlpsRef,
  toValue: withoutPlaceholder,
  toSituationText: withoutEfaSettings,
};

/**
 * 2023-06 VAO in Linking Alps: a stop reference is a HAFAS location in base64, with `-` for `=`, whose part `i` holds
 * the id that all other publishers use: `A×at:45:50002:0:9`. fixture: linking-alps-stop-reference
 */
export function fromLinkingAlpsRef(ref: string): string {
  // Every location of a stop begins with "S|A=1@".
  if (!ref.startsWith('U3xBPTFA')) return ref;
  const location = decodeBase64(ref.replaceAll('-', '='));
  return /@i=A×([^@|]+)@/.exec(location ?? '')?.[1] ?? ref;
}

function decodeBase64(text: string): string | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0) return null;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}

/**
 * 2026-02 OJP Switzerland: an unknown origin is `n/a`. 2023-06 VAO in Linking Alps: every line is `xxx`. Both can be
 * removed once the elements are omitted instead. fixture: placeholders
 */
export function withoutPlaceholder(text: string): string | null {
  return text === 'n/a' || text === 'xxx' ? null : text;
}

/**
 * 2021-09 VVO: the detail of a situation ends with editor settings, `inEFA="true";MeldungTyp="Information"`. fixture:
 * efa-settings
 */
export function withoutEfaSettings(text: string): string {
  return text
    .trimEnd()
    .replace(/\binEFA="[^"]*"(?:;\w+="[^"]*")*;?$/, '')
    .trimEnd();
}

interface StopEventQuestion {
  readonly dialect: TriasDialect;
  /** Requestor id, as registered with the publisher. */
  readonly requestorRef: string | null;
  /** Id of a stop or station, usually IFOPT. */
  readonly stopRef: string;
  readonly numberOfResults: number;
  /** Whether to include the calls before and after the one at the stop. */
  readonly includeCalls: boolean;
  readonly includeSituations: boolean;
}

/**
 * Builds the request document for the departures of a stop from a given time on.
 * @see VDV 431-2, StopEventRequestStructure; OJP 1.0 and 2.0, OJPStopEventRequestStructure
 */
function buildStopEventRequest(question: StopEventQuestion, now: Instant): string {
  const { dialect, requestorRef } = question;
  const { root, namespaces, own } = namesOf(dialect);
  const isTrias = dialect.kind === 'trias';
  const request = buildStopEvents(question, now);
  const serviceRequest = element(isTrias ? 'trias:ServiceRequest' : 'siri:ServiceRequest', [
    textElement('siri:RequestTimestamp', formatXmlTime(now)),
    textElement('siri:RequestorRef', requestorRef),
    isTrias ? element('trias:RequestPayload', [request]) : request,
  ]);
  // In OJP 1.0 even the envelope is a SIRI element.
  const envelope = own === 'ojp:' ? 'siri:OJPRequest' : 'OJPRequest';
  const content = isTrias ? serviceRequest : element(envelope, [serviceRequest]);
  return xmlDocument(element(root, [content], { ...namespaces, version: dialect.version }));
}

function buildStopEvents(question: StopEventQuestion, now: Instant): Xml {
  const { own } = namesOf(question.dialect);
  const name = question.dialect.kind === 'trias' ? 'StopEventRequest' : 'OJPStopEventRequest';
  return element(`${own}${name}`, [
    textElement('siri:RequestTimestamp', formatXmlTime(now)),
    element(`${own}Location`, [buildPlace(question), textElement(`${own}DepArrTime`, formatXmlTime(now))]),
    element(`${own}Params`, buildParams(question)),
  ]);
}

function buildPlace({ dialect, stopRef }: StopEventQuestion): Xml {
  const { own, reference, placeName } = namesOf(dialect);
  const name = element(`${own}${placeName}`, [textElement(`${own}Text`, stopRef)]);
  if (dialect.kind === 'trias') {
    return element('trias:LocationRef', [textElement('trias:StopPointRef', stopRef), name]);
  }
  const refName = isPlatformId(stopRef) ? `${reference}StopPointRef` : `${own}StopPlaceRef`;
  return element(`${own}PlaceRef`, [textElement(refName, stopRef), name]);
}

/** An IFOPT id with more parts than country, region and stop names an area or a platform of the stop. */
function isPlatformId(stopRef: string): boolean {
  return stopRef.split(':').length > 3;
}

/** In the order of each schema. */
function buildParams(question: StopEventQuestion): readonly (Xml | null)[] {
  const { dialect, numberOfResults, includeCalls, includeSituations } = question;
  const { own } = namesOf(dialect);
  const calls = [
    textElement(`${own}StopEventType`, 'departure'),
    textElement(`${own}IncludePreviousCalls`, includeCalls),
    textElement(`${own}IncludeOnwardCalls`, includeCalls),
  ];
  const results = textElement(`${own}NumberOfResults`, numberOfResults);
  if (dialect.kind === 'trias') {
    const realtime = textElement('trias:IncludeRealtimeData', true);
    return [...calls, textElement('trias:IncludeOperatingDays', false), realtime, results];
  }
  if (dialect.version === '1.0') return [results, ...calls, textElement('ojp:IncludeRealtimeData', true)];
  return [
    results,
    ...calls,
    textElement('IncludeOperatingDays', false),
    textElement('UseRealtimeData', 'full'),
    textElement('IncludePlacesContext', true),
    textElement('IncludeSituationsContext', includeSituations),
  ];
}

/** Options of one TRIAS or OJP server and the stops that are polled there. */
export interface TriasOptions {
  /** Id for problems. */
  readonly id?: string;
  readonly kind: 'trias' | 'ojp';
  /** TRIAS 1.1 or 1.2 (default), OJP 1.0 or 2.0 (default). */
  readonly version?: TriasVersion;
  readonly url: string;
  /** Name or key issued by the publisher; null if none is required. */
  readonly requestorRef: string | null;
  /** Ids of stops or stations, usually IFOPT; one request each. */
  readonly stops: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly numberOfResults?: number;
  /** Whether to request the calls before and after each stop event. */
  readonly includeCalls?: boolean;
  readonly includeSituations?: boolean;
  /** Seconds between two requests for the same stop. */
  readonly intervalSeconds?: number;
  /** Overrides of the default facts. */
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
 * A source that polls the stop events of its stops in turn: parts `stop-event-1`, `stop-event-2`, … in the order of
 * `stops`.
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

function toDialect({ kind, version }: TriasOptions): TriasDialect {
  if (kind === 'trias' && (version === undefined || version === '1.2')) return { kind, version: '1.2' };
  if (kind === 'trias' && version === '1.1') return { kind, version };
  if (kind === 'ojp' && (version === undefined || version === '2.0')) return { kind, version: '2.0' };
  if (kind === 'ojp' && version === '1.0') return { kind, version };
  throw new RangeError(`${kind} version ${version} is not supported`);
}
