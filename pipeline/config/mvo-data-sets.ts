/** A timetable of the data platform of the Mobilitätsverbünde. */
interface MvoDataSet {
  readonly id: number;
  readonly name: string;
  /** The same timetable without on-demand service, of which this one is a superset; null if none is known. */
  readonly plainTwin: number | null;
}

/**
 * The data sets that together are the timetable of Austria. The platform may renumber them.
 * @see data.mobilitaetsverbuende.at, list of data sets with the tag "GTFS", as of August 2026
 */
export const mvoDataSets: readonly MvoDataSet[] = [
  { id: 66, name: 'Railway', plainTwin: null },
  { id: 80, name: 'Eastern Region (VOR), Flex', plainTwin: null },
  { id: 79, name: 'Styria, Flex', plainTwin: 53 },
  { id: 78, name: 'Carinthia, Flex', plainTwin: null },
  { id: 77, name: 'Upper Austria, Flex', plainTwin: 56 },
  { id: 75, name: 'Vorarlberg, Flex', plainTwin: null },
  { id: 73, name: 'Salzburg, Flex', plainTwin: 54 },
  { id: 57, name: 'Tyrol', plainTwin: null },
  { id: 69, name: 'Linz AG', plainTwin: null },
];

/** Names and terms of the platform, which the entries of its data sets need not repeat. */
export const mvoCredits = {
  attribution: 'Datenquelle: Mobilitätsverbünde Österreich OG',
  licence: 'Datenlizenz Mobilitätsverbünde Österreich v1.1',
} as const;
