import { describe, expect, it } from 'vitest';
import { distanceMeters } from '../../../../pipeline/model/geo.ts';
import { fromEpochDay, type Instant, type ServiceDate, toEpochDay } from '../../../../pipeline/model/service-time.ts';
import { getAgencyName } from '../../../../pipeline/sample/feed/agencies.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { buildSampleStops } from '../../../../pipeline/sample/feed/stops-table.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import type { SimulatedAlert, SimulatedTrip } from '../../../../pipeline/sample/simulator/simulated-state.ts';
import { at, listInstants, runKey } from './day-sweep.ts';

const lookups = await readSampleLookups();
const simulator = createSimulator(lookups);
const week = listInstants('2026-11-16T00:00:00+01:00', '2026-11-23T00:00:00+01:00', 4500);
const alertsByHour = week.map((now) => simulator.stateAt(now).alerts);
const alertsOfWeek = alertsByHour.flat();
const find = (alerts: readonly SimulatedAlert[], kind: SimulatedAlert['kind']) =>
  alerts.find((alert) => alert.kind === kind)!;

describe('alerts', () => {
  const { boardingPlaces, stations } = buildSampleStops(lookups);
  const stopIds = new Set([...boardingPlaces.map(({ stopId }) => stopId), ...stations.map(({ id }) => id)]);
  const lines = new Map(lookups.lines.map((line) => [line.id, line]));

  it('have many kinds within a week', () => {
    expect(new Set(alertsOfWeek.map(({ kind }) => kind))).toEqual(
      new Set(['emergency', 'allClear', 'cancellation', 'replacementService', 'construction', 'information']),
    );
    expect(alertsOfWeek.some(({ isAccess }) => isAccess)).toBe(true);
    expect(alertsOfWeek.some(({ text }) => /[äöüß]/.test(text))).toBe(true);
  });

  it('refer to lines and stops of the feed', () => {
    for (const alert of new Map(alertsOfWeek.map((known) => [known.id, known])).values()) {
      for (const { label, routeId, agencyId, operatorName } of alert.lines) {
        expect(lines.get(routeId!)?.label).toBe(label);
        expect(getAgencyName(agencyId!)).toBe(operatorName);
      }
      for (const { id } of alert.stops) expect(stopIds).toContain(id);
    }
  });

  it('are sorted by urgency, without duplicates', () => {
    for (const alerts of alertsByHour) {
      expect(new Set(alerts.map(({ id }) => id)).size).toBe(alerts.length);
      const priorities = alerts.map(({ priority }) => priority);
      expect(priorities).toEqual(priorities.toSorted((a, b) => a - b));
    }
  });
});

describe('during the day, on any day of two weeks', () => {
  // In each hour of them: Sundays and a holiday are among the days.
  const days = Array.from({ length: 14 }, (_, i) => fromEpochDay(toEpochDay('2026-12-07' as ServiceDate) + i));

  it.each(days)('%s has a disruption and an alert', (date) => {
    for (const now of listInstants(`${date}T06:00:00+01:00`, `${date}T22:00:00+01:00`, 3600)) {
      const { alerts, trips } = simulator.stateAt(now);
      const isOn = ({ activeWindows }: SimulatedAlert) =>
        activeWindows.some(({ from, to }) => (from === null || from <= now) && (to === null || now < to));
      const kinds = alerts.filter((alert) => isOn(alert) && !alert.isAccess).map(({ kind }) => kind);
      expect([now, kinds]).toEqual([now, expect.arrayContaining(['emergency'])]);
      expect(trips.some(({ calls }) => calls.some(({ isSkipped }) => isSkipped))).toBe(true);
    }
  });
});

describe('an incident', () => {
  const alert = find(alertsOfWeek, 'emergency');
  const { from, to } = alert.activeWindows[0] as { from: Instant; to: Instant };
  const [routeId] = alert.lines.map((line) => line.routeId);
  const placeIds = new Set(alert.stops.map(({ id }) => id));
  const tripsAt = (now: number) => simulator.stateAt(now as Instant).trips.filter((trip) => trip.routeId === routeId);
  const isLeftOut = ({ stop }: SimulatedTrip['calls'][number]) => placeIds.has(stop.stationId ?? stop.stopId);
  const hasDetour = ({ calls }: SimulatedTrip) => calls.filter(isLeftOut).every(({ isSkipped }) => isSkipped);

  it('lasts up to three hours', () => expect(to - from).toBe(10_800));

  it('skips stops in both directions', () => {
    const detours = tripsAt(from + 3600).filter(
      ({ state, ...trip }) => state !== 'cancelled' && hasDetour({ state, ...trip }),
    );
    expect(new Set(detours.map(({ directionId }) => directionId))).toEqual(new Set([0, 1]));
  });

  it('is unknown before it happens, and withdrawn when it ends', () => {
    const tellers = (now: number) => simulator.stateAt(now as Instant).alerts.map(({ id }) => id);
    expect(tellers(from - 1)).not.toContain(alert.id);
    expect(tellers(from)).toContain(alert.id);
    expect(tellers(to)).not.toContain(alert.id);
    expect(tellers(to)).toContain(`${alert.id}-ende`);
    const before = tripsAt(from - 1).filter((trip) => trip.calls.filter(isLeftOut).some(({ isSkipped }) => isSkipped));
    const during = tripsAt(from).filter(hasDetour);
    expect(before.length).toBeLessThan(during.length);
  });

  it('delays trips', () => {
    const lateness = (now: number) => {
      const ends = tripsAt(now)
        .filter(({ vehicle }) => vehicle)
        .map(({ calls }) => calls.at(-1)!);
      return ends.reduce((sum, call) => sum + call.arrival - call.scheduledArrival, 0) / ends.length;
    };
    // By then all trips under way are affected.
    expect(lateness(from + 7200)).toBeGreaterThan(lateness(from - 60) + 60);
  });
});

it('replaces trains by buses at night, only at the end of the line', () => {
  const alert = find(alertsOfWeek, 'replacementService');
  const { from } = alert.activeWindows[0]!;
  const placeIds = alert.stops.map(({ id }) => id);
  const { trips } = simulator.stateAt((from! + 1800) as Instant);
  const calls = trips
    .filter(({ routeId, state }) => routeId === alert.lines[0]!.routeId && state === 'scheduled')
    .flatMap((trip) => trip.calls)
    .filter(({ scheduledArrival }) => scheduledArrival > from! + 1800);
  expect(calls.length).toBeGreaterThan(10);
  for (const { stop, isSkipped } of calls) expect(isSkipped).toBe(placeIds.includes(stop.stationId));
});

describe('vehicles', () => {
  const now = at('2026-11-19T17:00:00+01:00');
  const running = simulator.stateAt(now).trips.filter(({ vehicle }) => vehicle);

  it('are hundreds with unique ids', () => {
    expect(running.length).toBeGreaterThan(200);
    expect(new Set(running.map(({ vehicle }) => vehicle!.id)).size).toBe(running.length);
  });

  it('belong to trips in progress and have a future next call', () => {
    for (const { calls, vehicle, state } of running) {
      const { position, isStopped } = vehicle!;
      expect(state).not.toBe('cancelled');
      expect(calls[position]!.isSkipped).toBe(false);
      expect(calls[position]!.arrival <= now).toBe(isStopped);
      const before = calls.slice(0, position).findLast(({ isSkipped }) => !isSkipped)!;
      if (!isStopped) expect(before.departure).toBeLessThanOrEqual(now);
    }
  });

  it('are at their stop, or between the previous and the next', () => {
    for (const trip of running) {
      const { lat, lon, position, isStopped, headingDeg } = trip.vehicle!;
      expect(Number.isInteger(headingDeg) && headingDeg >= 0 && headingDeg < 360).toBe(true);
      const to = trip.calls[position]!.stop;
      const meters = distanceMeters(lat, lon, to.lat, to.lon);
      if (isStopped) expect(meters, runKey(trip)).toBe(0);
      else {
        const from = trip.calls.slice(0, position).findLast(({ departure }) => departure <= now)!.stop;
        const leg = distanceMeters(from.lat, from.lon, to.lat, to.lon);
        // Apart from detours, shapes are a little longer than the straight line.
        if (trip.calls.every(({ isSkipped }) => !isSkipped)) expect(meters).toBeLessThanOrEqual(leg * 1.1 + 1);
      }
    }
  });

  it('approach their next stop with the right bearing', () => {
    const later = new Map(simulator.stateAt((now + 10) as Instant).trips.map((trip) => [runKey(trip), trip]));
    const moved = running.filter(({ vehicle, ...trip }) => {
      const then = later.get(runKey({ vehicle, ...trip }))?.vehicle;
      return then && !vehicle!.isStopped && !then.isStopped && then.position === vehicle!.position;
    });
    expect(moved.length).toBeGreaterThan(50);
    for (const trip of moved) {
      const to = trip.calls[trip.vehicle!.position]!.stop;
      const then = later.get(runKey(trip))!.vehicle!;
      const meters = ({ lat, lon }: { lat: number; lon: number }) => distanceMeters(lat, lon, to.lat, to.lon);
      expect(meters(then)).toBeLessThan(meters(trip.vehicle!));
    }
  });

  it('do not exist before the start and after the end', () => {
    for (const { calls, vehicle } of simulator.stateAt(now).trips) {
      const isOver = calls.at(-1)!.arrival + 30 < now;
      if (calls[0]!.arrival > now || isOver) expect(vehicle).toBeNull();
    }
  });
});
