import { element, formatXmlTime, textElement, type Xml } from '../../formats/trias/write-xml.ts';
import type { NoticeKind } from '../../model/notice-kind.ts';
import type { TripName } from '../../model/realtime.ts';
import type { Instant } from '../../model/service-time.ts';
import type { SimulatedAlert, SimulatedState, SimulatedTrip } from '../simulator/simulated-state.ts';

/** The news that concerns the trips of an answer, as situations. */
export function buildSituations({ now, alerts }: SimulatedState, trips: readonly SimulatedTrip[]): readonly Xml[] {
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
