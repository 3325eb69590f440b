/** Parts of the service that `/v1/status` rates. */
export const componentIds = [
  'departures',
  'routePlanning',
  'map',
  'disruptions',
  'punctuality',
  'vehiclePositions',
  'livePredictions',
] as const;
export type ComponentId = (typeof componentIds)[number];
