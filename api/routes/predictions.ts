import { formatUtc } from '../../pipeline/model/service-time.ts';
import type {
  PredictionBatch,
  PredictionBatchRequest,
  V1PredictionBatchRequest,
  V1Predictions,
} from '../contract/definitions.ts';
import type { V1PredictionsQuery } from '../contract/v1-queries.ts';
import { findPredictionOf, listPredictions, type PredictionQuery } from '../engine/predictions/list-predictions.ts';
import { findCurrentPrediction, hasRealtime, type LivePublished } from '../engine/predictions/predictions.ts';
import { isInvalidated, presentPredictions, presentV1Prediction } from '../engine/predictions/present-predictions.ts';
import { presentTimestamp } from '../engine/read/present.ts';
import type { Handlers, Service, ServiceRequest } from './service.ts';

const DEFAULT_RADIUS_METERS = 1000;

/** Our own predictions of delays, for both API versions. Without any, the response is empty, not an error. */
export function predictionHandlers(service: Service): Handlers {
  return {
    'GET /v1/predictions': {
      snapshot: 'optional',
      changesWithTime: () => true,
      answer: (request) => ({ json: answerV1(service, request, readQuery(request.query as V1PredictionsQuery)) }),
    },
    'POST /v1/predictions/batch': {
      snapshot: 'optional',
      changesWithTime: () => true,
      answer: (request) => {
        const { jids } = request.body as V1PredictionBatchRequest;
        return { json: answerV1(service, request, { journeyRefs: jids }) };
      },
    },
    'POST /v2/predictions/batch': {
      snapshot: 'optional',
      changesWithTime: () => true,
      answer: (request) => ({ json: answerBatch(service, request) }),
    },
  };
}

function readQuery({ lat, lon, radius = DEFAULT_RADIUS_METERS, line, jid, jids, limit }: V1PredictionsQuery) {
  const query: PredictionQuery = {
    limit,
    ...(line === undefined ? {} : { line }),
    ...(lat === undefined || lon === undefined ? {} : { near: { lat, lon, radiusMeters: radius } }),
  };
  if (jid === undefined) return jids === undefined ? query : { ...query, journeyRefs: jids };
  // A journey has one reference, so that equal journeys are equal strings.
  return { ...query, journeyRefs: jids === undefined || jids.includes(jid) ? [jid] : [] };
}

function answerV1(
  { references }: Service,
  { snapshot, instant }: ServiceRequest,
  query: PredictionQuery,
): V1Predictions {
  const published = findLive(snapshot);
  const found = published ? listPredictions({ published, references, instant }, query) : [];
  return {
    generatedAt: formatUtc(instant * 1000),
    count: found.length,
    predictions: found.map((prediction) => presentV1Prediction(published!, references, prediction)),
  };
}

/** Each journey once, in the requested order. */
function answerBatch({ references }: Service, { snapshot, body, instant }: ServiceRequest): PredictionBatch {
  const refs = [...new Set((body as PredictionBatchRequest).journeyRefs)];
  const published = findLive(snapshot);
  const present = published && presentPredictions(published, references, instant);
  const answer: PredictionBatch = {
    generatedAt: presentTimestamp(instant),
    predictions: [],
    invalidatedJourneyRefs: [],
  };
  for (const ref of refs) {
    const name = references.openJourney(ref);
    const row = published ? findPredictionOf(published, name) : -1;
    const found = published && row >= 0 ? findCurrentPrediction(published, row, instant) : null;
    if (present && found) answer.predictions.push(present(found));
    else if (isInvalidated(snapshot?.value ?? null, name, instant)) answer.invalidatedJourneyRefs.push(ref);
  }
  return answer;
}

function findLive(snapshot: ServiceRequest['snapshot']): LivePublished | null {
  return snapshot && hasRealtime(snapshot.value) ? snapshot.value : null;
}
