import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { projectPath, readProjectFile } from '../../effects/project-files.ts';
import type { Product } from '../../model/product.ts';
import { readDelayModel } from '../learning/model-store.ts';
import type { KnownMisses } from '../model/adaptive-forecasts.ts';
import type { DelayModel } from '../model/delay-model.ts';

/** Folder of the priors; its README names their archives. */
export const PRIORS = 'data/lookups/delay-priors';

/** Models that were learnt elsewhere. */
export const priorNames = ['rail', 'street'] as const;
export type PriorName = (typeof priorNames)[number];

/** Products whose delays develop alike, and are learnt together. */
const productGroups = ['rail', 'metro', 'tram', 'bus', 'other'] as const;
export type ProductGroup = (typeof productGroups)[number];

/**
 * The prior of a group, and how far it is trusted before the first outcomes; the rest is persistence. There is no public
 * archive of metros and trams among ours: they borrow one.
 */
export const priorOf: Readonly<Record<ProductGroup, { readonly name: PriorName; readonly weight: number }>> = {
  rail: { name: 'rail', weight: 1 },
  metro: { name: 'rail', weight: 0.25 },
  tram: { name: 'street', weight: 0.5 },
  bus: { name: 'street', weight: 1 },
  other: { name: 'street', weight: 0 },
};

const groupOf: Readonly<Record<Product, ProductGroup>> = {
  train: 'rail',
  regionalTrain: 'rail',
  sBahn: 'rail',
  subway: 'metro',
  tram: 'tram',
  cityBus: 'bus',
  regionalBus: 'bus',
  nightBus: 'bus',
  cableway: 'other',
  ship: 'other',
  other: 'other',
};

/** @param product null where a record lacks it */
export function findProductGroup(product: Product | null): ProductGroup {
  return product === null ? 'other' : groupOf[product];
}

/** What a prior was learnt from, as `priors.json` names it. */
export interface PriorFacts {
  readonly archive: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly pairs: number;
  readonly misses: KnownMisses;
}

/** A model of delays that was learnt on archives of other sources, as if on the first days of each. */
export interface Prior extends PriorFacts {
  readonly name: PriorName;
  readonly model: DelayModel;
}

export interface DelayPriors {
  /** Changes with any of them. */
  readonly id: string;
  readonly byName: ReadonlyMap<PriorName, Prior>;
}

/** Name of the priors, and the last day on which any of them was trained, for status pages. */
export async function readPriorState(): Promise<{ readonly model: string; readonly lastDay: string }> {
  const { id, byName } = await readPriors();
  const lastDay = [...byName.values()].reduce((last, prior) => (prior.lastDay > last ? prior.lastDay : last), '');
  return { model: id, lastDay };
}

/** Reads the priors that are part of the project. */
export async function readPriors(): Promise<DelayPriors> {
  const facts = JSON.parse(await readProjectFile(`${PRIORS}/priors.json`)) as Record<PriorName, PriorFacts>;
  const hash = createHash('sha256');
  const byName = new Map<PriorName, Prior>();
  for (const name of priorNames) {
    const bytes = await readFile(projectPath(`${PRIORS}/${name}.bin`));
    hash.update(bytes).update(JSON.stringify(facts[name]));
    byName.set(name, { ...facts[name], name, model: readDelayModel(bytes) });
  }
  return { id: `prior-${hash.digest('hex').slice(0, 8)}`, byName };
}
