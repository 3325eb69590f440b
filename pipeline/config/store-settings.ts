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
        'Bucket, and folder in it, of an S3-compatible object store: jobs download their input from it and upload their output; the data folder is then a working copy. Without it, all data are on the local disk.',
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
      about: 'Region of the bucket; most stores other than Amazon S3 accept any.',
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
        'Id of the access key of the object store; when not set, the usual sources apply: variables `AWS_*`, files of the AWS tools, the role of the machine.',
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
      about: 'Token of temporary credentials, if the store issues them.',
    }),
    timeoutSeconds: number({
      environment: 'TAKTGEBER_STORE_TIMEOUT_SECONDS',
      default: 60,
      minimum: 0.1,
      maximum: 3600,
      about:
        'Time limit of sending one request to the object store; receiving may take longer, as long as data keep arriving.',
    }),
    retrySeconds: number({
      environment: 'TAKTGEBER_STORE_RETRY_SECONDS',
      default: 30,
      minimum: 0,
      maximum: 3600,
      about: 'How long a request with a transient failure is retried; one that timed out is always retried once.',
    }),
    concurrency: integer({
      environment: 'TAKTGEBER_STORE_CONCURRENCY',
      default: 8,
      minimum: 1,
      maximum: 256,
      about: 'Files that a job uploads to, or downloads from, the object store at once.',
    }),
    keepGarbageHours: number({
      environment: 'TAKTGEBER_STORE_KEEP_GARBAGE_HOURS',
      default: 48,
      minimum: 1,
      maximum: 8760,
      about:
        'How long unreferenced files remain in the object store; longer than any job runs, and than a reader needs an old version.',
    }),
  },
} as const;

function isServiceAddress(address: string): boolean {
  return /^https?:\/\//.test(address) && !address.endsWith('/') && URL.canParse(address);
}
