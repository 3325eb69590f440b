import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Country, openCountry } from '../support/worlds/polled-country.ts';
import { configure, findLiveRow, gtfsRt, look, MAX_AGE_SECONDS, wienerLinien } from './watched-upstream.ts';

let country: Country;
beforeAll(async () => {
  country = await openCountry();
});
afterAll(() => country.close());

it('outdated vehicles are unavailable, while departures of the same source are current', async () => {
  const polled = await country.poll(gtfsRt.configure);
  await polled.run(30);
  const row = await findLiveRow(polled, gtfsRt.stop);
  polled.setFault(['/gtfs-rt/stmk/vehicle-positions.pb'], { kind: 'reset' });
  await polled.run(30 + 9 * 60);
  expect(await look(polled, gtfsRt, row)).toMatchObject({
    row: { isRealtime: true },
    vehicles: { status: 'unavailable', isEmpty: true },
    components: { departures: 'operational', disruptions: 'operational', vehiclePositions: 'outage' },
  });
});

it('outdated departures are not operational, while disruptions of the same source are current', async () => {
  const polled = await country.poll((baseUrl) =>
    configure(baseUrl, { 'wiener-linien': { trafficInfo: true }, 'gtfs-rt': {} }),
  );
  await polled.run(30);
  const row = await findLiveRow(polled, wienerLinien.stop);
  polled.setFault(wienerLinien.paths, { kind: 'oldTimestamps', seconds: 3 * 3600 });
  await polled.run(30 + 6 * 60);
  expect(await look(polled, wienerLinien, row)).toMatchObject({
    metro: { status: 'stale', isEmpty: true },
    components: { departures: 'degraded', disruptions: 'operational' },
  });
});

it('the age of a forecast counts from its publication, not from our request', async () => {
  const polled = await country.poll(gtfsRt.configure);
  await polled.run(30);
  const row = await findLiveRow(polled, gtfsRt.stop);
  polled.setFault(gtfsRt.paths, { kind: 'frozen' });
  // Its header is two minutes old after 150 s; two polls later it must no longer count as realtime.
  await polled.run(30 + MAX_AGE_SECONDS + 65);
  expect((await look(polled, gtfsRt, row)).row).toMatchObject({ isRealtime: false });
});
