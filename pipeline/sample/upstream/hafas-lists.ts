import type { Product } from '../../model/product.ts';
import type { SimulatedTrip } from '../simulator/simulated-state.ts';
import { toCoordinates, toHafasNumber } from './hafas-notation.ts';

/** Product bits of Verkehrsauskunft Österreich, and the category shown on boards. */
const productClasses: Readonly<Record<Product, { readonly cls: number; readonly category: string }>> = {
  train: { cls: 1, category: 'RJX' },
  regionalTrain: { cls: 1, category: 'REX' },
  sBahn: { cls: 2, category: 'S' },
  subway: { cls: 4, category: 'U' },
  tram: { cls: 16, category: 'Tram' },
  regionalBus: { cls: 64, category: 'Bus' },
  cityBus: { cls: 128, category: 'Bus' },
  nightBus: { cls: 128, category: 'N-Bus' },
  cableway: { cls: 256, category: 'SB' },
  ship: { cls: 512, category: 'Schiff' },
  other: { cls: 1024, category: 'AST' },
};

interface MgatePlace {
  readonly id: string;
  readonly name: string;
  readonly lat: number | null;
  readonly lon: number | null;
}

/** `res.common` under construction: each item is stored once and referred to by index. */
export interface MgateCommon {
  readonly lists: Readonly<
    Record<'locL' | 'prodL' | 'opL' | 'remL' | 'himL' | 'himMsgEdgeL' | 'himMsgEventL', object[]>
  >;
  addPlace(place: MgatePlace): number;
  addLine(line: { readonly label: string; readonly operatorName: string | null }): number;
  addTripLine(trip: SimulatedTrip): number;
  /** A note. */
  addHint(hint: { readonly type: string; readonly code: string; readonly txtN: string }): number;
  addMessage(id: string, build: () => object): number;
}

export function createMgateCommon(): MgateCommon {
  const lists = {
    locL: [],
    prodL: [],
    opL: [],
    remL: [],
    himL: [],
    himMsgEdgeL: [],
    himMsgEventL: [],
  } as MgateCommon['lists'];
  const positions = new Map<string, number>();
  const add = (list: keyof MgateCommon['lists'], key: string, build: () => object): number => {
    const known = positions.get(`${list} ${key}`);
    if (known !== undefined) return known;
    const built = build();
    positions.set(`${list} ${key}`, lists[list].length);
    return lists[list].push(built) - 1;
  };
  const addOperator = (name: string) => add('opL', name, () => ({ name }));
  return {
    lists,
    addPlace: (place) => add('locL', place.id, () => buildPlace(place)),
    addLine: ({ label, operatorName }) =>
      add('prodL', `line ${label} ${operatorName}`, () => ({
        name: label,
        ...(operatorName === null ? {} : { oprX: addOperator(operatorName) }),
      })),
    addTripLine: (trip) =>
      add('prodL', `trip ${nameOf(trip)} ${trip.routeId}`, () => buildTripLine(trip, addOperator(trip.operatorName))),
    addHint: (hint) => add('remL', `${hint.code} ${hint.txtN}`, () => hint),
    addMessage: (id, build) => add('himL', id, build),
  };
}

function buildPlace({ id, name, lat, lon }: MgatePlace): object {
  const number = toHafasNumber(id);
  const crd = lat === null || lon === null ? null : toCoordinates(lat, lon);
  const at = crd === null ? '' : `@X=${crd.x}@Y=${crd.y}`;
  return { lid: `A=1@O=${name}${at}@L=${number}@`, type: 'S', name, extId: number, ...(crd && { crd }) };
}

/** Trains with a number are named by category and number: `RJX 162`. */
function nameOf({ product, shortName, lineLabel }: SimulatedTrip): string {
  return product === 'train' && shortName !== null ? shortName : lineLabel;
}

function buildTripLine(trip: SimulatedTrip, oprX: number): object {
  const { cls, category } = productClasses[trip.product];
  const number = /\d+$/.exec(trip.shortName ?? '')?.[0];
  return {
    name: nameOf(trip),
    cls,
    oprX,
    prodCtx: {
      name: nameOf(trip),
      line: nameOf(trip),
      ...(number === undefined ? {} : { num: number }),
      catOut: category,
      lineId: trip.routeId,
    },
  };
}
