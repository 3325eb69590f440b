import { METRO_STATIONS, parseMetroStations } from '../../model/metro-stations.ts';
import { defineSource } from '../define-source.ts';
import { address, flag, isFilledList, isText, isWhole, option, optional, optionsSchema } from '../option-schemas.ts';

const isDivaNumber = (value: unknown) =>
  isWhole(value, 10_000_000, 99_999_999) || (isText(value) && /^\d{8}$/.test(value));

const divaNumbers = (about: string) =>
  option<readonly number[]>(
    about,
    'a list of DIVA numbers',
    (value) => isFilledList(value, isDivaNumber),
    (list: readonly (string | number)[]) => list.map(Number),
  );

export const wienerLinien = defineSource({
  kind: 'wiener-linien',
  archive: 'full',
  options: optionsSchema({
    url: optional(address("Another server than the publisher's.")),
    stations: optional(divaNumbers('Stations whose departures are requested; default: all underground stations.')),
    trafficInfo: optional(flag('Whether to request disruptions, works and lifts out of service.'), true),
    stopPoints: optional(
      address('The register of platforms (`haltepunkte.csv`), by which notices find the stops of trams and buses.'),
    ),
    news: optional(flag('Asks for planned works and the service of lifts.'), true),
  }),
  areas: ({ trafficInfo, news }) => (trafficInfo || news ? ['departures', 'disruptions'] : ['departures']),
  areasByPart: {
    monitor: 'departures',
    'stop-points': 'disruptions',
    'traffic-info': 'disruptions',
    news: 'disruptions',
  },
  create: async ({ options, ...setup }, { readLookup }) => {
    const { createWienerLinienSource } = await import('./wiener-linien-source.ts');
    const { url, trafficInfo, news, stopPoints } = options;
    const stations = options.stations ?? parseMetroStations(await readLookup(METRO_STATIONS)).map(({ diva }) => diva);
    return createWienerLinienSource({
      ...setup,
      stations,
      trafficInfo,
      news,
      stopPoints,
      ...(url === null ? {} : { baseUrl: url }),
    });
  },
});
