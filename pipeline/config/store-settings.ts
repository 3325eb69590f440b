import { flag, integer, number, text } from './setting.ts';

/** Settings of the object store. */
export const storeSettings = {
  store: {
    url: text({
      environment: 'TAKTGEBER_STORE_URL',
      default: null,
      allowed: 'an address such as "s3://bucket/folder", without a slash at its end',
      pattern: /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[A-Za-z0-9._=-]+)*$/,
      about:
        'Bucket, and folder in it, of an S3-compatible object store: jobs fetch what they read from it and publish what they write; the data folder is then a working copy. Without it everything stays on the disk.',
    }),
    endpoint: text({
      environment: 'TAKTGEBER_STORE_ENDPOINT',
      default: null,
      allowed: 'an http or https address without a slash at its end',
      isAllowed: isServiceAddress,
      about: 'Address of the object store; that of Amazon S3 when not set.',
    }),
    region: text({
      environment: 'TAKTGEBER_STORE_REGION',
      default: 'us-east-1',
      pattern: /^[a-z0-9-]{1,40}$/,
      allowed: 'the name of a region',
      about: 'Region of the bucket; most stores other than Amazon S3 take any.',
    }),
    pathStyle: flag({
      environment: 'TAKTGEBER_STORE_PATH_STYLE',
      default: false,
      about:
        'Whether the bucket is a part of the path rather than of the host name, as most stores other than Amazon S3 need it.',
    }),
    accessKeyId: text({
      environment: 'TAKTGEBER_STORE_ACCESS_KEY_ID',
      default: null,
      about:
        'Id of the access key of the object store; when not set, the usual sources are asked: the variables `AWS_*`, the files of the AWS tools, the role of the machine.',
    }),
    secretAccessKey: text({
      environment: 'TAKTGEBER_STORE_SECRET_ACCESS_KEY',
      default: null,
      isSecret: true,
      about: 'The secret of this access key.',
    }),
    sessionToken: text({
      environment: 'TAKTGEBER_STORE_SESSION_TOKEN',
      default: null,
      isSecret: true,
      about: 'Token of temporary credentials, where the store gives some.',
    }),
    timeoutSeconds: number({
      environment: 'TAKTGEBER_STORE_TIMEOUT_SECONDS',
      default: 60,
      minimum: 0.1,
      maximum: 3600,
      about:
        'Time limit of one request to the object store, with what it sends; what it receives may take longer, as long as the store is never silent for so long.',
    }),
    retrySeconds: number({
      environment: 'TAKTGEBER_STORE_RETRY_SECONDS',
      default: 30,
      minimum: 0,
      maximum: 3600,
      about:
        'How long a request that failed for a reason that may pass is tried again; one that was not answered in time is repeated once in any case.',
    }),
    concurrency: integer({
      environment: 'TAKTGEBER_STORE_CONCURRENCY',
      default: 8,
      minimum: 1,
      maximum: 256,
      about: 'Contents that a job sends to, or fetches from, the object store at the same time.',
    }),
    keepGarbageHours: number({
      environment: 'TAKTGEBER_STORE_KEEP_GARBAGE_HOURS',
      default: 48,
      minimum: 1,
      maximum: 8760,
      about:
        'How long a content that nothing refers to stays in the object store; longer than any job takes, and than a reader needs an old state.',
    }),
  },
} as const;

function isServiceAddress(address: string): boolean {
  return /^https?:\/\//.test(address) && !address.endsWith('/') && URL.canParse(address);
}
