import type { TimetableTables } from '../contract.ts';
import { promise } from './promise.ts';

/**
 * Asserts what is looked up in fares by row, or by halving.
 * @throws Error naming the first promise that is broken
 */
export function checkFares(tables: TimetableTables): void {
  const { fareClasses, fareRules, fareLegRules, fareJoinRules, fareTransferRules } = tables;
  promise(tables.fareStops.zone.length === tables.stops.source.length, 'every stop has its row of fares');
  promise(tables.fareRoutes.network.length === tables.routes.source.length, 'every route has its row of fares');
  promise(
    fareRules.fareClass.every((row) => row < fareClasses.feed.length),
    'every fare rule has a class',
  );
  const sorted: Readonly<Record<string, readonly ArrayLike<number>[]>> = {
    fareClasses: [fareClasses.feed],
    fareRules: [fareRules.feed, fareRules.route, fareRules.origin, fareRules.destination],
    fareTimeframes: [tables.fareTimeframes.timeframe],
    fareProducts: [tables.fareProducts.product],
    fareLegRules: [fareLegRules.feed, fareLegRules.network, fareLegRules.fromArea, fareLegRules.toArea],
    fareJoinRules: [fareJoinRules.feed, fareJoinRules.fromNetwork, fareJoinRules.toNetwork],
    fareTransferRules: [fareTransferRules.feed, fareTransferRules.fromGroup, fareTransferRules.toGroup],
  };
  for (const [table, columns] of Object.entries(sorted)) promise(isSorted(columns), `${table} is sorted`);
}

/** Whether rows are in the order of these columns, the first of them before the others. */
function isSorted(columns: readonly ArrayLike<number>[]): boolean {
  for (let row = 1; row < columns[0]!.length; row++) {
    const different = columns.find((column) => column[row - 1] !== column[row]);
    if (different && different[row - 1]! > different[row]!) return false;
  }
  return true;
}
