import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Clock, nowInstant } from '../../pipeline/effects/clock.ts';
import type { Instant } from '../../pipeline/model/service-time.ts';
import { ApiProblem } from '../contract/problems.ts';
import type { RouteContract } from '../contract/route-contract.ts';
import { clientNetwork } from './admission.ts';
import type { AnswerCache, CachedAnswer } from './answer-cache.ts';
import { matchesAnyEntityTag, matchesEntityTag } from './entity-tag.ts';
import { type KnownRequests, readKnownRequest, readRequest } from './known-requests.ts';
import { findInstallationToken } from './request-facts.ts';
import type { Answer, HeldSnapshot, RouteData, RouteHandler, SnapshotHolder } from './route-handler.ts';

export interface ServeSettings<Value> {
  readonly clock: Clock;
  readonly snapshots: SnapshotHolder<Value>;
  readonly cache: AnswerCache;
  /** What targets of requests mean, shared by all routes. */
  readonly knownRequests: KnownRequests;
  /** Identifies everything besides request and data that affects responses: code, configuration, keys. */
  readonly answersVersion: string;
  /** Time limit of a response. */
  readonly answerMilliseconds: number;
  /** Called for each successful response of a cached route. */
  countAnswer?(from: AnswerOrigin): void;
}

type AnswerOrigin = 'cache' | 'engine' | 'not_modified';

/** The time of tagged responses is rounded down to this many seconds. */
const INSTANT_SECONDS = 15;
/** Passed to handlers that declare time irrelevant, so that their responses are equal even if the declaration is wrong. */
const NO_INSTANT = 0 as Instant;

/**
 * Serves one route over HTTP: validates the input, takes one snapshot, answers with 304 or from the cache if the entity
 * tag matches, and otherwise calls the handler.
 */
export function serveRoute<Value>(
  route: RouteContract,
  handler: RouteHandler<Value>,
  settings: ServeSettings<Value>,
): (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply> {
  const isTagged = route.method === 'GET' && !route.cacheControl.includes('no-store');
  const isNegotiated = route.answerMediaTypes.length > 1;
  return (request, reply) => {
    if (isNegotiated) reply.header('vary', 'Accept');
    const known = isTagged ? readKnownRequest(route, request, settings.knownRequests) : readRequest(route, request);
    const { input } = known;
    const snapshot = takeSnapshot(handler, settings.snapshots);
    const data = handler.takeData?.(input.query, snapshot);
    const dataVersion = data ? data.dataVersion : nameData(handler, snapshot);
    if (dataVersion !== undefined) reply.header('data-version', dataVersion);
    const answerAt = (instant: Instant) =>
      handler.answer({
        // Named one by one: members after a spread make a new hidden class for each request, which only a full collection frees.
        params: input.params,
        query: input.query,
        body: input.body,
        mediaType: input.mediaType,
        instant,
        snapshot,
        data: data?.value,
        getClient: () => ({
          address: clientNetwork(request.ip),
          installationToken: findInstallationToken(request.headers),
        }),
        whenGone: (listener) => onGone(reply, listener),
      });
    if (!isTagged) {
      return whenMade(answerAt(nowInstant(settings.clock)), settings, (answer) =>
        sendAnswer(reply, route, toBytes(answer, route), answer.status ?? 200),
      );
    }
    const instant = handler.changesWithTime(input.query, data?.value) ? roundNow(settings.clock, handler) : NO_INSTANT;
    const tag = known.readTag([settings.answersVersion, dataVersion, tagPartOf(data), instant]);
    const condition = request.headers['if-none-match'];
    if (matchesEntityTag(condition, tag)) {
      settings.countAnswer?.('not_modified');
      return sendNotModified(reply, route, tag);
    }
    const sendTagged = (good: CachedAnswer) =>
      matchesAnyEntityTag(condition) ? sendNotModified(reply, route, tag) : sendAnswer(reply, route, good, 200, tag);
    const cached = settings.cache.find(tag);
    if (cached) {
      settings.countAnswer?.('cache');
      return sendTagged(cached);
    }
    const making = answerAt(instant);
    return whenMade(making, settings, (answer) => {
      const made = toBytes(answer, route);
      const status = answer.status ?? 200;
      if (status !== 200) return sendAnswer(reply, route, made, status);
      settings.countAnswer?.('engine');
      if (making instanceof Promise) settings.cache.keep(tag, made);
      else settings.cache.keepIfRepeated(tag, made);
      return sendTagged(made);
    });
  };
}

function tagPartOf(data: RouteData | undefined): string | null {
  return data?.tagPart ?? null;
}

/** The connection also closes after a response, which is not an early disconnection. */
function onGone(reply: FastifyReply, listener: () => void): void {
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) listener();
  });
}

function takeSnapshot<Value>(
  handler: RouteHandler<Value>,
  snapshots: SnapshotHolder<Value>,
): HeldSnapshot<Value> | null {
  if (handler.snapshot === 'unused') return null;
  const snapshot = snapshots.current();
  if (!snapshot && handler.snapshot === 'required') {
    throw new ApiProblem('timetable_unavailable', 'No timetable has been loaded yet. Try again later.');
  }
  return snapshot;
}

/** Version of the data behind the response: all of it, or the timetable only. */
function nameData<Value>(handler: RouteHandler<Value>, snapshot: HeldSnapshot<Value> | null): string | undefined {
  const timetable = handler.follows === 'timetable' ? snapshot?.timetableVersion : undefined;
  return timetable ?? snapshot?.dataVersion;
}

function roundNow<Value>(clock: Clock, handler: RouteHandler<Value>): Instant {
  const now = nowInstant(clock);
  return handler.roundInstant?.(now) ?? ((now - (now % INSTANT_SECONDS)) as Instant);
}

/** Stays synchronous if the handler is: most are, and a promise would cost more than their work. */
function whenMade(
  answer: Answer | Promise<Answer>,
  { answerMilliseconds }: { readonly answerMilliseconds: number },
  send: (answer: Answer) => FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  return answer instanceof Promise ? withDeadline(answer, answerMilliseconds).then(send) : send(answer);
}

function withDeadline(answer: Promise<Answer>, milliseconds: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ApiProblem('overloaded', 'The request timed out. Try again later.')),
      milliseconds,
    );
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function toBytes(answer: Answer, route: RouteContract): CachedAnswer {
  const [standard = 'application/json'] = route.answerMediaTypes;
  if (!('bytes' in answer)) return { bytes: Buffer.from(JSON.stringify(answer.json)), mediaType: standard };
  return { bytes: toBuffer(answer.bytes), mediaType: answer.mediaType ?? standard };
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** @param tag present for successful responses that may be cached */
function sendAnswer(
  reply: FastifyReply,
  route: RouteContract,
  answer: CachedAnswer,
  status: number,
  tag?: string,
): FastifyReply {
  if (tag !== undefined) reply.header('etag', tag);
  return reply
    .code(status)
    .header('content-type', answer.mediaType)
    .header('cache-control', status === 200 ? route.cacheControl : 'no-store')
    .send(answer.bytes);
}

function sendNotModified(reply: FastifyReply, route: RouteContract, tag: string): FastifyReply {
  return reply.code(304).header('etag', tag).header('cache-control', route.cacheControl).send();
}
