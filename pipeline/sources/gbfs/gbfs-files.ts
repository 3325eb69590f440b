/** Part of the request for the file that lists all others. */
export const DISCOVERY = 'discovery';

interface GbfsFile {
  /** The part that is requested. */
  readonly part: string;
  /** Whether it has stock, which changes all the time; the other files change a few times a year. */
  readonly isStock: boolean;
}

/** The files that are read, by their names in the auto-discovery of GBFS 2 and 3. */
export const gbfsFiles: Readonly<Record<string, GbfsFile>> = {
  system_information: { part: 'system-information', isStock: false },
  vehicle_types: { part: 'vehicle-types', isStock: false },
  station_information: { part: 'station-information', isStock: false },
  station_status: { part: 'station-status', isStock: true },
  free_bike_status: { part: 'vehicle-status', isStock: true },
  vehicle_status: { part: 'vehicle-status', isStock: true },
  geofencing_zones: { part: 'geofencing-zones', isStock: false },
};

export function isStockPart(part: string): boolean {
  return Object.values(gbfsFiles).some((file) => file.part === part && file.isStock);
}
