import { type Dialect, namesOf } from '../../formats/trias/dialect.ts';
import { element, formatXmlTime, textElement, type Xml, xmlDocument } from '../../formats/trias/write-xml.ts';
import type { Instant } from '../../model/service-time.ts';

export interface StopEventQuestion {
  readonly dialect: Dialect;
  /** Who asks, as registered with the publisher. */
  readonly requestorRef: string | null;
  /** Id of a stop or station, IFOPT as a rule. */
  readonly stopRef: string;
  readonly numberOfResults: number;
  /** Whether the calls before and after the one at the stop are wanted too. */
  readonly includeCalls: boolean;
  readonly includeSituations: boolean;
}

/**
 * The document that asks for the departures of a stop from a moment on.
 * @see VDV 431-2, StopEventRequestStructure; OJP 1.0 and 2.0, OJPStopEventRequestStructure
 */
export function buildStopEventRequest(question: StopEventQuestion, now: Instant): string {
  const { dialect, requestorRef } = question;
  const { root, namespaces, own } = namesOf(dialect);
  const isTrias = dialect.kind === 'trias';
  const request = buildStopEvents(question, now);
  const serviceRequest = element(isTrias ? 'trias:ServiceRequest' : 'siri:ServiceRequest', [
    textElement('siri:RequestTimestamp', formatXmlTime(now)),
    textElement('siri:RequestorRef', requestorRef),
    isTrias ? element('trias:RequestPayload', [request]) : request,
  ]);
  // OJP 1.0 takes even its own envelope from SIRI.
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

/** An IFOPT id of more than country, region and stop names an area or a platform of it. */
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
