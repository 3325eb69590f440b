import type { SampleRow, SampleTable } from './csv.ts';
import { throughRunning } from './trips-table.ts';

const columns = [
  'from_stop_id',
  'to_stop_id',
  'transfer_type',
  'min_transfer_time',
  'from_route_id',
  'to_route_id',
  'from_trip_id',
  'to_trip_id',
] as const;

/** How long a change takes in the big stations, in seconds. */
const stationChangeSeconds = {
  'at:49:1349': 300,
  'at:49:1040': 240,
  'at:49:743': 240,
  'at:49:1468': 360,
  'at:49:1015': 240,
  'at:49:657': 180,
  'at:45:salzburg': 300,
  'at:44:linz': 240,
  'at:46:graz': 240,
  'at:47:innsbruck': 240,
  'at:43:st-poelten': 180,
} as const;

/** @param trips rows of trips.txt, for the pairs of trips that share their coaches */
export function buildTransfersTable(trips: SampleTable): SampleTable {
  const rows: SampleRow[] = Object.entries(stationChangeSeconds).map(([id, seconds]) =>
    stopTransfer(id, id, 2, seconds),
  );
  // A recommended place to change, without a time of its own.
  rows.push(stopTransfer('at:49:1320', 'at:49:506', 0, ''));
  // The local train to Hallstatt waits for the one from Vienna.
  rows.push(['at:44:attnang', 'at:44:attnang', 1, '', 'rjx-salzburg', 'rex-salzkammergut', '', '']);
  // Near on the map, but the railway and the lake shore lie between: nobody changes here.
  rows.push(stopTransfer('at:48:bregenz-pfaenderbahn', 'at:48:bregenz-hafen', 3, ''));
  rows.push(...inSeatTransfers(trips));
  // The same train turns at Franz-Josefs-Bahnhof, and everybody has to leave it for cleaning.
  rows.push(['at:49:345', 'at:49:345', 5, '', '', '', 'rex-krems-1-daily-1', 'rex-krems-0-daily-3']);
  return { header: columns, rows };
}

function stopTransfer(from: string, to: string, type: number, seconds: number | ''): SampleRow {
  return [from, to, type, seconds, '', '', '', ''];
}

function inSeatTransfers(trips: SampleTable): SampleRow[] {
  const tripColumn = trips.header.indexOf('trip_id');
  const tripIds = new Set(trips.rows.map((row) => row[tripColumn]!));
  const prefix = `${throughRunning.from}-0-`;
  return [...tripIds].flatMap((from) => {
    const to = String(from).replace(prefix, `${throughRunning.to}-0-`);
    const isPair = String(from).startsWith(prefix) && tripIds.has(to);
    return isPair ? [['at:49:1349', 'at:49:1349', 4, '', '', '', from, to]] : [];
  });
}
