import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { projectPath, readProjectFile } from '../../effects/project-files.ts';
import type { Product } from '../../model/product.ts';
import { readDelayModel } from '../learning/model-store.ts';
import type { KnownMisses } from '../model/adaptive-forecasts.ts';
import type { DelayModel } from '../model/delay-model.ts';

/** Folder of the priors; its README names their archives. */
export const PRIORS = 'data/lookups/delay-priors';

/** Delay models of the project, each trained on an archive of another source. */
export const priorNames = ['rail', 'street'] as const;
export type PriorName = (typeof priorNames)[number];

/** Groups of products with similar delays; each has separate weights and calibration. */
const productGroups = ['rail', 'metro', 'tram', 'bus', 'other'] as const;
export type ProductGroup = (typeof productGroups)[number];

/**
 * Prior of each group of products, and its weight before the first outcome; persistence has the rest. Metros and trams
 * use the prior of a similar product with less weight, because no archive of metros or trams was available.
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

/** Training data of a prior and the misses of its intervals, as in `priors.json`. */
export interface PriorFacts {
  readonly archive: string;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly pairs: number;
  readonly misses: KnownMisses;
}

/** A delay model trained on archives of other sources, as if each had only begun to record. */
export interface Prior extends PriorFacts {
  readonly name: PriorName;
  readonly model: DelayModel;
}

export interface DelayPriors {
  /** Differs if any prior differs. */
  readonly id: string;
  readonly byName: ReadonlyMap<PriorName, Prior>;
}

/** Id of the priors, and the last day of their training data, for status pages. */
export async function readPriorState(): Promise<{ readonly model: string; readonly lastDay: string }> {
  const { id, byName } = await readPriors();
  const lastDay = [...byName.values()].reduce((last, prior) => (prior.lastDay > last ? prior.lastDay : last), '');
  return { model: id, lastDay };
}

/** Reads the priors of the project. */
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
