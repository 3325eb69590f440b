/** A station of a sharing system on the map. */
export interface SharingStationStock {
  readonly id: string;
  readonly name: string;
  /** Name of the system. */
  readonly system: string;
  readonly lat: number;
  readonly lon: number;
  /** Bicycles that can be rented now. */
  readonly bikes: number;
  /** Bicycles that can be returned now; null: any number. */
  readonly docks: number | null;
  /** Web page of the station, or of the system; null if there is none. */
  readonly url: string | null;
}

/** `GET /site/data/sharing`: the stations in a section of the map, without those whose stock is too old. */
export interface SharingSection {
  readonly stations: readonly SharingStationStock[];
  /** Whether stations were left out because there are too many. */
  readonly isPartial: boolean;
}
