/** Which of the related standards is used, and in which version. */
export type TriasDialect =
  | { readonly kind: 'trias'; readonly version: '1.1' | '1.2' }
  | { readonly kind: 'ojp'; readonly version: '1.0' | '2.0' };

/** Element names of a dialect, with namespace prefix. */
export interface DialectNames {
  readonly namespaces: Readonly<Record<string, string>>;
  readonly root: string;
  /** Prefix of the standard's own elements. */
  readonly own: string;
  /** Prefix of elements that the standard takes from SIRI and TRIAS defines itself: references to stops and lines. */
  readonly reference: string;
  readonly bay: 'Bay' | 'Quay';
  readonly order: 'StopSeqNumber' | 'Order';
  readonly lineName: 'PublishedLineName' | 'PublishedServiceName';
  readonly resultId: 'ResultId' | 'Id';
  readonly placeName: 'LocationName' | 'Name';
}

const SIRI = 'http://www.siri.org.uk/siri';
const TRIAS = 'http://www.vdv.de/trias';
const OJP = 'http://www.vdv.de/ojp';

const triasNames: DialectNames = {
  namespaces: { 'xmlns:siri': SIRI, 'xmlns:trias': TRIAS },
  root: 'trias:Trias',
  own: 'trias:',
  reference: 'trias:',
  bay: 'Bay',
  order: 'StopSeqNumber',
  lineName: 'PublishedLineName',
  resultId: 'ResultId',
  placeName: 'LocationName',
};

const ojp1Names: DialectNames = {
  ...triasNames,
  namespaces: { 'xmlns:siri': SIRI, 'xmlns:ojp': OJP },
  root: 'siri:OJP',
  own: 'ojp:',
  reference: 'siri:',
  order: 'Order',
};

const ojp2Names: DialectNames = {
  ...ojp1Names,
  namespaces: { xmlns: OJP, 'xmlns:siri': SIRI },
  root: 'OJP',
  own: '',
  bay: 'Quay',
  lineName: 'PublishedServiceName',
  resultId: 'Id',
  placeName: 'Name',
};

/** @see VDV 431-2 (TRIAS 1.2); CEN/TS 17118 (OJP 1.0, 2.0) */
export function namesOf(dialect: TriasDialect): DialectNames {
  if (dialect.kind === 'trias') return triasNames;
  return dialect.version === '1.0' ? ojp1Names : ojp2Names;
}
