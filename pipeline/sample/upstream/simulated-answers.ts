import { encodeFeedMessage } from '../../formats/gtfs-rt/encode-feed-message.ts';
import type { MetroStation } from '../../model/metro-stations.ts';
import type { Instant } from '../../model/service-time.ts';
import type { Simulator } from '../simulator/create-simulator.ts';
import type { SimulatedState } from '../simulator/simulated-state.ts';
import {
  type AnswerSource,
  httpDate,
  textAnswer,
  type UpstreamAnswer,
  type UpstreamMoment,
  type UpstreamRequest,
} from './answer-source.ts';
import { buildGtfsRtAnswer, type GtfsRtKind } from './gtfs-rt.ts';
import { buildMgateAnswer, buildMgateRefusal } from './hafas.ts';
import { readMgateRequest } from './hafas-request.ts';
import { buildStopEventAnswer, readStopEventRequest } from './trias.ts';
import { buildMonitorAnswer, buildNewsAnswer, buildTrafficInfoAnswer } from './wiener-linien.ts';

/** One address of the fake upstream. */
export interface UpstreamRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** An answer changes that often, as publishers write their files; in between, it is the same to the byte. */
  readonly stepSeconds: number;
  answer(request: UpstreamRequest, state: SimulatedState, moment: SimulatedMoment): UpstreamAnswer;
}

interface SimulatedMoment extends UpstreamMoment {
  /** Real numbers of platforms, by which the city names the places of its traffic information. */
  readonly metroStations: readonly MetroStation[];
}

/** The addresses of all four protocols. */
export const upstreamRoutes: readonly UpstreamRoute[] = [
  gtfsRtRoute('/gtfs-rt/trip-updates.pb', 'tripUpdates'),
  gtfsRtRoute('/gtfs-rt/vehicle-positions.pb', 'vehiclePositions'),
  gtfsRtRoute('/gtfs-rt/alerts.pb', 'alerts'),
  {
    ...jsonGet('/ogd_realtime/monitor'),
    answer: ({ query }, state, { serverTime }) => {
      const divas = query.getAll('diva').map(Number).filter(Number.isSafeInteger);
      return json(buildMonitorAnswer(state, divas, { serverTime }));
    },
  },
  {
    ...jsonGet('/ogd_realtime/trafficInfoList'),
    answer: (_, state, { metroStations }) => json(buildTrafficInfoAnswer(state, metroStations)),
  },
  { ...jsonGet('/ogd_realtime/newsList'), answer: (_, state) => json(buildNewsAnswer(state)) },
  stopEventRoute('/trias'),
  stopEventRoute('/ojp'),
  {
    method: 'POST',
    path: '/hafas/mgate',
    stepSeconds: 1,
    answer: ({ body }, state) => {
      const request = readMgateRequest(body);
      return json(
        request ? buildMgateAnswer(state, request) : buildMgateRefusal('PARSE', 'the fake does not know that'),
      );
    },
  },
];

function gtfsRtRoute(path: string, kind: GtfsRtKind): UpstreamRoute {
  return {
    method: 'GET',
    path,
    stepSeconds: 15,
    answer: (_, state) => ({
      status: 200,
      headers: { 'content-type': 'application/x-protobuf', 'last-modified': httpDate(state.now) },
      body: encodeFeedMessage(buildGtfsRtAnswer(state, kind)),
    }),
  };
}

function jsonGet(path: string): Pick<UpstreamRoute, 'method' | 'path' | 'stepSeconds'> {
  return { method: 'GET', path, stepSeconds: 1 };
}

/** TRIAS, OJP 1.0 and OJP 2.0: which it is, the request says. */
function stopEventRoute(path: string): UpstreamRoute {
  return {
    method: 'POST',
    path,
    stepSeconds: 1,
    answer: ({ body }, state) => {
      const request = readStopEventRequest(body);
      if (!request) return textAnswer(400, 'text/plain; charset=utf-8', 'That is no request for stop events.\n');
      return textAnswer(200, 'text/xml; charset=utf-8', buildStopEventAnswer(state, request));
    },
  };
}

function json(value: object): UpstreamAnswer {
  return textAnswer(200, 'application/json; charset=utf-8', JSON.stringify(value));
}

const STATES_KEPT = 3;

/** Answers of the made-up country, in every protocol. @param metroStations of the lookup, as the real city has them */
export function simulatedAnswers(simulator: Simulator, metroStations: readonly MetroStation[] = []): AnswerSource {
  // A source asks for one moment several times; a cache of facts.
  const states = new Map<Instant, SimulatedState>();
  const stateAt = (at: Instant): SimulatedState => {
    const state = states.get(at) ?? simulator.stateAt(at);
    states.set(at, state);
    if (states.size > STATES_KEPT) states.delete(states.keys().next().value!);
    return state;
  };
  return (request, { at, serverTime }) => {
    const route = upstreamRoutes.find(({ path }) => path === request.path);
    if (!route) return null;
    if (route.method !== request.method) {
      return { status: 405, headers: { allow: route.method }, body: new Uint8Array(0) };
    }
    const written = (at - (at % route.stepSeconds)) as Instant;
    return route.answer(request, stateAt(written), { at: written, serverTime, metroStations });
  };
}
