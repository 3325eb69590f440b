import { describe, expect, it } from 'vitest';
import type { Leg, TripRequest } from '../../../../api/contract/definitions.ts';
import type { AlertReport } from '../../../../pipeline/model/realtime.ts';
import { instant, openWorld } from '../../../support/worlds/board-world.ts';
import { alertOf, stopOf } from '../../../support/worlds/live-reports.ts';
import { openLiveWorld } from '../../../support/worlds/live-world.ts';
import { feedFromText } from '../../../support/worlds/text-feed.ts';
import { at } from '../live-town.ts';
import { buildTripRequest, openTrips, requestTrips } from './trip-questions.ts';
import { liveTripTown, tripTown } from './trip-town.ts';

const outage = (stops: readonly string[], over: Partial<AlertReport> = {}) =>
  alertOf(`lift ${stops.join(' ')}`, {
    isAccess: true,
    title: 'Aufzug Bahnhof: außer Betrieb',
    stops: stops.map((id) => stopOf(id)),
    ...over,
  });
const line = (routeId: string) => ({ label: null, routeId, agencyId: null, operatorName: null, region: null });
const during = (from: string | null, to: string | null) => ({
  activeWindows: [{ from: from === null ? null : instant(at(from)), to: to === null ? null : instant(at(to)) }],
});

/** Trips from one place to another, as `1 transfer* S5*`: a star marks a lift that is out of service. */
async function search(alerts: readonly AlertReport[], from: string, to: string, over: Partial<TripRequest> = {}) {
  const context = openTrips(await liveTripTown('07:00', { alerts }), '07:00');
  const places = [{ stopId: `at:${from}` }, { stopId: `at:${to}` }] as const;
  const body = buildTripRequest(...places, { maxWalkMeters: 0, limit: 1, time: at('07:30'), ...over });
  const name = ({ mode, line, attributes }: Leg) =>
    `${line?.label ?? mode}${attributes.includes('lift:outOfService') ? '*' : ''}`;
  const { trips } = await requestTrips(context, body);
  return trips.map(({ legs }) => legs.map(name).join(' '));
}

// The bus 1 from Anger stops at platform 1 of the station, and S5 to the court leaves from platform 2, at 08:18.
describe.each<[what: string, alert: AlertReport, onFoot: string, inWheelchair: string]>([
  ['of the platform of departure', outage(['s2']), '1 transfer* S5*', ''],
  ['of the platform of arrival', outage(['s1']), '1* transfer* S5', ''],
  ['of the station', outage(['s']), '1* transfer* S5*', ''],
  ['of another stop', outage(['k']), '1 transfer S5', '1 transfer S5'],
  ['of the end', outage(['x']), '1 transfer S5*', ''],
  ['of the begin', outage(['a']), '1* transfer S5', ''],
  ['at a platform of another line', outage(['s2'], { lines: [line('r1')] }), '1 transfer S5', '1 transfer S5'],
  ['at the platform of the line', outage(['s'], { lines: [line('r5')] }), '1 transfer* S5*', ''],
  ['that is over before', outage(['s'], during(null, '07:50')), '1 transfer S5', '1 transfer S5'],
  ['that ends afterwards', outage(['s'], during(null, '08:15')), '1* transfer* S5', ''],
  ['that begins afterwards', outage(['s'], during('08:30', null)), '1 transfer S5', '1 transfer S5'],
  ['that ended yesterday', outage(['s'], { kind: 'allClear' }), '1 transfer S5', '1 transfer S5'],
  ['of an escalator', outage(['s'], { title: 'Fahrtreppe Bahnhof' }), '1 transfer S5', '1 transfer S5'],
  [
    'of an escalator beside a lift',
    outage(['s'], { title: 'Bahnhof', text: 'Rolltreppe defekt. Bitte den Aufzug benützen.' }),
    '1* transfer* S5*',
    '',
  ],
  ['without words', outage(['s'], { title: 'Platform access', text: '' }), '1* transfer* S5*', ''],
  ['without access', outage(['s'], { isAccess: false }), '1 transfer S5', '1 transfer S5'],
])('an outage %s', (_what, alert, onFoot, inWheelchair) => {
  it('marks legs', async () => {
    expect(await search([alert], 'a', 'x')).toEqual([onFoot]);
  });

  it('excludes transfers and stops for travellers in wheelchairs', async () => {
    const wheelchair = await search([alert], 'a', 'x', { wheelchair: true });
    expect(wheelchair).toEqual(inWheelchair === '' ? [] : [inWheelchair]);
  });
});

it('an outage does not affect passengers who stay on board or pass the stop', async () => {
  expect(await search([outage(['s'])], 'a', 'z', { wheelchair: true })).toEqual(['1']);
  expect(await search([outage(['s2'])], 's', 'z', { wheelchair: true })).toEqual(['1']);
});

it('a search by arrival considers outages before the requested time', async () => {
  const byArrival = { wheelchair: true, timeMode: 'arrival' as const, time: at('08:50') };
  expect(await search([outage(['s'], during('08:30', null))], 'a', 'x', byArrival)).toEqual(['1 transfer S5']);
  expect(await search([outage(['s'], during(null, '08:30'))], 'a', 'x', byArrival)).toEqual([]);
});

describe('with published step-free paths', () => {
  /** Paths of the station: `s2=e` is a lift from platform 2 to the entrance, `s1-s2` a path without one. */
  const searchWith = async (ways: string, outages: readonly AlertReport[]) => {
    const rows = ways.split(' ').map((way, i) => `w${i},${way.replace(/([=-])/, ',')},${way.includes('=') ? 5 : 1},1`);
    const pathways = `# pathways.txt\npathway_id,from_stop_id,to_stop_id,pathway_mode,is_bidirectional\n${rows.join('\n')}`;
    const world = await openWorld({ at: feedFromText(`${tripTown}\n${pathways}`) });
    const live = await openLiveWorld(world);
    live.report('rt', at('07:00'), { alerts: outages });
    const context = openTrips(live.at(at('07:00')), '07:00');
    const ends = [{ stopId: 'at:a' }, { stopId: 'at:x' }] as const;
    const over = { maxWalkMeters: 0, limit: 1, time: at('07:30'), wheelchair: true };
    const { trips } = await requestTrips(context, buildTripRequest(...ends, over));
    return trips.map(({ legs }) => legs.flatMap(({ line }) => line?.label ?? []).join(' ')).join();
  };
  const first = outage(['s2']);
  const second = outage(['s2'], { id: 'second', title: 'Aufzug Bahnhof, zweiter' });

  it.each<[what: string, ways: string, outages: readonly AlertReport[], expected: string]>([
    ['one lift', 's1-e s2=e', [first], ''],
    ['two lifts, one of them out', 's1-e s2=e s2=e', [first], '1 S5'],
    ['two lifts, both out', 's1-e s2=e s2=e', [first, second], ''],
    ['a ramp', 's1-e s2=e s2-e', [first, second], '1 S5'],
    ['a level change to a platform whose lift is out', 's1-s2 s2=e', [first], '1 S5'],
    ['the lift of another platform', 's1=e s2-e', [outage(['s2'])], '1 S5'],
  ])('%s', async (_what, ways, outages, expected) => {
    expect(await searchWith(ways, outages)).toBe(expected);
  });
});
