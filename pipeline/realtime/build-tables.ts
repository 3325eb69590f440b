import type { TripPrediction } from '../model/prediction.ts';
import type { Instant } from '../model/service-time.ts';
import { TextColumn } from '../snapshots/column.ts';
import type { RealtimeTables } from '../snapshots/realtime-contract.ts';
import { buildAddedTables, sortAdded } from './build-added.ts';
import { buildBoardTables } from './build-boards.ts';
import { buildPredictionTables } from './build-predictions.ts';
import { type BuildSource, buildTripTables, type TripContext, type TripWitnesses } from './build-trips.ts';
import { buildVehicleTable, sortVehicles } from './build-vehicles.ts';
import { nameDated, type SourceMemory } from './memory.ts';
import type { PlannedCalls } from './planned-calls.ts';
import { keepNewestWords, publishAlerts } from './publish-alerts.ts';
import { collectTexts } from './texts.ts';

/** A source, and all that it said. */
export interface Speaker {
  readonly source: BuildSource;
  readonly memory: SourceMemory;
}

/** The tables of a snapshot: what all sources say at a moment, made one. */
export function buildTables(
  speakers: readonly Speaker[],
  planned: PlannedCalls,
  now: Instant,
  predictions: Iterable<TripPrediction>,
): RealtimeTables {
  const texts = collectTexts();
  const added = sortAdded(
    speakers.flatMap(({ source, memory }) => [...memory.added.values()].map((trip) => ({ source, trip }))),
  );
  const vehicles = sortVehicles(
    speakers.flatMap(({ source, memory }) => [...memory.vehicles.values()].map((vehicle) => ({ source, vehicle }))),
    now,
  );
  const boards = speakers.flatMap(({ source, memory }) =>
    [...memory.boards.values()].map(({ board, fetchedAt }) => ({ source, board, fetchedAt })),
  );
  const addedRows = new Map(added.map(({ trip }, row) => [nameDated(trip), row]));
  const context: TripContext = {
    planned,
    texts,
    now,
    findAdded: (name) => addedRows.get(name) ?? -1,
  };
  const alerts = speakers.flatMap(({ memory }) =>
    [...memory.parts.values()].flatMap(({ alerts: told, answeredAt }) =>
      told.map(({ alert, places }) => ({ sourceId: memory.id, toldAt: answeredAt, alert, places })),
    ),
  );
  const tables = {
    ...buildTripTables(collectTrips(speakers), context),
    ...buildAddedTables(added, context),
    vehicles: buildVehicleTable(vehicles, texts, context.findAdded),
    alerts: {
      json: TextColumn.from(publishAlerts(keepNewestWords(alerts), now).map((alert) => JSON.stringify(alert))),
    },
    ...buildBoardTables(boards, texts),
    ...buildPredictionTables(
      predictions,
      speakers.map(({ memory }) => memory.id),
      planned,
      now,
    ),
  };
  // The last one: by now every table has named its texts.
  return { ...tables, texts: { text: texts.column() } };
}

function collectTrips(speakers: readonly Speaker[]): TripWitnesses[] {
  const dated = new Map<string, TripWitnesses & { words: TripWitnesses['words'][number][] }>();
  for (const { source, memory } of speakers) {
    for (const [name, trip] of memory.trips) {
      const known = dated.get(name);
      if (known) known.words.push({ source, memory: trip });
      else dated.set(name, { key: trip.key, day: trip.day, trip: trip.trip, words: [{ source, memory: trip }] });
    }
  }
  return [...dated.values()];
}
