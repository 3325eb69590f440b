import { expect, it } from 'vitest';
import { findStopEventManifest } from '../../../../pipeline/history/stop-events/stop-event-store.ts';
import { toSourceId } from '../../../../pipeline/model/ids.ts';
import type { ServiceDate } from '../../../../pipeline/model/service-time.ts';
import { archiveFolder, importFile, queryStopEvents, writeArchive } from '../../../support/worlds/imported-world.ts';

const HEAD =
  'BETRIEBSTAG;FAHRT_BEZEICHNER;BETREIBER_ID;BETREIBER_ABK;BETREIBER_NAME;PRODUKT_ID;LINIEN_ID;LINIEN_TEXT;UMLAUF_ID;VERKEHRSMITTEL_TEXT;ZUSATZFAHRT_TF;FAELLT_AUS_TF;BPUIC;HALTESTELLEN_NAME;ANKUNFTSZEIT;AN_PROGNOSE;AN_PROGNOSE_STATUS;ABFAHRTSZEIT;AB_PROGNOSE;AB_PROGNOSE_STATUS;DURCHFAHRT_TF';

/** Invented, in the layout and with the quirks of the publisher; unordered, as files sometimes are. */
const ROWS = `
15.07.2025;85:11:9001:001;85:11;ADB;Alpendampfbahn AG;Zug;9001;S9;;S;false;false;8500002;Mittelhausen;15.07.2025 08:10;15.07.2025 08:15:29;REAL;15.07.2025 08:11;15.07.2025 08:16:40;REAL;false
15.07.2025;85:11:9001:001;85:11;ADB;Alpendampfbahn AG;Zug;9001;S9;;S;false;false;8500001;Anfangen;;;;15.07.2025 08:00;15.07.2025 08:00:30;REAL;false
15.07.2025;85:11:9001:001;85:11;ADB;Alpendampfbahn AG;Zug;9001;S9;;S;false;false;8500003;Durchwil;15.07.2025 08:15;15.07.2025 08:20:00;REAL;15.07.2025 08:15;15.07.2025 08:20:00;REAL;true
15.07.2025;85:11:9001:001;85:11;ADB;Alpendampfbahn AG;Zug;9001;S9;;S;false;false;8500004;Übergang;15.07.2025 08:20;15.07.2025 08:26:00;PROGNOSE;15.07.2025 08:21;15.07.2025 08:27:00;PROGNOSE;false
15.07.2025;85:11:9001:001;85:11;ADB;Alpendampfbahn AG;Zug;9001;S9;;S;false;false;8500005;Schätzingen;15.07.2025 08:30;15.07.2025 08:33:00;GESCHAETZT;15.07.2025 08:31;15.07.2025 08:34:00;GESCHAETZT;false
15.07.2025;85:11:9001:001;85:11;ADB;Alpendampfbahn AG;Zug;9001;S9;;S;false;false;8500006;Endlikon;15.07.2025 08:40;;UNBEKANNT;;;;false
15.07.2025;85:11:23:002;85:11;ADB;Alpendampfbahn AG;Zug;23;IC5;;IC;false;true;8500001;Anfangen;;;;15.07.2025 09:00;;;false
15.07.2025;85:870:1:003;85:870;VBA;Verkehrsbetriebe Anfangen;Tram;85:870:3;3;7;T;true;false;8500011;Anfangen, Markt;;;;15.07.2025 23:58;15.07.2025 23:57:50;REAL;false
15.07.2025;85:870:1:003;85:870;VBA;Verkehrsbetriebe Anfangen;Tram;85:870:3;3;7;T;true;false;8500012;Anfangen, Depot;16.07.2025 00:04;16.07.2025 00:04:20;REAL;;;;false
15.07.2025;85:773:5:004;85:773;;;BUS;85:773:40;40;;B;false;false;8500021;Dorf;;;;15.07.2025 10:00;;;false
`;

const toFile = (rows: string) => `${HEAD}\n${rows.trim()}\n`.replaceAll('\n', '\r\n');

async function bringIn(bytes: string | Uint8Array) {
  const dataDir = await archiveFolder();
  const file = await writeArchive(dataDir, '2025-07-15_istdaten.csv', bytes);
  await importFile({ dataDir, file, mapping: 'swiss_ist_daten' });
  const rows = await queryStopEvents(
    dataDir,
    'swiss',
    `select line_label, product, position, stop_name, event, make_timestamp(epoch_us(scheduled_time))::varchar as scheduled, evidence,
       delay_seconds as delay, forecast_delay_seconds as forecast,
       if(event = 'departure', departure_is_cancelled, arrival_is_cancelled) as is_cancelled, is_added
     from stop_events order by trip_id, position`,
  );
  const manifest = await findStopEventManifest(dataDir, toSourceId('swiss'), '2025-07-15' as ServiceDate);
  return { rows: rows.map((row) => Object.values(row)), manifest, dataDir };
}

it('a day of Swiss Ist-Daten becomes stop events', async () => {
  const { rows, manifest } = await bringIn(toFile(ROWS));
  const day = '2025-07-15';
  expect(rows).toEqual([
    ['IC5', 'train', 0, 'Anfangen', 'departure', `${day} 07:00:00`, 'unknown', null, null, true, false],
    ['S9', 'sBahn', 0, 'Anfangen', 'departure', `${day} 06:00:00`, 'observed_actual', 30, null, false, false],
    ['S9', 'sBahn', 1, 'Mittelhausen', 'arrival', `${day} 06:10:00`, 'observed_actual', 329, null, false, false],
    ['S9', 'sBahn', 2, 'Übergang', 'arrival', `${day} 06:20:00`, 'forecast', null, 360, false, false],
    ['S9', 'sBahn', 3, 'Schätzingen', 'arrival', `${day} 06:30:00`, 'forecast', null, 180, false, false],
    ['S9', 'sBahn', 4, 'Endlikon', 'arrival', `${day} 06:40:00`, 'unknown', null, null, false, false],
    ['40', 'cityBus', 0, 'Dorf', 'departure', `${day} 08:00:00`, 'unknown', null, null, false, false],
    ['3', 'tram', 0, 'Anfangen, Markt', 'departure', `${day} 21:58:00`, 'observed_actual', -10, null, false, true],
    ['3', 'tram', 1, 'Anfangen, Depot', 'arrival', `${day} 22:04:00`, 'observed_actual', 20, null, false, true],
  ]);
  expect(manifest).toMatchObject({
    rowsIn: 10,
    rows: 9,
    refused: { pass_through: 1 },
    counts: { scheduled: 7, observed: 2, forecast: 2, cancelled: 1, added: 2 },
  });
});

it('its operators have the names of the publisher', async () => {
  const { dataDir } = await bringIn(toFile(ROWS));
  const rows = await queryStopEvents(dataDir, 'swiss', 'select distinct operator from stop_events order by all');
  expect(rows.map(({ operator }) => operator)).toEqual(['Alpendampfbahn AG', 'Verkehrsbetriebe Anfangen', null]);
});

it('an older file in Latin-1 gives the same rows', async () => {
  const text = toFile(ROWS);
  expect((await bringIn(Buffer.from(text, 'latin1'))).rows).toEqual((await bringIn(text)).rows);
});

it('a time that occurs twice when the clocks go back is the one closer to the schedule', async () => {
  const night = ROWS.trim()
    .split('\n')[1]!
    .replace('15.07.2025 08:00;15.07.2025 08:00:30', '26.10.2025 01:58;26.10.2025 02:01:00')
    .replace('15.07.2025', '25.10.2025');
  const dataDir = await archiveFolder();
  const file = await writeArchive(dataDir, 'night.csv', toFile(night));
  await importFile({ dataDir, file, mapping: 'swiss_ist_daten' });
  const rows = await queryStopEvents(
    dataDir,
    'swiss',
    'select make_timestamp(epoch_us(scheduled_time))::varchar as scheduled, delay_seconds, utc_offset_minutes from stop_events',
  );
  expect(rows).toEqual([{ scheduled: '2025-10-25 23:58:00', delay_seconds: 180, utc_offset_minutes: 120 }]);
});
