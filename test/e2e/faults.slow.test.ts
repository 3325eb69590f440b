import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../pipeline/sample/upstream/start-fake-upstream.ts';
import { pollSettings } from '../support/fakes/steered-polling.ts';
import { type Country, openCountry } from '../support/worlds/polled-country.ts';
import {
  configure,
  findLiveRow,
  gtfsRt,
  hafas,
  look,
  MAX_AGE_SECONDS,
  trias,
  type WatchedUpstream,
  wienerLinien,
} from './watched-upstream.ts';

let country: Country;
beforeAll(async () => {
  country = await openCountry();
});
afterAll(() => country.close());

// ---- Faults --------------------------------------------------------------------------------------

const status503: Fault = { kind: 'status503' };
const hang: Fault = { kind: 'hang' };
const slowDrip: Fault = { kind: 'slowDrip', millisecondsPerByte: 20 };
/** Cuts within the first record: a cut between two records cannot be detected in GTFS-Realtime. */
const cutOff: Fault = { kind: 'truncated', afterBytes: 40, isClean: false };
const cutClean: Fault = { ...cutOff, isClean: true };
const html: Fault = { kind: 'html' };
const hugeBody: Fault = { kind: 'hugeBody' };
const redirectLoop: Fault = { kind: 'redirectLoop' };
const reset: Fault = { kind: 'reset' };
const old: Fault = { kind: 'oldTimestamps', seconds: 3 * 3600 };
const ahead: Fault = { kind: 'futureTimestamps', seconds: 3 * 3600 };
const frozen: Fault = { kind: 'frozen' };

/** Start of the fault, in seconds; earlier responses arrived in the seconds after 0. */
const BEGINS = 30;
/** After the first failed request, before three failures open the circuit breaker. */
const EARLY = 61;
/** When earlier data is too old to count as realtime, and failures have opened the circuit breaker. */
const LATE = 2 * MAX_AGE_SECONDS + 30;
/** After the end of the fault, the circuit breaker retries within 60 s, and other requests follow. */
const RECOVERY_SECONDS = 75;

type FaultCase = readonly [upstream: WatchedUpstream, fault: Fault, trouble: string];

describe('before, during and after', () => {
  const cases: readonly FaultCase[] = [
    [gtfsRt, status503, 'http_503'],
    [gtfsRt, hang, 'http_timeout'],
    [gtfsRt, slowDrip, 'http_timeout'],
    [gtfsRt, cutOff, 'http_cut_off'],
    [gtfsRt, cutClean, 'truncated'],
    [gtfsRt, html, 'not_protobuf'],
    [gtfsRt, hugeBody, 'http_too_large'],
    [gtfsRt, redirectLoop, 'http_redirect_loop'],
    [gtfsRt, reset, 'http_unreachable'],
    [gtfsRt, old, 'header_backwards'],
    [gtfsRt, ahead, 'frozen'],
    [wienerLinien, status503, 'http_503'],
    [wienerLinien, hang, 'http_timeout'],
    [wienerLinien, cutOff, 'http_cut_off'],
    [wienerLinien, cutClean, 'truncated'],
    [wienerLinien, html, 'not_json'],
    [wienerLinien, old, 'header_backwards'],
    [wienerLinien, ahead, 'frozen'],
    [trias, status503, 'http_503'],
    [trias, hang, 'http_timeout'],
    [trias, cutOff, 'http_cut_off'],
    [trias, cutClean, 'truncated'],
    [trias, html, 'html'],
    [trias, old, 'header_backwards'],
    [trias, ahead, 'frozen'],
    [hafas, status503, 'http_503'],
    [hafas, hang, 'http_timeout'],
    [hafas, cutOff, 'http_cut_off'],
    [hafas, cutClean, 'truncated'],
    [hafas, html, 'html'],
    [hafas, old, 'header_backwards'],
    [hafas, ahead, 'frozen'],
  ];

  it.each(cases.map((one) => [one[0].id, one[1].kind, ...one] as const))('%s: %s', async (_id, _kind, ...one) => {
    const [upstream, fault, trouble] = one;
    const polled = await country.poll(upstream.configure);
    await polled.run(BEGINS);
    const row = await findLiveRow(polled, upstream.stop);
    const before = await look(polled, upstream, row);
    expect(before).toMatchObject({ ...upstream.well, row: { isRealtime: true }, trouble: null });

    polled.setFault(upstream.paths, fault);
    await polled.run(EARLY);
    const early = await look(polled, upstream, row);
    // Everything as before, including forecasts, with the failure reported. The metro shows a single response and may be gone.
    const { neighbourAge: _, metro: __, ...unchanged } = before;
    expect(early).toMatchObject({ ...unchanged, trouble });
    expect(early.neighbourAge).toBeLessThan(60);

    await polled.run(LATE);
    const late = await look(polled, upstream, row);
    expect(late).toMatchObject({ ...upstream.ill, lastSuccessAt: before.lastSuccessAt });
    expect(late.row).toEqual({ scheduled: before.row!.scheduled, isRealtime: false });
    expect(late.neighbourAge).toBeLessThan(60);

    polled.setFault(upstream.paths, null);
    await polled.run(LATE + RECOVERY_SECONDS);
    const after = await look(polled, upstream, row);
    expect(after).toMatchObject({ ...upstream.well, row: { isRealtime: true }, trouble: null });
  });
});

describe('a feed that stops changing', () => {
  /** Seconds until its timestamps show it, plus one poll. */
  const cases: readonly (readonly [upstream: WatchedUpstream, sign: string, noticed: number])[] = [
    [gtfsRt, 'its header is older than an answer may be', MAX_AGE_SECONDS + 60],
    [trias, 'it answers by a clock five minutes behind', 300 + 60],
    [hafas, 'it has taken in nothing for a quarter of an hour', 900 + 60],
    // The third train after the first two minutes, in either direction.
    [wienerLinien, 'three trains leave in the present second', 15 * 60 + 120],
  ];

  it.each(cases.map((one) => [one[0].id, one[1], ...one] as const))('%s: %s', async (_id, _sign, ...one) => {
    const [upstream, , noticed] = one;
    const polled = await country.poll(upstream.configure);
    await polled.run(BEGINS);
    const row = await findLiveRow(polled, upstream.stop);
    polled.setFault(upstream.paths, frozen);

    await polled.run(BEGINS + noticed);
    expect(await look(polled, upstream, row)).toMatchObject({ trouble: 'frozen', neighbour: 'fresh', health: 200 });
    const ends = BEGINS + noticed + MAX_AGE_SECONDS + 60;
    await polled.run(ends);
    const late = await look(polled, upstream, row);
    expect(late).toMatchObject({ ...upstream.ill, trouble: 'frozen' });
    expect(late.row).not.toHaveProperty('realtime');
    expect(Date.parse(late.lastSuccessAt!)).toBeLessThan(polled.at(BEGINS + noticed));

    polled.setFault(upstream.paths, null);
    await polled.run(ends + RECOVERY_SECONDS);
    expect(await look(polled, upstream, row)).toMatchObject({ ...upstream.well, row: { isRealtime: true } });
  });
});

describe('the circuit breaker', () => {
  it('opens after three failures, then lets single requests through, and closes after the first success', async () => {
    const polled = await country.poll(gtfsRt.configure);
    const countAll = () => gtfsRt.paths.reduce((sum, one) => sum + polled.countRequests(one), 0);
    const countBetween = async (from: number, to: number) => {
      await polled.run(from);
      const before = countAll();
      await polled.run(to);
      return countAll() - before;
    };
    await polled.run(BEGINS);
    polled.setFault(gtfsRt.paths, reset);
    // All three of the second round, at 60, 61 and 62; then one at 122, at 182 and at 242.
    const { breakerSeconds } = pollSettings;
    expect(await countBetween(BEGINS, 62)).toBe(3);
    await polled.run(63);
    expect(polled.source(gtfsRt.id)).toMatchObject({ trouble: expect.stringMatching(/./), isCircuitOpen: true });
    for (const tried of [62, 122, 182]) {
      expect(await countBetween(tried + 1, tried + breakerSeconds - 1)).toBe(0);
      expect(await countBetween(tried + breakerSeconds - 1, tried + breakerSeconds)).toBe(1);
    }
    polled.setFault(gtfsRt.paths, null);
    expect(await countBetween(242, 242 + breakerSeconds)).toBe(1);
    // Requests that it had delayed are then sent at once.
    expect(await countBetween(242 + breakerSeconds, 242 + breakerSeconds + 5)).toBe(2);
    expect(polled.source(gtfsRt.id).trouble).toBeNull();
  });
});

it.each<[fault: Fault]>([[status503], [frozen]])('shows vehicles for at most eight minutes: %j', async (fault) => {
  const polled = await country.poll((baseUrl) => configure(baseUrl, { 'gtfs-rt': { maxAgeSeconds: 300 } }));
  const see = async (at: number) => {
    await polled.run(at);
    const v1 = (await polled.getJson('/v1/vehicles')).json as { source: string; count: number };
    const v2 = (await polled.getJson('/v2/vehicles')).json as { source: string; count: number };
    expect(v2.count).toBe(v1.count);
    return { v1: v1.source, v2: v2.source, hasVehicles: v1.count > 0 };
  };
  const measured = { v1: 'measurement_snapshot', v2: 'measurementSnapshot', hasVehicles: true };
  expect(await see(BEGINS)).toEqual(measured);
  polled.setFault(gtfsRt.paths, fault);
  expect(await see(BEGINS + 200)).toEqual(measured);
  // The header shows after five minutes that a feed has stopped changing; its source is stale five minutes later.
  const ends = BEGINS + (fault.kind === 'frozen' ? 660 : 490);
  expect(await see(ends)).toEqual({ v1: 'unavailable', v2: 'unavailable', hasVehicles: false });
  polled.setFault(gtfsRt.paths, null);
  expect(await see(ends + 90)).toEqual(measured);
});
