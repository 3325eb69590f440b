import process from 'node:process';
import type { S3Client } from '@aws-sdk/client-s3';
import { ExternalError } from '../external-error.ts';
import type { StoreSettings } from './object-store.ts';

/** A bucket and the folder in it. */
interface ObjectStoreLocation {
  readonly bucket: string;
  /** Ends with a slash, unless it is empty. */
  readonly prefix: string;
}

/** @throws ExternalError `store_missing` if it is not the address of a bucket; settings are checked before */
export function parseStoreUrl(url: string): ObjectStoreLocation {
  const [, bucket, folder = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(url) ?? [];
  if (!bucket) throw new ExternalError('store_missing', `${url} names no bucket: it must be s3://bucket/prefix`);
  const prefix = folder.replace(/\/+$/, '');
  return { bucket, prefix: prefix === '' ? '' : `${prefix}/` };
}

/** More than callers use: contents, parts of them, and one request for each tree that is followed. */
const MAX_CONNECTIONS = 512;

/**
 * Handed to the usual chain of credentials: otherwise it reads its files once per process, and what another tool has
 * renewed in them stays unknown until the process is restarted.
 */
const RENEWABLE: object = { ignoreCache: true };

/**
 * Makes the client, which is loaded here: without a store it is not part of the process. It never retries by itself,
 * and sends only the given checksums: stores other than Amazon's do not support the newer ones.
 */
export async function createS3Client(settings: StoreSettings): Promise<{
  readonly client: S3Client;
  readonly sdk: typeof import('@aws-sdk/client-s3');
  /** Reloads the credentials; null: they are settings. */
  readonly renewCredentials: (() => Promise<void>) | null;
}> {
  // On Node 20 each process would print that later versions need 22; `doctor` says the same of Node itself.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  const sdk = await import('@aws-sdk/client-s3');
  const { accessKeyId, secretAccessKey, sessionToken, endpoint } = settings;
  const isGiven = accessKeyId !== null && secretAccessKey !== null;
  const client = new sdk.S3Client({
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    maxAttempts: 1,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: settings.timeoutSeconds * 1000,
      // Contents have slots; a tree that waited for a connection behind them would be late, or time out.
      httpAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
      httpsAgent: { keepAlive: true, maxSockets: MAX_CONNECTIONS },
    },
    ...(endpoint === null ? {} : { endpoint }),
    ...(isGiven
      ? { credentials: { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) } }
      : RENEWABLE),
  });
  const { credentials } = client.config;
  return {
    client,
    sdk,
    renewCredentials: isGiven ? null : async () => void (await credentials({ forceRefresh: true })),
  };
}
