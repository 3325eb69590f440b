import { type Instant, localDate, SECONDS_PER_DAY } from '../../model/service-time.ts';
import { SAMPLE_ZONE } from '../simulator/service-day.ts';
import type { SimulatedAlert, SimulatedCall, SimulatedState, SimulatedTrip } from '../simulator/simulated-state.ts';
import { createMgateCommon, type MgateCommon } from './hafas-lists.ts';
import {
  formatCallTime,
  formatMgateDate,
  formatMgateTime,
  isNamed,
  offsetMinutes,
  readMgateTime,
  toCoordinates,
  toJid,
} from './hafas-notation.ts';
import type { SimulatedMgateRequest } from './hafas-request.ts';

const HALF_YEAR_SECONDS = 182 * 86_400;

/** A HIM message; its lines, stops and times are added to `common`. */
function buildMessage(alert: SimulatedAlert, now: Instant, common: MgateCommon): object {
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
    // A message about single trips is attached to these and names no product, which would mean all trips of the line.
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

/** The messages of a trip: those that name it, or its line. */
function findMessages(alerts: readonly SimulatedAlert[], trip: SimulatedTrip): SimulatedAlert[] {
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

/** HIM has no open-ended validity. */
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

// Answers of a HAFAS endpoint of the country for the made-up day. Stops have the country's HAFAS numbers, derived from
// their GTFS ids (`toHafasNumber`), with name and coordinates; trips have HAFAS's own references, so that they must be
// matched by line, stop and time.

type BoardRequest = Extract<SimulatedMgateRequest, { method: 'StationBoard' }>;

/** Announced validity of the timetable: a quarter of a year before and after. */
const TIMETABLE_DAYS = 90;
/** Forecasts beyond this horizon are marked as calculated, not as reported by the vehicle. */
const PROGNOSED_AHEAD_SECONDS = 1800;

/** An answer of `mgate.exe` to one request. */
export function buildMgateAnswer(state: SimulatedState, request: SimulatedMgateRequest): object {
  const common = createMgateCommon();
  const result = buildResult(state, request, common);
  return {
    ver: '1.39',
    lang: 'deu',
    err: 'OK',
    svcResL: [{ meth: request.method, err: 'OK', res: { common: common.lists, ...buildHeader(state.now), ...result } }],
  };
}

/** The answer to an unknown request; only that request is refused. */
export function buildMgateRefusal(code: string, text: string): object {
  return { ver: '1.39', lang: 'deu', err: code, errTxt: text, svcResL: [] };
}

function buildHeader(now: Instant): object {
  const shift = (days: number) => formatMgateDate((now + days * SECONDS_PER_DAY) as Instant);
  return {
    fpB: shift(-TIMETABLE_DAYS),
    fpE: shift(TIMETABLE_DAYS),
    planrtTS: String(now),
    sD: formatMgateDate(now),
    sT: formatMgateTime(now),
  };
}

function buildResult(state: SimulatedState, request: SimulatedMgateRequest, common: MgateCommon): object {
  switch (request.method) {
    case 'StationBoard':
      return { type: request.type, jnyL: buildBoard(state, request, common) };
    case 'JourneyDetails': {
      const trip = state.trips.find((one) => toJid(one) === request.jid);
      return trip === undefined ? {} : { journey: buildTrip(state, trip, common) };
    }
    case 'JourneyGeoPos':
      return {
        date: formatMgateDate(state.now),
        time: formatMgateTime(state.now),
        jnyL: buildMap(state, request, common),
      };
    case 'HimSearch':
      return {
        msgL: state.alerts.slice(0, request.maxMessages).map((alert) => buildMessage(alert, state.now, common)),
      };
    case 'ServerInfo':
      return { hciVersion: '1.39', enc: 'UTF-8' };
  }
}

// ---- Boards and trips --------------------------------------------------------------------------

function buildBoard(state: SimulatedState, request: BoardRequest, common: MgateCommon): object[] {
  const from = (request.date && request.time && readMgateTime(request.date, request.time, state.now)) || state.now;
  const to = from + request.durationMinutes * 60;
  const isDeparture = request.type === 'DEP';
  const timeOf = (call: SimulatedCall) => (isDeparture ? call.scheduledDeparture : call.scheduledArrival);
  return state.trips
    .filter(isKnown)
    .flatMap((trip) =>
      trip.calls.flatMap((call, position) => {
        // No departures at the last stop, no arrivals at the first.
        const isEnd = position === (isDeparture ? trip.calls.length - 1 : 0);
        return !isEnd && isNamed(call.stop, request.stopId) ? [{ trip, call, position }] : [];
      }),
    )
    .filter(({ trip, call }) => isWithin(trip, call, isDeparture, { from, to }))
    .sort((a, b) => timeOf(a.call) - timeOf(b.call) || a.trip.tripId.localeCompare(b.trip.tripId))
    .map(({ trip, position }) => buildBoardEntry(state, trip, position, request, common));
}

/** Whether an endpoint knows a trip: it lacks added trips without data. */
function isKnown({ state, isDataLost }: SimulatedTrip): boolean {
  return !(state === 'added' && isDataLost);
}

function isCancelled({ state, isDataLost }: SimulatedTrip): boolean {
  return state === 'cancelled' && !isDataLost;
}

/** A board shows calls planned within its period and late ones yet to come. */
function isWithin(
  trip: SimulatedTrip,
  call: SimulatedCall,
  isDeparture: boolean,
  { from, to }: { readonly from: number; readonly to: number },
): boolean {
  const [planned, real] = isDeparture
    ? [call.scheduledDeparture, call.departure]
    : [call.scheduledArrival, call.arrival];
  return planned < to && (planned >= from || (!trip.isDataLost && trip.state !== 'cancelled' && real >= from));
}

function buildBoardEntry(
  state: SimulatedState,
  trip: SimulatedTrip,
  position: number,
  { type, hasPasslist }: BoardRequest,
  common: MgateCommon,
): object {
  const isDeparture = type === 'DEP';
  const buildStopAt = (index: number) => buildStop(trip, index, state.now, common);
  const all = trip.calls.map((_, index) => index);
  return {
    ...buildTripFacts(state, trip, common),
    dirTxt: isDeparture ? trip.headsign : trip.calls[0]!.stop.name,
    stbStop: buildStop(trip, position, state.now, common, [isDeparture ? 'd' : 'a']),
    ...(hasPasslist
      ? { stopL: (isDeparture ? all.slice(position) : all.slice(0, position + 1)).map(buildStopAt) }
      : {}),
  };
}

function buildTrip(state: SimulatedState, trip: SimulatedTrip, common: MgateCommon): object {
  return {
    ...buildTripFacts(state, trip, common),
    dirTxt: trip.headsign,
    stopL: trip.calls.map((_, position) => buildStop(trip, position, state.now, common)),
  };
}

function buildTripFacts(state: SimulatedState, trip: SimulatedTrip, common: MgateCommon): object {
  const messages = findMessages(state.alerts, trip).map((alert) => ({
    type: 'HIM',
    himX: common.addMessage(alert.id, () => buildMessage(alert, state.now, common)),
    tagL: ['RES_JNY_HDR_H3'],
  }));
  const note = { type: 'R', code: 'text.realtime.journey.cancelled', txtN: `${trip.lineLabel}: Fahrt fällt aus` };
  return {
    jid: toJid(trip),
    date: formatMgateDate(trip.calls[0]!.scheduledDeparture),
    trainStartDate: trip.startDate.replaceAll('-', ''),
    prodX: common.addTripLine(trip),
    status: trip.state === 'added' ? 'A' : 'P',
    ...(isCancelled(trip) ? { isCncl: true } : {}),
    msgL: isCancelled(trip)
      ? [...messages, { type: 'REM', remX: common.addHint(note), tagL: ['RES_JNY_H3'] }]
      : messages,
  };
}

type Event = 'a' | 'd';

/** @param events to include; the first call has no arrival and the last no departure */
function buildStop(
  trip: SimulatedTrip,
  position: number,
  now: Instant,
  common: MgateCommon,
  events: readonly Event[] = ['a', 'd'],
): object {
  const { stopId, name, lat, lon } = trip.calls[position]!.stop;
  const none: Event | null = position === 0 ? 'a' : position === trip.calls.length - 1 ? 'd' : null;
  const times = events.filter((event) => event !== none).map((event) => buildEvent(trip, position, event, now));
  return Object.assign({ locX: common.addPlace({ id: stopId, name, lat, lon }), idx: position, type: 'N' }, ...times);
}

/** An arrival or a departure. A trip whose data were lost has planned times only. */
function buildEvent(trip: SimulatedTrip, position: number, event: Event, now: Instant): object {
  const call = trip.calls[position]!;
  const [scheduled, real] =
    event === 'a' ? [call.scheduledArrival, call.arrival] : [call.scheduledDeparture, call.departure];
  const offset = offsetMinutes(scheduled);
  const format = (time: Instant) =>
    formatCallTime(time, offset, localDate(trip.calls[0]!.scheduledDeparture, SAMPLE_ZONE));
  const planned = {
    [`${event}TimeS`]: format(scheduled),
    [`${event}TZOffset`]: offset,
    ...(call.scheduledPlatform === null ? {} : { [`${event}PltfS`]: { type: 'PL', txt: call.scheduledPlatform } }),
  };
  if (trip.isDataLost) return planned;
  if (trip.state === 'cancelled' || call.isSkipped) return { ...planned, [`${event}Cncl`]: true };
  return {
    ...planned,
    [`${event}TimeR`]: format(real),
    [`${event}ProgType`]: progressOf(real, now),
    ...(call.platform === null ? {} : { [`${event}PltfR`]: { type: 'PL', txt: call.platform } }),
  };
}

/** Past events are reported, near ones forecast by the vehicle, distant ones calculated by HAFAS. */
function progressOf(time: Instant, now: Instant): string {
  if (time <= now) return 'REPORTED';
  return time <= now + PROGNOSED_AHEAD_SECONDS ? 'PROGNOSED' : 'CALCULATED';
}

// ---- Map ---------------------------------------------------------------------------------------

function buildMap(
  state: SimulatedState,
  { box, maxVehicles }: Extract<SimulatedMgateRequest, { method: 'JourneyGeoPos' }>,
  common: MgateCommon,
): object[] {
  return state.trips
    .flatMap((trip) => (trip.vehicle === null || trip.isDataLost ? [] : [{ trip, vehicle: trip.vehicle }]))
    .filter(({ vehicle: { lat, lon } }) => lat >= box.south && lat <= box.north && lon >= box.west && lon <= box.east)
    .slice(0, maxVehicles)
    .map(({ trip, vehicle }) => {
      const last = trip.calls.length - 1;
      const near = [0, vehicle.position - 1, vehicle.position, last];
      const positions = [...new Set(near)].filter((position) => position >= 0);
      return {
        ...buildTripFacts(state, trip, common),
        dirTxt: trip.headsign,
        // 32nds of a circle counter-clockwise from east.
        dirGeo: (Math.round((90 - vehicle.headingDeg) / 11.25) + 64) % 32,
        pos: toCoordinates(vehicle.lat, vehicle.lon),
        stopL: positions.map((position) => buildStop(trip, position, state.now, common)),
      };
    });
}
