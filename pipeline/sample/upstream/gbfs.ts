import { formatUtc, type Instant } from '../../model/service-time.ts';
import type { SampleLookups } from '../feed/lookups.ts';
import { buildSampleStops } from '../feed/stops-table.ts';
import { type BikeStation, listBikeStations, simulateBikeStock } from '../simulator/bike-sharing.ts';
import { type AnswerSource, textAnswer } from './answer-source.ts';

/** Folder of the files; `gbfs.json` lists the others. */
export const SHARING_PATH = '/gbfs';

const VEHICLE_TYPE = 'bike';
/** Interval at which the stock is published. */
const STOCK_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** A file of the system, without its envelope. */
interface SharingFile {
  readonly ttlSeconds: number;
  build(stations: readonly BikeStation[], updated: Instant): object;
}

const files: Readonly<Record<string, SharingFile>> = {
  system_information: { ttlSeconds: DAY_SECONDS, build: describeSystem },
  vehicle_types: { ttlSeconds: DAY_SECONDS, build: describeTypes },
  station_information: { ttlSeconds: DAY_SECONDS, build: describeStations },
  station_status: { ttlSeconds: STOCK_SECONDS, build: describeStock },
};

/** The made-up sharing system, as a publisher of GBFS 3.0. */
export function sharingAnswers(lookups: SampleLookups): AnswerSource {
  const stations = listBikeStations(lookups, buildSampleStops(lookups).hubs);
  return ({ method, path, host }, { at }) => {
    const updated = (at - (at % STOCK_SECONDS)) as Instant;
    const name = method === 'GET' ? new RegExp(`^${SHARING_PATH}/(\\w+)\\.json$`).exec(path)?.[1] : undefined;
    if (name === undefined) return null;
    if (name === 'gbfs') return publish(listFiles(host), updated, DAY_SECONDS);
    const file = Object.hasOwn(files, name) ? files[name] : undefined;
    return file ? publish(file.build(stations, updated), updated, file.ttlSeconds) : null;
  };
}

function publish(data: object, updated: Instant, ttlSeconds: number) {
  const envelope = { last_updated: formatUtc(updated * 1000), ttl: ttlSeconds, version: '3.0', data };
  return textAnswer(200, 'application/json; charset=utf-8', JSON.stringify(envelope));
}

function listFiles(host: string): object {
  return { feeds: Object.keys(files).map((name) => ({ name, url: `http://${host}${SHARING_PATH}/${name}.json` })) };
}

const inGerman = (text: string) => [{ text, language: 'de' }];

function describeSystem(): object {
  return {
    system_id: 'musterrad',
    languages: ['de'],
    name: inGerman('Musterrad'),
    opening_hours: '24/7',
    url: 'https://example.org/taktgeber-sample/rad',
    feed_contact_email: 'nobody@example.org',
    timezone: 'Europe/Vienna',
  };
}

function describeTypes(): object {
  return {
    vehicle_types: [
      {
        vehicle_type_id: VEHICLE_TYPE,
        form_factor: 'bicycle',
        propulsion_type: 'human',
        return_constraint: 'any_station',
      },
    ],
  };
}

function describeStations(stations: readonly BikeStation[]): object {
  return {
    stations: stations.map(({ id, name, lat, lon, capacity, url }) => ({
      station_id: id,
      name: inGerman(name),
      lat: Number(lat.toFixed(6)),
      lon: Number(lon.toFixed(6)),
      capacity,
      rental_uris: { web: url },
    })),
  };
}

function describeStock(stations: readonly BikeStation[], updated: Instant): object {
  return {
    stations: stations.map((station) => {
      const { bikes, docks, isClosed } = simulateBikeStock(station, updated);
      return {
        station_id: station.id,
        num_vehicles_available: bikes,
        vehicle_types_available: [{ vehicle_type_id: VEHICLE_TYPE, count: bikes }],
        num_docks_available: docks,
        is_installed: true,
        is_renting: !isClosed,
        is_returning: !isClosed,
        last_reported: formatUtc(updated * 1000),
      };
    }),
  };
}
