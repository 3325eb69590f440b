import { mapPageTexts } from '../../texts/map.ts';
import { legWays } from '../../view-model/leg-ways.ts';
import { type ProductChoice, productGroups, toggleGroup } from '../../view-model/product-groups.ts';
import { productPaths } from '../../view-model/product-paths.ts';
import { pageLanguage } from '../page/language.ts';

interface ProductFilterProps {
  /** Groups of the timetable, and shared bicycles where there are some; with fewer than two there is nothing to choose. */
  readonly present: readonly ProductChoice[];
  /** Empty: all. */
  readonly chosen: readonly ProductChoice[];
  /** Receives the value of `products` in the address; null: all. */
  readonly onChange: (value: string | null) => void;
}

/** Buttons that limit the map to kinds of vehicles. */
export function ProductFilter({ present, chosen, onChange }: ProductFilterProps) {
  const { filter, groups } = mapPageTexts[pageLanguage()];
  if (present.length < 2) return null;
  return (
    <ul class="product-filter" aria-label={filter}>
      {present.map((group) => (
        <li key={group}>
          <button
            type="button"
            aria-pressed={chosen.includes(group)}
            onClick={() => onChange(toggleGroup(chosen, group, present))}
          >
            <svg class="product-icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
              <path d={group === 'sharing' ? legWays.bike.sign : productPaths[productGroups[group][0]]} />
            </svg>
            {groups[group]}
          </button>
        </li>
      ))}
    </ul>
  );
}
