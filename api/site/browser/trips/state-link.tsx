import type { ComponentChildren } from 'preact';
import { type TripsState, writeState } from '../../view-model/trips-state.ts';
import { changeQuery } from '../page/use-query.ts';

export type GoTo = (state: TripsState) => void;

interface StateLinkProps {
  readonly state: TripsState;
  readonly goTo: GoTo;
  readonly class?: string;
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
}

/** A link to a state of the page, which can also be opened in a new tab, copied or bookmarked. */
export function StateLink({ state, goTo, isCurrent = false, children, ...rest }: StateLinkProps) {
  return (
    <a
      class={rest.class}
      href={changeQuery(location.href, writeState(state))}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        goTo(state);
      }}
    >
      {children}
    </a>
  );
}
