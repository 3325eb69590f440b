import type { RecordProblem } from '../../model/problem.ts';
import { UnreadableAnswer } from '../../model/problem.ts';
import { parseSituation, parseSituationId } from './parse-situations.ts';
import type { RawAnswer, RawCall, RawSituation, RawTimes, RawTrip, TriasPlace } from './raw-answer.ts';
import {
  childrenOf,
  descendantsOf,
  findElement,
  isTrueAt,
  parseXml,
  pickText,
  textAt,
  type XmlElement,
  type XmlLimits,
} from './xml.ts';

/** In travel order. OJP 1.0 and TRIAS repeat `LegIntermediates`, OJP 2.0 `LegIntermediate`. */
const CALL_NAMES = [
  'PreviousCall',
  'ThisCall',
  'OnwardCall',
  'LegBoard',
  'LegIntermediates',
  'LegIntermediate',
  'LegAlight',
];

/**
 * Parses the service and the calls of a `StopEvent`, a `TimedLeg` or a `TripInfoResult`, which all consist of them.
 * @returns the trip, or the code of its defect: `trip_without_service`, `trip_without_calls`
 */
function parseTrip(holder: XmlElement, place: string): RawTrip | string {
  const service = findElement(holder, 'Service');
  const calls = childrenOf(holder, ...CALL_NAMES).map((call) => findElement(call, 'CallAtStop') ?? call);
  if (!service) return 'trip_without_service';
  if (calls.length === 0) return 'trip_without_calls';
  return {
    place,
    ...parseService(service),
    situationIds: [...new Set([service, ...calls].flatMap(parseSituationRefs))],
    calls: calls.map(parseCall),
  };
}

/** @see VDV 431-2, DatedJourneyStructure: line, mode and operator are in a section, in OJP in the service itself */
function parseService(service: XmlElement): Omit<RawTrip, 'place' | 'situationIds' | 'calls'> {
  const section = findElement(service, 'ServiceSection') ?? service;
  const mode = findElement(section, 'Mode') ?? findElement(service, 'Mode');
  const lineNames = ['PublishedLineName', 'PublishedServiceName'].map((name) => pickText(childrenOf(section, name)));
  return {
    operatingDayRef: textAt(service, 'OperatingDayRef'),
    journeyRef: textAt(service, 'JourneyRef'),
    lineRef: textAt(section, 'LineRef') ?? textAt(service, 'LineRef'),
    lineName: lineNames.find((name) => name !== null) ?? textAt(service, 'PublicCode'),
    modeName: pickText(childrenOf(mode, 'Name')),
    ptMode: textAt(mode, 'PtMode'),
    submode: mode?.children.find(({ name }) => name.endsWith('Submode'))?.text.trim() || null,
    operatorName: pickText(childrenOf(section, 'OperatorName')),
    originText: pickText(childrenOf(service, 'OriginText')),
    destinationText: pickText(childrenOf(service, 'DestinationText')),
    isCancelled: isTrueAt(service, 'Cancelled'),
    isUnplanned: isTrueAt(service, 'Unplanned'),
  };
}

function parseCall(call: XmlElement): RawCall {
  const bay = (prefix: string) => pickText([...childrenOf(call, `${prefix}Bay`), ...childrenOf(call, `${prefix}Quay`)]);
  return {
    stopPointRef: textAt(call, 'StopPointRef'),
    stopPointName: pickText(childrenOf(call, 'StopPointName')),
    plannedBay: bay('Planned'),
    estimatedBay: bay('Estimated'),
    arrival: parseTimes(findElement(call, 'ServiceArrival')),
    departure: parseTimes(findElement(call, 'ServiceDeparture')),
    isNotServiced: isTrueAt(call, 'NotServicedStop'),
    isUnplanned: isTrueAt(call, 'UnplannedStop'),
  };
}

function parseTimes(times: XmlElement | null): RawTimes | null {
  if (!times) return null;
  return {
    timetabledTime: textAt(times, 'TimetabledTime'),
    estimatedTime: textAt(times, 'EstimatedTime'),
    observedTime: textAt(times, 'RecordedAtTime'),
  };
}

function parseSituationRefs(element: XmlElement): readonly string[] {
  return descendantsOf(element, 'SituationFullRef').flatMap((reference) => parseSituationId(reference) ?? []);
}

/** Error codes that mean an empty result. */
const NO_RESULT = /\b(?:STOPEVENT_(?:NOEVENTFOUND|NOREALTIME)|TRIP_NOTRIPFOUND|LOCATION_NORESULTS)\b/;

/**
 * Parses an answer of TRIAS 1.1 or 1.2, OJP 1.0 or 2.0: stop events, trips, trip infos and locations.
 * @param source id for problems
 * @returns no records if the upstream reports an empty result
 * @throws UnreadableAnswer as `parseXml` does; `foreign_xml` for another root, `request_document` for a request,
 *   `no_delivery` for an answer without a delivery, `upstream_error` with the upstream's own codes in the message
 * @see VDV 431-2; CEN/TS 17118
 */
export function parseAnswer(bytes: Uint8Array, source: string, limits?: XmlLimits): RawAnswer {
  const root = parseXml(bytes, limits);
  const { kind, delivery, payloads, errors } = openEnvelope(root);
  const parsed = payloads.map((payload) => parsePayload(payload, source));
  const hasResults = parsed.some(({ resultCount }) => resultCount > 0);
  if (!hasResults) refuseErrors(errors);
  return {
    kind,
    version: root.attributes.get('version') ?? null,
    responseTime: textAt(delivery, 'ResponseTimestamp') ?? textAt(payloads[0] ?? null, 'ResponseTimestamp'),
    trips: parsed.flatMap(({ trips }) => trips),
    situations: parsed.flatMap(({ situations }) => situations),
    places: parsed.flatMap(({ places }) => places),
    recordCount: parsed.reduce((sum, payload) => sum + payload.recordCount, 0),
    problems: [
      ...parsed.flatMap(({ problems }) => problems),
      ...(hasResults ? errors : []).map((detail) => ({ code: 'upstream_notice', source, place: 'answer', detail })),
    ],
  };
}

interface Envelope {
  readonly kind: RawAnswer['kind'];
  readonly delivery: XmlElement;
  readonly payloads: readonly XmlElement[];
  readonly errors: readonly string[];
}

const PAYLOAD = /^(?:OJP)?(?:StopEvent|Trip|TripInfo|LocationInformation)(?:Response|Delivery)$/;

/** @see VDV 431-2, TriasStructure; OJP, OJPResponseStructure */
function openEnvelope(root: XmlElement): Envelope {
  if (root.name !== 'Trias' && root.name !== 'OJP') {
    throw new UnreadableAnswer('foreign_xml', `the root is "${root.name}", neither Trias nor OJP`);
  }
  if (childrenOf(root, 'ServiceRequest', 'OJPRequest').length > 0) {
    throw new UnreadableAnswer('request_document', 'the document is a request, not an answer');
  }
  const isTrias = root.name === 'Trias';
  const delivery = findElement(isTrias ? root : findElement(root, 'OJPResponse'), 'ServiceDelivery');
  const parts = (isTrias ? findElement(delivery, 'DeliveryPayload') : delivery)?.children ?? [];
  const payloads = parts.filter(({ name }) => PAYLOAD.test(name));
  const errors = delivery ? readErrors([delivery, ...parts]) : [];
  if (!delivery || (payloads.length === 0 && errors.length === 0)) {
    throw new UnreadableAnswer('no_delivery', 'the answer delivers no known payload');
  }
  return { kind: isTrias ? 'trias' : 'ojp', delivery, payloads, errors };
}

/** An error beside results is a notice; one in place of results is an error, unless it means an empty result. */
function refuseErrors(errors: readonly string[]): void {
  const fatal = errors.filter((error) => !NO_RESULT.test(error));
  if (fatal.length > 0) throw new UnreadableAnswer('upstream_error', fatal.join('; '));
}

/** Length limit of an error, in characters: more than any code and its sentence. */
const MAX_DESCRIPTION = 300;

/** One text per `ErrorMessage` or `ErrorCondition`: its codes and descriptions. */
function readErrors(parts: readonly XmlElement[]): readonly string[] {
  const errors = parts.flatMap((part) => childrenOf(part, 'ErrorMessage', 'ErrorCondition')).map(describeError);
  const isRefused = parts.some((part) => textAt(part, 'Status') === 'false');
  return errors.length === 0 && isRefused ? ['status false'] : errors;
}

function describeError(error: XmlElement): string {
  const texts = leavesOf(error).filter(({ name, text }) => name !== 'Language' && text.trim() !== '');
  const description = texts.map(({ text }) => text.trim()).join(' ');
  return description.slice(0, MAX_DESCRIPTION) || (error.children[0]?.name ?? error.name);
}

function leavesOf(element: XmlElement): readonly XmlElement[] {
  return element.children.length === 0 ? [element] : element.children.flatMap(leavesOf);
}

interface Payload extends Pick<RawAnswer, 'trips' | 'situations' | 'places' | 'recordCount' | 'problems'> {
  /** The requested records, without accompanying situations. */
  readonly resultCount: number;
}

function parsePayload(payload: XmlElement, source: string): Payload {
  const problems: RecordProblem[] = [];
  const refuse = (code: string, place: string, detail: string) => problems.push({ code, source, place, detail });
  const context = payload.children.find(({ name }) => name.endsWith('ResponseContext')) ?? null;

  const trips: RawTrip[] = [];
  const holders = findTrips(payload);
  for (const { holder, place } of holders) {
    const trip = holder ? parseTrip(holder, place) : 'trip_without_service';
    if (typeof trip === 'string') refuse(trip, place, 'left out');
    else trips.push(trip);
  }

  const situations: RawSituation[] = [];
  const elements = childrenOf(findElement(context, 'Situations'), 'PtSituation');
  for (const [index, element] of elements.entries()) {
    const place = `PtSituation ${index + 1}`;
    const situation = parseSituation(element, place);
    if (situation) situations.push(situation);
    else refuse('situation_without_number', place, 'left out');
  }

  const resultCount = holders.length + countLocations(payload);
  return {
    trips,
    situations,
    places: parsePlaces(findElement(context, 'Places')),
    resultCount,
    recordCount: resultCount + elements.length,
    problems: [...problems, ...findNotices(payload, source)],
  };
}

/** All dated trips in a payload; an empty stop event has no container. */
function findTrips(payload: XmlElement): readonly { holder: XmlElement | null; place: string }[] {
  const results = childrenOf(payload, 'StopEventResult', 'TripResult', 'TripInfoResult');
  return results.flatMap((result, index) => {
    const place = `${result.name} ${index + 1}`;
    if (result.name === 'StopEventResult') return [{ holder: findElement(result, 'StopEvent'), place }];
    if (result.name === 'TripInfoResult') return [{ holder: result, place }];
    const legs = descendantsOf(result, 'TimedLeg');
    return legs.map((holder, leg) => ({ holder, place: `${place} timed leg ${leg + 1}` }));
  });
}

/** Errors of single results, which invalidate no result. */
function findNotices(payload: XmlElement, source: string): readonly RecordProblem[] {
  const results = childrenOf(payload, 'StopEventResult', 'TripResult', 'TripInfoResult');
  return results.flatMap((result, index) =>
    childrenOf(result, 'ErrorMessage', 'ErrorCondition').map((error) => ({
      code: 'upstream_notice',
      source,
      place: `${result.name} ${index + 1}`,
      detail: describeError(error),
    })),
  );
}

/** Counts `LocationResult` in TRIAS, `Location` in OJP 1.0, `PlaceResult` in OJP 2.0. */
function countLocations(payload: XmlElement): number {
  if (!payload.name.includes('LocationInformation')) return 0;
  return childrenOf(payload, 'LocationResult', 'Location', 'PlaceResult').length;
}

function parsePlaces(places: XmlElement | null): readonly TriasPlace[] {
  return childrenOf(places, 'Location', 'Place').flatMap((place) => {
    const stop = findElement(place, 'StopPoint') ?? findElement(place, 'StopPlace');
    const ref = textAt(stop, 'StopPointRef') ?? textAt(stop, 'StopPlaceRef');
    if (ref === null) return [];
    return [
      {
        ref,
        name: pickText(childrenOf(stop, 'StopPointName', 'StopPlaceName')),
        lat: textAt(place, 'GeoPosition', 'Latitude'),
        lon: textAt(place, 'GeoPosition', 'Longitude'),
      },
    ];
  });
}
