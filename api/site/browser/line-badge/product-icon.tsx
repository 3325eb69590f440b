import type { Line } from '../../../contract/v2-basics.ts';
import { boardTexts } from '../../texts/boards.ts';
import { productPaths } from '../../view-model/product-paths.ts';
import { pageLanguage } from '../page/language.ts';

/** Icon of the kind of vehicle; screen readers read its name. */
export function ProductIcon({ product }: Pick<Line, 'product'>) {
  const name = boardTexts[pageLanguage()].products[product];
  return (
    <svg class="product-icon" viewBox="0 0 24 24" width="20" height="20" role="img" aria-label={name}>
      <title>{name}</title>
      <path d={productPaths[product]} />
    </svg>
  );
}
