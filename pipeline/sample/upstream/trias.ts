import { UnreadableAnswer } from '../../model/problem.ts';
import type { Product } from '../../model/product.ts';
import type { NoticeKind, TripName } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import { type DialectNames, namesOf, type TriasDialect } from '../../sources/trias/dialect.ts';
import {
  element,
  findElement,
  formatXmlTime,
  isTrueAt,
  parseXmlText,
  textAt,
  textElement,
  type Xml,
  type XmlElement,
  xmlDocument,
} from '../../sources/trias/xml.ts';
import type { SimulatedAlert, SimulatedCall, SimulatedState, SimulatedTrip } from '../simulator/simulated-state.ts';

/** Situations for the alerts of an answer's trips. */
function buildSituations({ now, alerts }: SimulatedState, trips: readonly SimulatedTrip[]): readonly Xml[] {
  return alerts.filter((alert) => concerns(alert, trips)).map((alert) => buildSituation(alert, now));
}

function concerns({ lines, stops, trips: meant }: SimulatedAlert, trips: readonly SimulatedTrip[]): boolean {
  if (meant.length > 0) {
    return trips.some((trip) => meant.some((one) => one.tripId === trip.tripId && one.startDate === trip.startDate));
  }
  if (lines.length + stops.length === 0) return true;
  return trips.some(
    (trip) =>
      lines.some(({ label, routeId }) => label === trip.lineLabel || routeId === trip.routeId) ||
      trip.calls.some(({ stop }) => stops.some(({ id }) => id === stop.stopId || id === stop.stationId)),
  );
}

/** @see SIRI-SX, PtSituationElement */
function buildSituation(alert: SimulatedAlert, now: Instant): Xml {
  const { reason, condition } = causes[alert.kind];
  return element('siri:PtSituation', [
    textElement('siri:CreationTime', formatXmlTime(alert.activeWindows[0]?.from ?? now)),
    textElement('siri:ParticipantRef', 'sample'),
    textElement('siri:SituationNumber', alert.id),
    textElement('siri:Progress', alert.kind === 'allClear' ? 'closing' : 'published'),
    ...alert.activeWindows.map(({ from, to }) =>
      element('siri:ValidityPeriod', [
        textElement('siri:StartTime', from === null ? null : formatXmlTime(from)),
        textElement('siri:EndTime', to === null ? null : formatXmlTime(to)),
      ]),
    ),
    textElement('siri:MiscellaneousReason', alert.isAccess ? 'liftFailure' : reason),
    textElement('siri:Priority', 1 + Math.round(alert.priority / 25)),
    textElement('siri:ScopeType', scopeOf(alert)),
    textElement('siri:Summary', alert.title),
    textElement('siri:Detail', alert.text),
    buildLinks(alert),
    buildAffects(alert),
    condition === null
      ? null
      : element('siri:Consequences', [element('siri:Consequence', [textElement('siri:Condition', condition)])]),
  ]);
}

const causes: Readonly<Record<NoticeKind, { reason: string; condition: string | null }>> = {
  replacementService: { reason: 'unknown', condition: 'replacementTransport' },
  construction: { reason: 'constructionWork', condition: null },
  cancellation: { reason: 'unknown', condition: 'cancelled' },
  information: { reason: 'unknown', condition: null },
  emergency: { reason: 'emergencyServicesCall', condition: null },
  allClear: { reason: 'unknown', condition: null },
  loadingTime: { reason: 'unknown', condition: null },
  announcement: { reason: 'unknown', condition: null },
  other: { reason: 'unknown', condition: null },
};

function buildLinks({ links }: SimulatedAlert): Xml | null {
  if (links.length === 0) return null;
  const written = links.map(({ title, url }) =>
    element('siri:InfoLink', [textElement('siri:Uri', url), textElement('siri:Label', title)]),
  );
  return element('siri:InfoLinks', written);
}

function scopeOf({ lines, trips }: SimulatedAlert): string {
  if (trips.length > 0) return 'vehicleJourney';
  return lines.length > 0 ? 'line' : 'stopPoint';
}

function buildAffects({ lines, stops, trips }: SimulatedAlert): Xml | null {
  if (trips.length > 0) return element('siri:Affects', [element('siri:VehicleJourneys', trips.map(buildJourney))]);
  if (lines.length + stops.length === 0) return null;
  const affectedLines = lines.map(({ label, routeId }) =>
    element('siri:AffectedLine', [textElement('siri:LineRef', routeId), textElement('siri:PublishedLineName', label)]),
  );
  const affectedStops = stops.map(({ id, name }) =>
    element('siri:AffectedStopPoint', [textElement('siri:StopPointRef', id), textElement('siri:StopPointName', name)]),
  );
  const networks = element('siri:Networks', [element('siri:AffectedNetwork', affectedLines)]);
  return element('siri:Affects', [
    lines.length > 0 ? networks : null,
    stops.length > 0 ? element('siri:StopPoints', affectedStops) : null,
  ]);
}

function buildJourney({ tripId, routeId, startDate }: TripName): Xml {
  return element('siri:AffectedVehicleJourney', [
    element('siri:FramedVehicleJourneyRef', [
      textElement('siri:DataFrameRef', startDate),
      textElement('siri:DatedVehicleJourneyRef', tripId),
    ]),
    textElement('siri:LineRef', routeId),
  ]);
}

/** A stop event request to the fake server. */
interface StopEventRequest {
  readonly dialect: TriasDialect;
  /** GTFS stop id, station id or DIVA. */
  readonly stopRef: string;
  readonly numberOfResults: number;
  readonly includesPreviousCalls: boolean;
  readonly includesOnwardCalls: boolean;
}

const DEFAULT_RESULTS = 10;
const MAX_STOP_EVENTS = 100;

/**
 * Reads a request for stop events in TRIAS, OJP 1.0 or OJP 2.0.
 * @returns null for any other document
 */
export function readStopEventRequest(xml: string): StopEventRequest | null {
  const root = parseRoot(xml);
  const dialect = root && findDialect(root);
  if (!dialect) return null;
  const request =
    findElement(root, 'ServiceRequest', 'RequestPayload', 'StopEventRequest') ??
    findElement(root, 'OJPRequest', 'ServiceRequest', 'OJPStopEventRequest');
  const location = findElement(request, 'Location');
  const place = findElement(location, 'LocationRef') ?? findElement(location, 'PlaceRef');
  const stopRef = textAt(place, 'StopPointRef') ?? textAt(place, 'StopPlaceRef');
  if (stopRef === null) return null;
  const params = findElement(request, 'Params');
  const wanted = Number(textAt(params, 'NumberOfResults') ?? DEFAULT_RESULTS);
  return {
    dialect,
    stopRef,
    numberOfResults: Number.isInteger(wanted) ? Math.min(Math.max(wanted, 0), MAX_STOP_EVENTS) : DEFAULT_RESULTS,
    includesPreviousCalls: isTrueAt(params, 'IncludePreviousCalls'),
    includesOnwardCalls: isTrueAt(params, 'IncludeOnwardCalls'),
  };
}

function parseRoot(xml: string): XmlElement | null {
  try {
    return parseXmlText(xml);
  } catch (error) {
    if (error instanceof UnreadableAnswer) return null;
    throw error;
  }
}

function findDialect(root: XmlElement): TriasDialect | null {
  const version = root.attributes.get('version');
  if (root.name === 'Trias') return { kind: 'trias', version: version === '1.1' ? '1.1' : '1.2' };
  return root.name === 'OJP' ? { kind: 'ojp', version: version === '1.0' ? '1.0' : '2.0' } : null;
}

/** One departure of the stop. */
interface StopEvent {
  readonly trip: SimulatedTrip;
  /** Position of the call at the stop in the trip. */
  readonly position: number;
}

/**
 * The next departures of a stop in the dialect of the request: past events are recorded, future ones estimated;
 * cancelled trips and calls have planned times only.
 */
export function buildStopEventAnswer(state: SimulatedState, request: StopEventRequest): string {
  const { dialect } = request;
  const names = namesOf(dialect);
  const events = findStopEvents(state, request);
  const content =
    events.length === 0
      ? [buildNoEvent(dialect, names)]
      : [
          element(`${names.own}StopEventResponseContext`, [
            element(
              `${names.own}Situations`,
              buildSituations(
                state,
                events.map(({ trip }) => trip),
              ),
            ),
          ]),
          ...events.map((event, index) => buildResult(event, index, state.now, request)),
        ];
  const payload = element(
    `${names.own}${dialect.kind === 'trias' ? 'StopEventResponse' : 'OJPStopEventDelivery'}`,
    content,
  );
  return xmlDocument(wrapDelivery(dialect, names, state.now, payload));
}

function wrapDelivery(dialect: TriasDialect, names: DialectNames, now: Instant, payload: Xml): Xml {
  const isTrias = dialect.kind === 'trias';
  const delivery = element(isTrias ? 'trias:ServiceDelivery' : 'siri:ServiceDelivery', [
    textElement('siri:ResponseTimestamp', formatXmlTime(now)),
    textElement('siri:ProducerRef', 'Taktgeber sample'),
    textElement('siri:Status', true),
    isTrias ? element('trias:DeliveryPayload', [payload]) : payload,
  ]);
  const envelope = names.own === 'ojp:' ? 'siri:OJPResponse' : 'OJPResponse';
  return element(names.root, [isTrias ? delivery : element(envelope, [delivery])], {
    ...names.namespaces,
    version: dialect.version,
  });
}

/** Each standard has its own answer for "no departures". */
function buildNoEvent(dialect: TriasDialect, { own }: DialectNames): Xml {
  const code = 'STOPEVENT_NOEVENTFOUND';
  if (dialect.kind === 'trias') {
    const text = element('trias:Text', [textElement('trias:Text', code), textElement('trias:Language', 'de')]);
    return element('trias:ErrorMessage', [textElement('trias:Code', '-4030'), text]);
  }
  return dialect.version === '1.0'
    ? element('siri:ErrorCondition', [element('siri:OtherError', []), textElement('siri:Description', code)])
    : element(`${own}ErrorCondition`, [textElement(`${own}StopEventProblemType`, code)]);
}

function findStopEvents({ now, trips }: SimulatedState, request: StopEventRequest): readonly StopEvent[] {
  const isRequested = ({ stop }: SimulatedCall) =>
    [stop.stopId, stop.stationId, stop.diva].some((id) => id === request.stopRef);
  return trips
    .filter(({ isDataLost }) => !isDataLost)
    .flatMap((trip) =>
      // No departures at the last stop.
      trip.calls.slice(0, -1).flatMap((call, position) => (isRequested(call) ? [{ trip, position }] : [])),
    )
    .filter((event) => departureOf(event) >= now)
    .sort((a, b) => departureOf(a) - departureOf(b))
    .slice(0, request.numberOfResults);
}

function departureOf({ trip, position }: StopEvent): Instant {
  const call = trip.calls[position]!;
  return trip.state === 'cancelled' || call.isSkipped ? call.scheduledDeparture : call.departure;
}

function buildResult(event: StopEvent, index: number, now: Instant, request: StopEventRequest): Xml {
  const names = namesOf(request.dialect);
  const { own, resultId } = names;
  const calls = event.trip.calls.flatMap((_, position) => {
    const name = callName(position, event.position, request);
    return name === null ? [] : [element(`${own}${name}`, [buildCall(event.trip, position, now, names)])];
  });
  return element(`${own}StopEventResult`, [
    textElement(`${own}${resultId}`, `event-${index + 1}`),
    element(`${own}StopEvent`, [...calls, buildService(event.trip, names)]),
  ]);
}

function callName(position: number, here: number, request: StopEventRequest): string | null {
  if (position === here) return 'ThisCall';
  if (position < here) return request.includesPreviousCalls ? 'PreviousCall' : null;
  return request.includesOnwardCalls ? 'OnwardCall' : null;
}

function buildCall(trip: SimulatedTrip, position: number, now: Instant, names: DialectNames): Xml {
  const { own, reference, bay, order } = names;
  const call = trip.calls[position]!;
  const isKnown = trip.state !== 'cancelled' && !call.isSkipped;
  const buildTimes = (name: string, scheduled: Instant, actual: Instant) =>
    element(`${own}${name}`, [
      textElement(`${own}TimetabledTime`, formatXmlTime(scheduled)),
      isKnown
        ? textElement(`${own}${actual <= now ? 'RecordedAtTime' : 'EstimatedTime'}`, formatXmlTime(actual))
        : null,
    ]);
  const isMoved = call.platform !== null && call.platform !== call.scheduledPlatform;
  return element(`${own}CallAtStop`, [
    textElement(`${reference}StopPointRef`, call.stop.stopId),
    buildText(names, 'StopPointName', call.stop.name),
    buildText(names, `Planned${bay}`, call.scheduledPlatform),
    isMoved ? buildText(names, `Estimated${bay}`, call.platform) : null,
    position > 0 ? buildTimes('ServiceArrival', call.scheduledArrival, call.arrival) : null,
    position < trip.calls.length - 1 ? buildTimes('ServiceDeparture', call.scheduledDeparture, call.departure) : null,
    textElement(`${own}${order}`, position + 1),
    call.isSkipped ? textElement(`${own}NotServicedStop`, true) : null,
  ]);
}

function buildService(trip: SimulatedTrip, names: DialectNames): Xml {
  const { own, reference, lineName } = names;
  const line = [
    textElement(`${reference}LineRef`, trip.routeId),
    textElement(`${reference}DirectionRef`, trip.directionId === 0 ? 'H' : 'R'),
    buildMode(trip.product, names),
    buildText(names, lineName, trip.lineLabel),
    lineName === 'PublishedServiceName' ? textElement('TrainNumber', trip.shortName) : null,
  ];
  const operator = buildText(names, 'OperatorName', trip.operatorName);
  return element(`${own}Service`, [
    textElement(`${own}OperatingDayRef`, trip.startDate),
    textElement(`${own}JourneyRef`, trip.tripId),
    ...(own === 'trias:' ? [element('trias:ServiceSection', [...line, operator])] : [...line, operator]),
    buildText(names, 'OriginText', trip.calls[0]?.stop.name ?? null),
    buildText(names, 'DestinationText', trip.headsign),
    trip.state === 'added' ? textElement(`${own}Unplanned`, true) : null,
    trip.state === 'cancelled' ? textElement(`${own}Cancelled`, true) : null,
  ]);
}

/** Mode and submode, with the kind of mode that gives the submode's element its name. */
const modes: Readonly<Record<Product, readonly [mode: string, kind: string, submode: string]>> = {
  tram: ['tram', 'Tram', 'cityTram'],
  cityBus: ['bus', 'Bus', 'localBus'],
  regionalBus: ['bus', 'Bus', 'regionalBus'],
  nightBus: ['bus', 'Bus', 'nightBus'],
  train: ['rail', 'Rail', 'highSpeedRail'],
  regionalTrain: ['rail', 'Rail', 'regionalRail'],
  sBahn: ['rail', 'Rail', 'suburbanRailway'],
  subway: ['metro', 'Metro', 'metro'],
  cableway: ['cableway', 'Telecabin', 'cableCar'],
  ship: ['water', 'Water', 'localPassengerFerry'],
  other: ['taxi', 'Taxi', 'communalTaxi'],
};

function buildMode(product: Product, { own, reference }: DialectNames): Xml {
  const [mode, kind, submode] = modes[product];
  return element(`${own}Mode`, [textElement(`${own}PtMode`, mode), textElement(`${reference}${kind}Submode`, submode)]);
}

function buildText({ own }: DialectNames, name: string, text: string | null): Xml | null {
  return text === null ? null : element(`${own}${name}`, [textElement(`${own}Text`, text)]);
}
