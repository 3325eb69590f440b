import type { S3Client } from '@aws-sdk/client-s3';
import type { ConcurrencyLimiter } from '../concurrency.ts';
import { ExternalError } from '../external-error.ts';
import type { StoreCounts, StoreSettings, WriteCondition } from './object-store.ts';
import type { StoreCallAttempt } from './retry-call.ts';

type Sdk = typeof import('@aws-sdk/client-s3');

/** What the calls of one store share. */
export interface S3Context {
  readonly client: S3Client;
  readonly sdk: Sdk;
  readonly bucket: string;
  readonly prefix: string;
  readonly settings: StoreSettings;
  readonly counts: { -readonly [Name in keyof StoreCounts]: StoreCounts[Name] };
  /** For parts of all uploads together: each is in memory. */
  readonly partSlots: ConcurrencyLimiter;
  /** Runs one request with retries. @param what its method and key */
  call<Result>(what: string, attempt: StoreCallAttempt<Result>, signal?: AbortSignal): Promise<Result>;
}

/** Fields of a request that state a condition. */
export function conditionFields(condition: WriteCondition): { IfNoneMatch?: string; IfMatch?: string } {
  if (condition === null) return {};
  return condition === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: condition.etag };
}

export interface Upload {
  readonly key: string;
  readonly file: string;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly condition: WriteCondition;
}

/** The bytes that were read must be those that were looked at. @throws ExternalError `file_changed` */
export function assertContent({ file, sha256 }: Upload, found: string): void {
  if (found === sha256) return;
  throw new ExternalError('file_changed', `${file} changed while it was published`, { isRetryable: true });
}
