/** A setting's former name, which is still read, with a warning. */
export interface FormerName {
  /** Dotted key in the file. */
  readonly key: string;
  readonly environment: string;
  /** The key of today. */
  readonly current: string;
}

/** Settings that version 1.0 renamed. Version 2 may remove them. */
export const formerNames: readonly FormerName[] = [
  {
    key: 'trino.questionTimeLimitSeconds',
    environment: 'TAKTGEBER_TRINO_QUESTION_TIME_LIMIT_SECONDS',
    current: 'trino.queryTimeLimitSeconds',
  },
  { key: 'predictions.paused', environment: 'TAKTGEBER_PREDICTIONS_PAUSED', current: 'predictions.isPaused' },
  {
    key: 'operations.isAlone',
    environment: 'TAKTGEBER_OPERATIONS_IS_ALONE',
    current: 'operations.isSingleMachine',
  },
];
