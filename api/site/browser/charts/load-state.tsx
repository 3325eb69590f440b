import { chartTexts } from '../../texts/charts.ts';
import type { AskError } from '../ask/ask.ts';
import { pageLanguage } from '../page/language.ts';

const texts = chartTexts[pageLanguage()];

interface LoadStateProps {
  readonly isAsking: boolean;
  readonly error: AskError | null;
}

/** That numbers are loaded, for those who do not see them grow pale, and why there are none. */
export function LoadState({ isAsking, error }: LoadStateProps) {
  return (
    <>
      <div role="status" class="visually-hidden">
        {isAsking ? texts.loading : ''}
      </div>
      {error && (
        <p class="failed" role="alert">
          {texts.failed(error.message)}
        </p>
      )}
    </>
  );
}
