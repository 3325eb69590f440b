import { products } from '../../pipeline/model/product.ts';
import type { TimetableTables } from '../../pipeline/snapshots/contract.ts';
import type { Line } from '../contract/definitions.ts';
import { getLineColors } from './line-colors.ts';

/** Routes as the contract's lines, each made when it is first shown: boards show the same few thousands of times. */
export interface Lines {
  /** @param route row of `routes` */
  get(route: number): Line;
}

export function rememberLines(tables: TimetableTables, sourceIds: readonly string[]): Lines {
  const known = new Map<number, Line>();
  return {
    get(route) {
      const line = known.get(route) ?? presentLine(tables, sourceIds, route);
      known.set(route, line);
      return line;
    },
  };
}

function presentLine({ routes, agencies }: TimetableTables, sourceIds: readonly string[], route: number): Line {
  const agency = routes.agency[route]!;
  const operatorName = agency < 0 ? '' : agencies.name.get(agency);
  return {
    label: routes.label.get(route),
    name: routes.longName.get(route),
    product: products[routes.product[route]!]!,
    ...getLineColors(routes.color[route]!, routes.textColor[route]!),
    ...(operatorName === '' ? {} : { operatorName }),
    lineId: `${sourceIds[routes.source[route]!]}:${routes.routeId.get(route)}`,
  };
}
