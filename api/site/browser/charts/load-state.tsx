import { chartTexts } from '../../texts/charts.ts';
import { describeFailure } from '../../texts/failures.ts';
import type { ApiError } from '../fetch/fetch-json.ts';
import { pageLanguage } from '../page/language.ts';

const language = pageLanguage();
const texts = chartTexts[language];

interface LoadStateProps {
  readonly isLoading: boolean;
  readonly error: ApiError | null;
}

/** Announces to screen readers that numbers are loading, and shows why loading failed. */
export function LoadState({ isLoading, error }: LoadStateProps) {
  return (
    <>
      <div role="status" class="visually-hidden">
        {isLoading ? texts.loading : ''}
      </div>
      {error && (
        <p class="failed" role="alert">
          {describeFailure(error.code, language)}
        </p>
      )}
    </>
  );
}
