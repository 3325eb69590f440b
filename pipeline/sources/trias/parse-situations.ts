import type { RawAffectedStop, RawSituation } from './raw-answer.ts';
import { childrenOf, descendantsOf, findElement, pickText, textAt, type XmlElement } from './xml.ts';

/** Id of a situation, in itself or in a reference to it; null without a number. */
export function parseSituationId(element: XmlElement): string | null {
  const number = textAt(element, 'SituationNumber');
  return number === null ? null : `${textAt(element, 'ParticipantRef') ?? ''}:${number}`;
}

/** Texts of a situation after its summary, by their names in SIRI 2.0 and, inside a publishing action, in SIRI 2.1. */
const TEXT_NAMES = ['Description', 'Detail', 'Advice'];
const CONTENT_NAMES = ['Description', 'Reason', 'Consequence', 'Recommendation', 'Duration', 'Remark'];

/**
 * Parses a `PtSituation`.
 * @returns null without a number
 */
export function parseSituation(situation: XmlElement, place: string): RawSituation | null {
  const id = parseSituationId(situation);
  if (id === null) return null;
  const consequences = childrenOf(findElement(situation, 'Consequences'), 'Consequence');
  return {
    place,
    id,
    version: textAt(situation, 'Version'),
    progress: textAt(situation, 'Progress'),
    reality: textAt(situation, 'Reality'),
    validityPeriods: childrenOf(situation, 'ValidityPeriod').map((period) => ({
      startTime: textAt(period, 'StartTime'),
      endTime: textAt(period, 'EndTime'),
    })),
    reason: parseReason(situation),
    severity: textAt(situation, 'Severity') ?? textAt(consequences[0] ?? null, 'Severity'),
    priority: textAt(situation, 'Priority'),
    scopeType: textAt(situation, 'ScopeType'),
    conditions: consequences.flatMap((consequence) => textAt(consequence, 'Condition') ?? []),
    ...parseTexts(situation),
    links: descendantsOf(situation, 'InfoLink').flatMap(parseLink),
    ...parseAffects(findElement(situation, 'Affects')),
  };
}

function parseReason(situation: XmlElement): string | null {
  const isReason = ({ name }: XmlElement) => name === 'AlertCause' || /^[A-Z][a-z]+Reason$/.test(name);
  return situation.children.find(isReason)?.text.trim() || null;
}

/** Texts of the situation itself, else those of the first publishing action with texts. */
function parseTexts(situation: XmlElement): Pick<RawSituation, 'summary' | 'texts'> {
  const summary = pickText(childrenOf(situation, 'Summary'));
  const texts = TEXT_NAMES.flatMap((name) => pickText(childrenOf(situation, name)) ?? []);
  const content = descendantsOf(situation, 'TextualContent')[0] ?? null;
  if (summary !== null || texts.length > 0 || !content) return { summary, texts };
  const readContent = (name: string) => pickText(childrenOf(findElement(content, `${name}Content`), `${name}Text`));
  return { summary: readContent('Summary'), texts: CONTENT_NAMES.flatMap((name) => readContent(name) ?? []) };
}

function parseLink(link: XmlElement): RawSituation['links'] {
  const uri = textAt(link, 'Uri');
  return uri === null ? [] : [{ uri, label: pickText(childrenOf(link, 'Label')) }];
}

type Affected = Pick<RawSituation, 'lines' | 'stops' | 'journeys' | 'operatorName'>;

const JOURNEY_REFS = ['DatedVehicleJourneyRef', 'VehicleJourneyRef'];
/** Elements whose stops restrict them and are not affected otherwise. */
const SCOPES = ['AffectedLine', 'AffectedVehicleJourney'];

/** @see SIRI-SX, AffectsScopeStructure; elements below a network or a mode count alike */
function parseAffects(affects: XmlElement | null): Affected {
  if (!affects) return { lines: [], stops: [], journeys: [], operatorName: null };
  return {
    lines: descendantsOf(affects, 'AffectedLine').map(parseAffectedLine),
    stops: parseStops(affects, SCOPES),
    journeys: parseJourneys(affects),
    operatorName: pickText(descendantsOf(affects, 'OperatorName')),
  };
}

function parseAffectedLine(line: XmlElement): RawSituation['lines'][number] {
  return {
    lineRef: textAt(line, 'LineRef'),
    lineName: pickText(childrenOf(line, 'PublishedLineName')),
    stops: parseStops(line),
  };
}

/** Journeys with their restrictions, then those given by reference only. */
function parseJourneys(affects: XmlElement): RawSituation['journeys'] {
  const described = descendantsOf(affects, 'AffectedVehicleJourney').flatMap((journey) => {
    const facts = {
      operatingDay: descendantsOf(journey, 'DataFrameRef')[0]?.text.trim() || null,
      lineRef: textAt(journey, 'LineRef'),
      stops: parseStops(journey),
    };
    return findRefs(journey).map((journeyRef) => ({ journeyRef, ...facts }));
  });
  const known = new Set(described.map(({ journeyRef }) => journeyRef));
  const others = findRefs(affects).filter((journeyRef) => !known.has(journeyRef));
  return [...described, ...others.map((journeyRef) => ({ journeyRef, operatingDay: null, lineRef: null, stops: [] }))];
}

function findRefs(element: XmlElement): string[] {
  return JOURNEY_REFS.flatMap((name) => descendantsOf(element, name)).flatMap(({ text }) => text.trim() || []);
}

/** Stops and stations of a scope, including a journey's calls. @param outside elements whose stops are excluded */
function parseStops(scope: XmlElement, outside: readonly string[] = []): RawAffectedStop[] {
  return scope.children.flatMap((child) => {
    if (outside.includes(child.name)) return [];
    if (child.name === 'AffectedStopPoint') return [parseAffectedStop(child, 'StopPointRef', 'StopPointName')];
    if (child.name === 'AffectedStopPlace') return [parseAffectedStop(child, 'StopPlaceRef', 'PlaceName')];
    if (child.name === 'Call') return [parseAffectedStop(child, 'StopPointRef', 'StopPointName')];
    return parseStops(child, outside);
  });
}

function parseAffectedStop(stop: XmlElement, ref: string, name: string): RawAffectedStop {
  return { stopPointRef: textAt(stop, ref), stopPointName: pickText(childrenOf(stop, name)) };
}
