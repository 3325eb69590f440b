import { products } from '../model/product.ts';
import type { StopName } from '../model/realtime.ts';
import { tripFlags } from '../snapshots/realtime-contract.ts';
import { momentOf } from './added-calls.ts';
import { type AddedCall, createCallMemory, nameDated, type SourceMemory } from './memory.ts';
import { type RestoredSighting, restoreEvent } from './restore-sightings.ts';

/**
 * Takes up a trip that the timetable does not hold, as far as it was told: its calls keep their positions, also when
 * the next answer leaves out those that are over.
 * @param told of one dated trip; at least one
 * @param placeStop finds a stop in the timetable
 */
export function restoreAdded(
  source: SourceMemory,
  told: readonly RestoredSighting[],
  placeStop: (place: StopName) => Pick<AddedCall, 'place' | 'stop' | 'stopName' | 'stopId'>,
): void {
  const byPosition = new Map<number, RestoredSighting[]>();
  for (const sighting of told) {
    byPosition.set(sighting.position, [...(byPosition.get(sighting.position) ?? []), sighting]);
  }
  const { tripKey: key, day, tripId, routeId, lineLabel } = told[0]!;
  source.added.set(nameDated({ key, day }), {
    key,
    day,
    tripId,
    name: {
      tripId,
      routeId,
      directionId: null,
      startDate: null,
      startTime: null,
      lineLabel,
      product: null,
      operatorName: null,
      headsign: null,
    },
    label: lineLabel ?? '',
    product: products.indexOf('other'),
    flags: tripFlags.additional,
    route: -1,
    basedOn: null,
    originName: null,
    recordedAt: Math.max(...told.map(({ recordedAt }) => recordedAt ?? 0)),
    seenAt: Math.max(...told.map(({ lastSeenAt }) => lastSeenAt)),
    calls: [...byPosition.values()]
      .map((sightings) => restoreCall(sightings, placeStop))
      .sort((a, b) => momentOf(a) - momentOf(b)),
    dropped: [],
  });
}

function restoreCall(told: readonly RestoredSighting[], placeStop: Parameters<typeof restoreAdded>[2]): AddedCall {
  const { position, stopId, part } = told[0]!;
  const scheduled = (event: RestoredSighting['event']) =>
    told.find((sighting) => sighting.event === event)?.scheduledTime ?? 0;
  const call = {
    ...createCallMemory(part),
    ...placeStop({ id: stopId, idSpace: 'gtfs', name: null, lat: null, lon: null }),
    stopId,
    number: position,
    sequence: null,
    scheduledArrival: scheduled('arrival'),
    scheduledDeparture: scheduled('departure'),
    scheduledPlatform: null,
  };
  for (const sighting of told) restoreEvent(call, sighting);
  return call;
}
