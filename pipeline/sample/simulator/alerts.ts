import type { AlertLine, StopName, TripName } from '../../model/realtime.ts';
import {
  addDays,
  formatTimestamp,
  fromEpochDay,
  type Instant,
  localDate,
  type ServiceDate,
  serviceDayStart,
  toEpochDay,
} from '../../model/service-time.ts';
import { getAgencyName } from '../feed/agencies.ts';
import type { SampleLine, SamplePlace } from '../feed/lookups.ts';
import { publisherOf } from '../feed/publishers.ts';
import { type Closure, findReplacement, isOnStreet, listLines, listReplacementDates, mondayOf } from './closures.ts';
import type { SimulatedLine } from './network.ts';
import { pick, seededRandom, wholeBetween } from './seeded-random.ts';
import { SAMPLE_ZONE, type ServiceDay } from './service-day.ts';
import type { SimulatedAlert, SimulatedTrip } from './simulated-state.ts';

interface AlertContext {
  readonly network: readonly SimulatedLine[];
  /** The service days in operation now. */
  readonly days: readonly ServiceDay[];
  /** All currently reported trips. */
  readonly trips: readonly SimulatedTrip[];
  readonly now: Instant;
  readonly seed: number;
}

/** Alerts published at an instant, most urgent first. Texts are German, as from Austrian publishers. */
export function listAlerts(context: AlertContext): readonly SimulatedAlert[] {
  const monday = mondayOf(localDate(context.now, SAMPLE_ZONE));
  // Work of the next week is announced from Thursday on.
  const weeks = [monday, addDays(monday, 7)].filter((week) => context.now >= dayTime(addDays(week, -4), 0));
  const alerts = [
    ...listDetours(context),
    ...listCancelledTrains(context),
    ...listReplacements(context, monday),
    ...weeks.map((week) => buildWork(context, week)),
    buildLift(context),
  ];
  return alerts.sort((a, b) => a.priority - b.priority);
}

// ---- Texts shared by all alerts ------------------------------------------------------------------

type Draft = Pick<SimulatedAlert, 'id' | 'kind' | 'priority' | 'title' | 'text' | 'publisher'> &
  Partial<SimulatedAlert>;

function toAlert(draft: Draft): SimulatedAlert {
  return {
    place: '',
    category: null,
    operatorName: null,
    isAccess: false,
    activeWindows: [],
    lines: [],
    stops: [],
    trips: [],
    links: [],
    pin: null,
    ...draft,
  };
}

function ofLine(line: SampleLine): Pick<SimulatedAlert, 'operatorName' | 'lines' | 'publisher'> {
  const operatorName = getAgencyName(line.agency);
  const alertLine: AlertLine = {
    label: line.label,
    routeId: line.id,
    agencyId: line.agency,
    operatorName,
    region: null,
  };
  return { operatorName, lines: [alertLine], publisher: publisherOf(line) };
}

/** Places are stations of the feed, so their ids are in stops.txt. */
function toStopName({ id, name, lat, lon }: SamplePlace): StopName {
  return { id, idSpace: 'gtfs', name, lat, lon };
}

function dayTime(date: ServiceDate, seconds: number): Instant {
  return (serviceDayStart(date, SAMPLE_ZONE) + seconds) as Instant;
}

function clockText(instant: Instant): string {
  return formatTimestamp(instant, SAMPLE_ZONE).slice(11, 16);
}

function dateText(date: ServiceDate): string {
  return `${Number(date.slice(8))}.${Number(date.slice(5, 7))}.`;
}

/** `A`, `A und B`, `A, B und C`. */
function enumerate(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} und ${names.at(-1)}`;
}

// ---- Incidents -----------------------------------------------------------------------------------

const ALL_CLEAR_SECONDS = 1200;

function listDetours({ days, now }: AlertContext): SimulatedAlert[] {
  return days.flatMap(({ start, closures }) =>
    closures.flatMap((closure) => {
      const [from, to] = [(start + closure.fromSeconds) as Instant, (start + closure.toSeconds) as Instant];
      if (closure.kind !== 'detour' || now < from || now >= to + ALL_CLEAR_SECONDS) return [];
      return [now < to ? buildDetour(closure, from, to) : buildAllClear(closure, to)];
    }),
  );
}

function buildDetour(closure: Closure, from: Instant, to: Instant): SimulatedAlert {
  const { line, places, cause } = closure;
  const skipped = enumerate(places.map(({ name }) => name));
  return toAlert({
    id: closure.id,
    kind: 'emergency',
    priority: 10,
    title: `Linie ${line.label}: Umleitung`,
    text:
      `Wegen ${cause} wird die Linie ${line.label} zwischen ${closure.between.from.name} und ` +
      `${closure.between.to?.name ?? places.at(-1)!.name} in beiden Richtungen umgeleitet. Nicht bedient werden: ` +
      `${skipped}. Bitte rechnen Sie mit längeren Fahrzeiten bis voraussichtlich ${clockText(to)} Uhr.`,
    activeWindows: [{ from, to }],
    ...ofLine(line),
    stops: places.map(toStopName),
    pin: { lat: places[0]!.lat, lon: places[0]!.lon },
  });
}

function buildAllClear({ id, line, places }: Closure, from: Instant): SimulatedAlert {
  return toAlert({
    id: `${id}-ende`,
    kind: 'allClear',
    priority: 80,
    title: `Linie ${line.label}: wieder auf gewohntem Weg`,
    text: `Die Störung ist behoben. Die Linie ${line.label} fährt wieder alle Haltestellen an, zunächst noch unregelmäßig.`,
    activeWindows: [{ from, to: (from + ALL_CLEAR_SECONDS) as Instant }],
    ...ofLine(line),
    stops: places.map(toStopName),
  });
}

/** Passengers look for train numbers, so each train has a separate alert. */
function listCancelledTrains({ trips, network }: AlertContext): SimulatedAlert[] {
  const lines = new Map(listLines(network).map((line) => [line.id, line]));
  const cancelled = trips.filter(({ state, shortName }) => state === 'cancelled' && shortName !== null);
  return cancelled.map((trip) => {
    const [first, last] = [trip.calls[0]!, trip.calls.at(-1)!];
    return toAlert({
      id: `zugausfall-${trip.tripId}-${trip.startDate}`,
      kind: 'cancellation',
      priority: 20,
      title: `${trip.shortName} fällt aus`,
      text:
        `Der Zug ${trip.shortName} von ${first.stop.name} (ab ${clockText(first.scheduledDeparture)} Uhr) nach ` +
        `${last.stop.name} fällt heute aus. Bitte benützen Sie den nächsten Zug.`,
      activeWindows: [{ from: first.scheduledDeparture, to: last.scheduledArrival }],
      ...ofLine(lines.get(trip.routeId)!),
      trips: [toTripName(trip)],
    });
  });
}

function toTripName(trip: SimulatedTrip): TripName {
  const { tripId, routeId, directionId, startDate, startTime, lineLabel, product, operatorName, headsign } = trip;
  return { tripId, routeId, directionId, startDate, startTime, lineLabel, product, operatorName, headsign };
}

// ---- Planned work --------------------------------------------------------------------------------

/** Rail replacement buses: one alert for all nights of the week. */
function listReplacements({ network, now, seed }: AlertContext, monday: ServiceDate): SimulatedAlert[] {
  const dates = listReplacementDates(monday);
  const closure = findReplacement(network, dates[0]!, seed);
  if (!closure) return [];
  const activeWindows = dates.map((date) => ({
    from: dayTime(date, closure.fromSeconds),
    to: dayTime(date, closure.toSeconds),
  }));
  if (now >= activeWindows.at(-1)!.to) return [];
  const { line, between, places } = closure;
  const stretch = `${between.from.name} – ${places.at(-1)!.name}`;
  return [
    toAlert({
      id: `ersatz-${monday}`,
      kind: 'replacementService',
      priority: 30,
      title: `${line.label}: Schienenersatzverkehr ${stretch}`,
      text:
        `Wegen nächtlicher Gleisbauarbeiten fahren in den Nächten vom ${dateText(dates[0]!)} bis ` +
        `${dateText(dates.at(-1)!)} jeweils ab ${clockText(activeWindows[0]!.from)} Uhr zwischen ${stretch} Busse ` +
        'statt der Züge. Fahrräder können in den Bussen nicht mitgenommen werden.',
      activeWindows,
      ...ofLine(line),
      stops: places.map(toStopName),
      links: [{ title: 'Fahrplan der Ersatzbusse', url: 'https://example.org/taktgeber-sample/ersatzverkehr' }],
    }),
  ];
}

/** Building work beside the tracks only causes delays: no stop is skipped. */
function buildWork({ network, seed }: AlertContext, monday: ServiceDate): SimulatedAlert {
  const random = seededRandom(seed, `work ${monday}`);
  const line = pick(
    random,
    listLines(network).filter(({ mode }) => isOnStreet(mode)),
  );
  const place = pick(random, line.calls).place;
  const friday = addDays(monday, 4);
  return toAlert({
    id: `bau-${monday}`,
    kind: 'construction',
    priority: 50,
    title: `Linie ${line.label}: Bauarbeiten ${place.name}`,
    text:
      `Von ${dateText(monday)} bis ${dateText(friday)} wird im Bereich ${place.name} die Straße erneuert. Alle ` +
      'Haltestellen werden bedient; es kann zu kurzen Verzögerungen kommen.',
    activeWindows: [{ from: dayTime(monday, 7 * 3600), to: dayTime(friday, 18 * 3600) }],
    ...ofLine(line),
    stops: [toStopName(place)],
  });
}

const LIFT_PERIOD_DAYS = 3;

/** One metro lift is always out of order. */
function buildLift({ network, now, seed }: AlertContext): SimulatedAlert {
  const period = Math.floor(toEpochDay(localDate(now, SAMPLE_ZONE)) / LIFT_PERIOD_DAYS);
  const firstDate = fromEpochDay(period * LIFT_PERIOD_DAYS);
  const random = seededRandom(seed, `lift ${firstDate}`);
  const line = pick(
    random,
    listLines(network).filter(({ mode }) => mode === 'metro'),
  );
  const place = pick(random, line.calls).place;
  const from = dayTime(firstDate, wholeBetween(random, 0, 12) * 1800);
  return toAlert({
    id: `aufzug-${firstDate}`,
    kind: 'information',
    priority: 60,
    title: `${place.name}: Aufzug außer Betrieb`,
    text:
      `Der Aufzug zum Bahnsteig der ${line.label} in der Station ${place.name} ist außer Betrieb. Fahrgästen im ` +
      'Rollstuhl hilft das Personal über die nächste barrierefreie Station weiter.',
    isAccess: true,
    activeWindows: [{ from, to: null }],
    ...ofLine(line),
    stops: [toStopName(place)],
  });
}
