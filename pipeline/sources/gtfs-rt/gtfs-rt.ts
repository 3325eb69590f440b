import { defineSource } from '../define-source.ts';
import { addresses, flag, optional, optionsSchema, timeZone, wholeNumber } from '../option-schemas.ts';

export const gtfsRt = defineSource({
  kind: 'gtfs-rt',
  archive: 'full',
  options: optionsSchema(
    {
      tripUpdates: optional(addresses('Where trip updates are; at least one of the three is needed.'), []),
      vehiclePositions: optional(addresses('Where vehicle positions are.'), []),
      alerts: optional(addresses('Where alerts are.'), []),
      alertsIntervalSeconds: optional(
        wholeNumber('Interval of a request for alerts; without it `intervalSeconds`, but no less than 60.', 1, 86_400),
      ),
      zone: optional(timeZone('Time zone of the timetable that its trips refer to.'), 'Europe/Vienna'),
      measuredStopEvents: optional(flag('The publisher documents that stop events in the past are measured.'), false),
    },
    { atLeastOneOf: ['tripUpdates', 'vehiclePositions', 'alerts'] },
  ),
  areas: ({ tripUpdates, vehiclePositions, alerts }) => [
    ...(tripUpdates.length > 0 ? (['departures'] as const) : []),
    ...(vehiclePositions.length > 0 ? (['vehiclePositions'] as const) : []),
    ...(alerts.length > 0 ? (['disruptions'] as const) : []),
  ],
  areasByPart: { 'trip-updates': 'departures', 'vehicle-positions': 'vehiclePositions', alerts: 'disruptions' },
  create: async ({ options, ...setup }) => {
    const { createGtfsRtSource } = await import('./gtfs-rt-source.ts');
    return createGtfsRtSource({ ...setup, ...options });
  },
});
