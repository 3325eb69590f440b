import { access } from 'node:fs/promises';
import type { SourceConfig } from '../../pipeline/config/source-config.ts';
import { nowInstant } from '../../pipeline/effects/clock.ts';
import { ExternalError, isOfTheSystem } from '../../pipeline/effects/external-error.ts';
import { type HttpAnswer, HttpStatusError, readBody } from '../../pipeline/effects/http.ts';
import { findDataFormat } from '../../pipeline/lake/data-format.ts';
import { describeClockOffset } from '../../pipeline/model/clock-offset-code.ts';
import { UnreadableAnswer } from '../../pipeline/model/problem.ts';
import { spendBudget } from '../../pipeline/realtime/polling/daily-budget.ts';
import { openSources, type PolledSource } from '../../pipeline/realtime/polling/open-sources.ts';
import { readRealtimeManifest } from '../../pipeline/snapshots/realtime-files.ts';
import { parseFeedLocation } from '../../pipeline/timetable/feed/feed-location.ts';
import { findServiceHolder } from '../locks/service-lock.ts';
import { openDataFolder } from '../open-data-folder.ts';
import { beginsAsZip, PATIENCE_SECONDS } from './begins-as-zip.ts';
import { checkMvo } from './check-mvo.ts';
import { bad, type Examined, type Finding, good, warning } from './finding.ts';

/** A clock that differs by more than this shows wrong countdowns; by much more, feeds count as future or stale. */
const MAX_SKEW_SECONDS = 30;

/** Findings about sources, and how far the clocks of their servers are ahead of the local one. */
export interface SourceFindings {
  readonly findings: readonly Finding[];
  readonly skewsSeconds: readonly number[];
}

/** Sends one request to each configured source; nothing of the answers is stored. */
export async function checkSources(examined: Examined): Promise<SourceFindings> {
  const skewsSeconds: number[] = [];
  const noteClock = ({ headers }: HttpAnswer) => {
    const there = Date.parse(headers.get('date') ?? '');
    if (!Number.isNaN(there)) skewsSeconds.push((there - examined.effects.clock.nowMilliseconds()) / 1000);
  };
  const { config, effects } = examined;
  const findings: Finding[] = [];
  for (const source of config.sources) {
    if (source.kind === 'gtfs') findings.push(await checkTimetable(source, examined, noteClock));
  }
  findings.push(...(await checkMvo(examined, noteClock)));
  const problems: string[] = [];
  const log = { ...effects.log, warn: (sentence: string) => problems.push(sentence) };
  for (const polled of await openSources(config.realtime, { log })) {
    findings.push(await checkRealtime(polled, examined, noteClock));
  }
  for (const sentence of problems) findings.push(bad('source', sentence, 'correct its entry in the configuration'));
  findings.push(...(await checkOffsets(config)));
  if (config.sources.length === 0) findings.push(good('sources', 'none is configured; the built-in sample is served'));
  return { findings, skewsSeconds };
}

/** Sources whose published realtime is off by whole hours. */
async function checkOffsets({ dataDir }: Examined['config']): Promise<Finding[]> {
  const manifest = await readRealtimeManifest(dataDir).catch((error: Error) => {
    if (error instanceof ExternalError) return null;
    throw error;
  });
  return (manifest?.sources ?? []).flatMap(({ id, tally }) => {
    const offset = describeClockOffset(tally.problems);
    return offset === null ? [] : warning(`source ${id}`, offset, 'contact its publisher, or correct its time zone');
  });
}

type NoteClock = (answer: HttpAnswer) => void;

async function checkTimetable(
  { id, gtfs, headers }: Extract<SourceConfig, { kind: 'gtfs' }>,
  { effects, signal }: Examined,
  noteClock: NoteClock,
): Promise<Finding> {
  const about = `source ${id}`;
  const { place, isAddress } = await parseFeedLocation(gtfs);
  if (!isAddress) {
    const remedy = `put the feed there, or correct sources[].gtfs of ${id}`;
    return access(place).then(
      () => good(about, `${place} is there`),
      (error: Error) => bad(about, `${gtfs} cannot be read: ${error.message}`, remedy),
    );
  }
  try {
    const request = {
      url: place,
      headers,
      timeoutSeconds: PATIENCE_SECONDS,
      maxBytes: Number.MAX_SAFE_INTEGER,
      signal,
    };
    const answer = await effects.http(request);
    noteClock(answer);
    const isZip = await beginsAsZip(answer);
    if (isZip) return good(about, 'responds with a zip');
    return bad(about, 'responds with something other than a zip', `open the address of ${id} in a browser`);
  } catch (error) {
    return failed(about, error);
  }
}

async function checkRealtime(polled: PolledSource, examined: Examined, noteClock: NoteClock): Promise<Finding> {
  const { id, source, facts, headers } = polled;
  const about = `source ${id}`;
  if (polled.isStandby) return good(about, 'paused by the configuration, not checked');
  const { effects, signal } = examined;
  const refusal = await findRefusal(polled, examined);
  if (refusal !== null) return refusal;
  const now = nowInstant(effects.clock);
  const request = source.listRequests(now)[0];
  if (request === undefined) return warning(about, 'has nothing to request', `add stops or addresses to ${id}`);
  try {
    const answer = await effects.http({
      url: request.url,
      method: request.method,
      headers: { ...request.headers, ...headers },
      ...(request.body === null ? {} : { body: request.body }),
      ...(request.redirectHosts ? { redirectHosts: request.redirectHosts } : {}),
      timeoutSeconds: facts.timeoutSeconds,
      maxBytes: facts.maxBytes,
      signal,
    });
    noteClock(answer);
    const update = await source.parse(answer.body ? await readBody(answer.body) : new Uint8Array(), request, now);
    if (update.isFrozen) return warning(about, 'responds with outdated times', 'contact its publisher');
    if (request.redirectHosts && answer.redirectedTo !== undefined) {
      return warning(about, `is redirected to ${answer.redirectedTo}`, 'set its endpoint to that address');
    }
    const refused = update.problems.length > 0 ? `, ${update.problems.length} with problems` : '';
    const records = `${update.recordCount} ${update.recordCount === 1 ? 'record' : 'records'}`;
    return good(about, `responds with ${records}${refused} (${request.part})`);
  } catch (error) {
    return failed(about, error);
  }
}

/** A counted request is sent only where no poller counts at the same time, and then it is counted. */
async function findRefusal({ id, facts }: PolledSource, { config, effects }: Examined): Promise<Finding | null> {
  if (facts.dailyBudget === null) return null;
  const about = `source ${id}`;
  if (await findServiceHolder(config.dataDir, effects)) {
    return good(about, 'is polled by the running service with a budget, so it was not checked');
  }
  // The count is the first file of a new folder, which would look like one of an old program without its format.
  if ((await findDataFormat(config.dataDir)) === null) {
    await openDataFolder({ dataDir: config.dataDir, isWritten: true }, effects);
  }
  const limit = { requests: facts.dailyBudget, zone: facts.zone };
  const refusal = await spendBudget(config.dataDir, id, limit, nowInstant(effects.clock), effects);
  if (refusal === null) return null;
  const sentence = refusal === 'budget_spent' ? 'its requests for today are used up' : 'its requests cannot be counted';
  return warning(about, sentence, 'see "taktgeber status"');
}

function failed(about: string, error: unknown): Finding {
  if (error instanceof UnreadableAnswer && error.code === 'upstream_error') {
    return bad(about, `its server refuses the request: ${error.message}`, 'check key, version and stops of the source');
  }
  if (error instanceof UnreadableAnswer) {
    return bad(
      about,
      `its response cannot be parsed: ${error.message}`,
      'check the address and the kind of the source',
    );
  }
  if (!(error instanceof ExternalError) && !isOfTheSystem(error)) throw error;
  return bad(about, error.message, suggestRemedy(error));
}

function suggestRemedy(error: Error): string {
  if (error instanceof HttpStatusError && [401, 403].includes(error.status)) return 'check the key of the source';
  const isRedirected = error instanceof ExternalError && error.code === 'http_redirect_refused';
  if (isRedirected) return 'ask its publisher for the new address, and correct that of the source';
  return 'check the address, the network and the proxy';
}

/** Compares our clock with those of the servers; the one in the middle counts, as one of them may be wrong itself. */
export function checkClock(skewsSeconds: readonly number[]): Finding[] {
  const middle = [...skewsSeconds].sort((a, b) => a - b)[Math.floor(skewsSeconds.length / 2)];
  if (middle === undefined) return [];
  const difference = `${Math.abs(middle).toFixed(0)} s ${middle > 0 ? 'behind' : 'ahead of'} the servers of the sources`;
  if (Math.abs(middle) <= MAX_SKEW_SECONDS) return [good('clock', 'agrees with the servers of the sources')];
  return [bad('clock', `the clock is ${difference}`, 'synchronise it, e.g. with "timedatectl set-ntp true"')];
}
