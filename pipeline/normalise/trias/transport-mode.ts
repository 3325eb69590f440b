import type { RawTrip } from '../../formats/trias/raw-answer.ts';
import type { Product } from '../../model/product.ts';

/** Submodes that say more than the mode does; those of rail that say less are left to the line's name. */
const bySubmode: Readonly<Record<string, Product>> = {
  suburbanRailway: 'sBahn',
  urbanRailway: 'sBahn',
  highSpeedRail: 'train',
  highSpeedRailService: 'train',
  longDistance: 'train',
  longDistanceTrain: 'train',
  interRegionalRail: 'train',
  interRegionalRailService: 'train',
  international: 'train',
  internationalRail: 'train',
  nightRail: 'train',
  nightTrain: 'train',
  sleeperRailService: 'train',
  carTransportRailService: 'train',
  localBus: 'cityBus',
  regionalBus: 'regionalBus',
  expressBus: 'regionalBus',
  postBus: 'regionalBus',
  railReplacementBus: 'regionalBus',
  nightBus: 'nightBus',
};

const byMode: Readonly<Record<string, Product | ((line: string) => Product)>> = {
  rail: railProduct,
  railwayService: railProduct,
  trainService: railProduct,
  intercityRail: 'train',
  urbanRail: 'sBahn',
  suburbanRail: 'sBahn',
  metro: 'subway',
  underground: 'subway',
  tram: 'tram',
  bus: busProduct,
  trolleyBus: 'cityBus',
  coach: 'regionalBus',
  water: 'ship',
  cableway: 'cableway',
  telecabin: 'cableway',
  funicular: 'cableway',
  lift: 'cableway',
  air: 'other',
  taxi: 'other',
};

/**
 * @param line what riders call the line; decides where mode and submode say only "rail" or "bus"
 * @returns null where the publisher names no mode that is known
 * @see SIRI 2.0, modes of transport; VDV 431-2, ModeStructure
 */
export function toProduct(
  { ptMode, submode }: Pick<RawTrip, 'ptMode' | 'submode'>,
  line: string | null,
): Product | null {
  if (submode !== null && Object.hasOwn(bySubmode, submode)) return bySubmode[submode]!;
  if (ptMode === null || !Object.hasOwn(byMode, ptMode)) return null;
  const product = byMode[ptMode]!;
  if (typeof product !== 'function') return product;
  if (product === railProduct && submode === 'regionalRail') return isSBahn(line ?? '') ? 'sBahn' : 'regionalTrain';
  return product(line ?? '');
}

/** S1, S 80, S-Bahn: Austrian, German and Swiss suburban lines. */
function isSBahn(line: string): boolean {
  return /^S ?-?\d|^S-Bahn/i.test(line);
}

function railProduct(line: string): Product {
  if (isSBahn(line)) return 'sBahn';
  return /^(?:R|REX|RE|RB|CJX|RS|ER|IRE|MEX|DR)\s?\d*$/i.test(line) ? 'regionalTrain' : 'train';
}

/** Night lines start with N and a number; Austrian regional lines have three digits and more, city lines fewer. */
function busProduct(line: string): Product {
  if (/^N ?\d/i.test(line)) return 'nightBus';
  return /\d{3}/.test(line) ? 'regionalBus' : 'cityBus';
}
