import { parseSituationId } from './parse-trips.ts';
import type { RawSituation } from './raw-answer.ts';
import { childrenOf, descendantsOf, findElement, pickText, textAt, type XmlElement } from './xml-element.ts';

/** Texts of a situation after its summary, as SIRI 2.0 and, inside of a publishing action, SIRI 2.1 name them. */
const TEXT_NAMES = ['Description', 'Detail', 'Advice'];
const CONTENT_NAMES = ['Description', 'Reason', 'Consequence', 'Recommendation', 'Duration', 'Remark'];

/**
 * Reads a `PtSituation`.
 * @returns null when it has no number to be known by
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

/** Texts of the situation itself; where it has none, those of the first action that publishes some. */
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

/** @see SIRI-SX, AffectsScopeStructure; what stands below a network, a mode or a journey counts alike */
function parseAffects(
  affects: XmlElement | null,
): Pick<RawSituation, 'lines' | 'stops' | 'journeyRefs' | 'operatorName'> {
  if (!affects) return { lines: [], stops: [], journeyRefs: [], operatorName: null };
  const points = descendantsOf(affects, 'AffectedStopPoint');
  const stations = descendantsOf(affects, 'AffectedStopPlace');
  const journeys = ['DatedVehicleJourneyRef', 'VehicleJourneyRef'].flatMap((name) => descendantsOf(affects, name));
  return {
    lines: descendantsOf(affects, 'AffectedLine').map(parseAffectedLine),
    stops: [
      ...points.map((stop) => parseAffectedStop(stop, 'StopPointRef', 'StopPointName')),
      ...stations.map((stop) => parseAffectedStop(stop, 'StopPlaceRef', 'PlaceName')),
    ],
    journeyRefs: journeys.flatMap(({ text }) => text.trim() || []),
    operatorName: pickText(descendantsOf(affects, 'OperatorName')),
  };
}

function parseAffectedLine(line: XmlElement): RawSituation['lines'][number] {
  return { lineRef: textAt(line, 'LineRef'), lineName: pickText(childrenOf(line, 'PublishedLineName')) };
}

function parseAffectedStop(stop: XmlElement, ref: string, name: string): RawSituation['stops'][number] {
  return { stopPointRef: textAt(stop, ref), stopPointName: pickText(childrenOf(stop, name)) };
}
