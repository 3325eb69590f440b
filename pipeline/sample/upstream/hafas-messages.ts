import type { Instant } from '../../model/service-time.ts';
import type { SimulatedAlert, SimulatedTrip } from '../simulator/simulated-state.ts';
import type { MgateCommon } from './hafas-lists.ts';
import { formatMgateDate, formatMgateTime, toCoordinates } from './hafas-notation.ts';

const HALF_YEAR_SECONDS = 182 * 86_400;

/** A message of HIM, with the lines, stops and times that it is about added to `common`. */
export function buildMessage(alert: SimulatedAlert, now: Instant, common: MgateCommon): object {
  const windows = alert.activeWindows.map(({ from, to }) => toWindow(from, to, now));
  const [first = toWindow(null, null, now)] = windows;
  return {
    hid: alert.id,
    act: true,
    head: alert.title,
    text: escapeHtml(alert.text),
    prio: alert.priority,
    cat: 1,
    sDate: first.fDate,
    sTime: first.fTime,
    eDate: first.tDate,
    eTime: first.tTime,
    ...(alert.operatorName === null ? {} : { comp: alert.operatorName }),
    // A message about single trips hangs on these, and names no product: that would be all trips of the line.
    affProdRefL:
      alert.trips.length > 0
        ? []
        : alert.lines.flatMap(({ label, operatorName }) =>
            label === null ? [] : [common.addLine({ label, operatorName })],
          ),
    edgeRefL: listEdges(alert, common).map((edge) => common.lists.himMsgEdgeL.push(edge) - 1),
    eventRefL: windows.map((window) => common.lists.himMsgEventL.push(window) - 1),
  };
}

/** The messages that concern a trip: named with it, or with its line. */
export function findMessages(alerts: readonly SimulatedAlert[], trip: SimulatedTrip): SimulatedAlert[] {
  return alerts.filter(({ lines, trips }) =>
    trips.length > 0
      ? trips.some(({ tripId, startDate }) => tripId === trip.tripId && startDate === trip.startDate)
      : lines.some(({ label, routeId }) => routeId === trip.routeId || (routeId === null && label === trip.lineLabel)),
  );
}

interface Window {
  readonly fDate: string;
  readonly fTime: string;
  readonly tDate: string;
  readonly tTime: string;
}

/** HIM knows no open end. */
function toWindow(from: Instant | null, to: Instant | null, now: Instant): Window {
  const [start, end] = [from ?? now, to ?? ((now + HALF_YEAR_SECONDS) as Instant)];
  return {
    fDate: formatMgateDate(start),
    fTime: formatMgateTime(start),
    tDate: formatMgateDate(end),
    tTime: formatMgateTime(end),
  };
}

function listEdges({ stops, pin }: SimulatedAlert, common: MgateCommon): object[] {
  const edges = stops.flatMap(({ id, name, lat, lon }) => {
    if (id === null) return [];
    const locX = common.addPlace({ id, name: name ?? id, lat, lon });
    return [{ fLocX: locX, tLocX: locX }];
  });
  return pin === null ? edges : [...edges, { icoCrd: toCoordinates(pin.lat, pin.lon) }];
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\n', '<br>');
}
