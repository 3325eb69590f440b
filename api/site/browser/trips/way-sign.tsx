import { type LegMode, legWays } from '../../view-model/leg-ways.ts';

/** Icon of a leg on foot, by bicycle or by car. */
export function WaySign({ mode }: { readonly mode: LegMode }) {
  return (
    <svg class="sign" viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
      <path d={legWays[mode].sign} />
    </svg>
  );
}
