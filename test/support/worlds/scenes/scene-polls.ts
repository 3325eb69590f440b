import { openRealtime, type Published, type Realtime } from '../../../../api/engine/read/realtime.ts';
import type { Timetable } from '../../../../api/engine/read/timetable.ts';
import { sampleTimetableId } from '../../../../jobs/definitions/sample-sources.ts';
import type { SourceId } from '../../../../pipeline/model/ids.ts';
import { isFreshPrediction, type TripPrediction } from '../../../../pipeline/model/prediction.ts';
import type { Instant } from '../../../../pipeline/model/service-time.ts';
import type { TripPredictor } from '../../../../pipeline/predictions/live/trip-predictor.ts';
import { describeSource, openVehicleCells } from '../../../../pipeline/realtime/polling/describe-source.ts';
import type { PolledSource } from '../../../../pipeline/realtime/polling/open-sources.ts';
import { createRealtimeState, type RealtimeState } from '../../../../pipeline/realtime/state/realtime-state.ts';
import type { AnswerSource } from '../../../../pipeline/sample/upstream/answer-source.ts';
import { REALTIME_FORMAT_VERSION } from '../../../../pipeline/snapshots/realtime-contract.ts';
import type { SourceRequest } from '../../../../pipeline/sources/realtime-source.ts';
import { openPredictors, type SceneModels } from './learn-models.ts';
import type { SceneCountry } from './open-scene-country.ts';

/**
 * Polls a country in this process, without HTTP, disk and threads: only the trip updates of its GTFS-Realtime sources,
 * since the other sources report the same trips.
 */
interface ScenePolls {
  /** One round; returns what would be published after it. @param now later than in the previous call */
  poll(answers: AnswerSource, now: Instant): Promise<Published>;
}

export function openScenePolls(country: SceneCountry, models: SceneModels): ScenePolls {
  const { timetable, matcher } = country;
  const sources = country.sources.filter(({ facts }) => facts.kind === 'gtfs-rt');
  const state = createRealtimeState(
    sources.map(({ id, facts: { maxAgeSeconds } }) => ({
      id,
      maxAgeSeconds,
      findTimetableSource: () => sampleTimetableId,
    })),
    { tables: timetable.tables, matcher },
  );
  const forecasts = openPredictions(openPredictors(models));
  const transferModels = new Map(
    [...models].flatMap(([source, { transfers }]) => (transfers ? [[source, transfers]] : [])),
  );
  let realtime: Realtime | null = null;
  return {
    async poll(answers, now) {
      for (const source of sources) await pollSource(source, { answers, state, now });
      const predictions = forecasts.update(state, now);
      const tables = state.build(now, predictions, transferModels);
      realtime = openRealtime({ manifest: describe(timetable, sources, models, now), tables }, realtime);
      return { timetable, realtime };
    },
  };
}

/** Name of their request. */
const TRIP_UPDATES = 'trip-updates';

interface Round {
  readonly answers: AnswerSource;
  readonly state: RealtimeState;
  readonly now: Instant;
}

async function pollSource({ id, source }: PolledSource, { answers, state, now }: Round): Promise<void> {
  for (const request of source.listRequests(now).filter(({ part }) => part === TRIP_UPDATES)) {
    const answer = await answers(toUpstreamRequest(request), { at: now, serverTime: now });
    if (answer?.status !== 200) throw new Error(`${id} does not answer ${request.url}: ${answer?.status ?? 'unknown'}`);
    const update = await source.parse(answer.body, request, now);
    state.apply(id, { part: request.part, fetchedAt: now, update });
  }
}

function toUpstreamRequest({ method, url, body }: SourceRequest) {
  const { pathname, searchParams, host } = new URL(url);
  return { method, path: pathname, query: searchParams, host, body: body ?? '' };
}

/** The current predictions, as the prediction service keeps them. */
function openPredictions(forecasters: ReadonlyMap<SourceId, TripPredictor>) {
  const known = new Map<string, TripPrediction>();
  return {
    update(state: RealtimeState, now: Instant): Iterable<TripPrediction> {
      for (const [source, forecaster] of forecasters) {
        const { predictions, over } = forecaster.update(state.listObserved(source), now);
        for (const one of predictions) known.set(`${source} ${one.tripKey} ${one.day}`, one);
        for (const { tripKey, day } of over) known.delete(`${source} ${tripKey} ${day}`);
      }
      for (const [name, one] of known) if (!isFreshPrediction(one, now)) known.delete(name);
      return known.values();
    },
  };
}

/** Scenes do not count problems. */
const NOTHING_FALLS = { countFalling: () => 0 };

function describe(
  timetable: Timetable,
  sources: readonly PolledSource[],
  models: SceneModels,
  now: Instant,
): Realtime['manifest'] {
  const notes = { tallies: new Map(), successes: new Map(), cells: openVehicleCells() };
  return {
    kind: 'realtime',
    formatVersion: REALTIME_FORMAT_VERSION,
    id: `scene-${now}`,
    timetableId: timetable.manifest.id,
    createdAt: new Date(now * 1000).toISOString(),
    sources: sources.map((source) => describeSource(source, [], notes, NOTHING_FALLS, now)),
    models: [...models].map(
      ([
        sourceId,
        {
          stored: { manifest },
        },
      ]) => ({
        sourceId,
        model: manifest.id,
        lastDay: manifest.lastDay,
      }),
    ),
  };
}
