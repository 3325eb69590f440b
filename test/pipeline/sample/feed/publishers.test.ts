import { describe, expect, it } from 'vitest';
import { isMeasured, publisherOf, samplePublishers } from '../../../../pipeline/sample/feed/publishers.ts';
import { readSampleLookups } from '../../../../pipeline/sample/feed/read-sample-lookups.ts';
import { createSimulator } from '../../../../pipeline/sample/simulator/create-simulator.ts';
import { buildGtfsRtAnswer, type GtfsRtKind } from '../../../../pipeline/sample/upstream/simulated-answers.ts';
import { at } from '../simulator/day-sweep.ts';

const lookups = await readSampleLookups();
const lines = new Map(lookups.lines.map((line) => [line.id, line]));
const state = createSimulator(lookups).stateAt(at('2026-11-19T17:20:00+01:00'));

const idsOf = (kind: GtfsRtKind, publisher?: (typeof samplePublishers)[number]) =>
  buildGtfsRtAnswer(state, kind, publisher === undefined ? {} : { publisher }).entity.map(({ id }) => id);

describe('the publishers of the made-up country', () => {
  it.each<GtfsRtKind>(['tripUpdates', 'vehiclePositions', 'alerts'])('together report all %s, each once', (kind) => {
    const parts = samplePublishers.map((publisher) => idsOf(kind, publisher));
    // One of them may have no alerts just now.
    if (kind !== 'alerts') expect(parts.every((ids) => ids.length > 0)).toBe(true);
    expect(parts.flat().sort()).toEqual(idsOf(kind).sort());
  });

  it.each([
    ['wien-u1', 'wien'],
    ['wien-13a', 'wien'],
    ['graz-1', 'stmk'],
    ['s1-steiermark', 'stmk'],
    ['rj-graz', 'stmk'],
    ['vor-s1', 'austria'],
    ['rjx-west', 'austria'],
    ['linz-1', 'austria'],
  ])('%s is reported by %s', (id, publisher) => {
    expect(publisherOf(lines.get(id)!)).toBe(publisher);
  });

  it('measure exactly the lines with an archive', () => {
    const measured = new Set<string>();
    for (const { tripUpdate } of buildGtfsRtAnswer(state, 'tripUpdates').entity) {
      for (const { arrival, departure } of tripUpdate?.stopTimeUpdate ?? []) {
        if (arrival?.uncertainty === 0 || departure?.uncertainty === 0) measured.add(tripUpdate!.trip!.routeId!);
      }
    }
    for (const { vehicle } of buildGtfsRtAnswer(state, 'vehiclePositions').entity) {
      if (vehicle?.currentStatus === 'STOPPED_AT') measured.add(vehicle.trip!.routeId!);
    }
    const reported = new Set(state.trips.map(({ routeId }) => routeId));
    const kept = lookups.lines.filter((line) => isMeasured(line) && reported.has(line.id)).map(({ id }) => id);
    expect([...measured].filter((id) => !isMeasured(lines.get(id)!))).toEqual([]);
    // A train that has just departed, or lost its data, may not have been observed yet.
    expect(measured.size).toBeGreaterThan(0.8 * kept.length);
    expect(kept.length).toBeLessThan(reported.size);
  });
});
