import type { RawCall, RawTimes, RawTrip } from './raw-answer.ts';
import { childrenOf, descendantsOf, findElement, isTrueAt, pickText, textAt, type XmlElement } from './xml-element.ts';

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
 * Reads the service and the calls of a `StopEvent`, a `TimedLeg` or a `TripInfoResult`: all three are made of them.
 * @returns the trip, or the code of what it lacks: `trip_without_service`, `trip_without_calls`
 */
export function parseTrip(holder: XmlElement, place: string): RawTrip | string {
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

/** @see VDV 431-2, DatedJourneyStructure: line, mode and operator stand in a section, in OJP in the service itself */
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

/** The name of a situation, of itself or as others refer to it; null without a number. */
export function parseSituationId(element: XmlElement): string | null {
  const number = textAt(element, 'SituationNumber');
  return number === null ? null : `${textAt(element, 'ParticipantRef') ?? ''}:${number}`;
}
