/** Where the store is and how long it may take. Credentials that are null come from the usual `AWS_*` chain. */
export interface StoreSettings {
  /** `s3://bucket/prefix`, without a slash at its end. */
  readonly url: string;
  /** Address of the service, where it is not Amazon's; null: Amazon's of the region. */
  readonly endpoint: string | null;
  readonly region: string;
  /** Whether the bucket is a part of the path rather than of the host name. */
  readonly pathStyle: boolean;
  readonly accessKeyId: string | null;
  readonly secretAccessKey: string | null;
  readonly sessionToken: string | null;
  /** For one request: receiving a content may take longer, as long as bytes keep arriving within this time. */
  readonly timeoutSeconds: number;
  /** The same for trees, which are small, where a reader or writer of each second waits for them; absent: no other. */
  readonly treeTimeoutSeconds?: number;
  /** For a call with all its retries. */
  readonly retrySeconds: number;
  /** Contents sent or received at the same time; trees and other small requests wait for none of them. */
  readonly concurrency: number;
}

/**
 * Contents of more bytes are sent in parts of this size, each with its checksum. S3 allows 10,000 parts of at least
 * 5 MiB, so the largest content has 156 GiB.
 */
export const PART_BYTES = 16 * 1024 * 1024;

/** Answers that are read into memory: trees and metadata. */
export const MAX_DOCUMENT_BYTES = 256 * 1024 * 1024;

/**
 * Condition of a write. `absent`: there must be no such object. An entity tag: the object must still be that one. Null:
 * none.
 */
export type WriteCondition = 'absent' | { readonly etag: string } | null;

export interface StoredDocument {
  readonly bytes: Buffer;
  readonly etag: string;
}

export interface ListedObject {
  /** Below the prefix of the store. */
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** Requests of a store so far. */
export interface StoreCounts {
  readonly gets: number;
  readonly puts: number;
  readonly lists: number;
  readonly deletes: number;
  readonly sentBytes: number;
  readonly receivedBytes: number;
}

/**
 * Objects of an S3-compatible store, below one prefix. Each call retries what may pass, within the limits of the settings.
 * Errors of all calls: ExternalError `store_unreachable` (retryable: the store is down, slow or overloaded), `store_denied`
 * (the credentials are wrong or expired), `store_missing` (there is no such bucket), `store_refused` (any other answer).
 */
export interface ObjectStore {
  /** As readers name the folder of all objects: `s3://bucket/prefix`. */
  readonly url: string;
  /** Address of the service; null: Amazon's. */
  readonly endpoint: string | null;
  readonly counts: StoreCounts;
  /** @returns null if the object is missing, `unchanged` if it still has the entity tag */
  get(key: string, ifNoneMatch?: string | null, signal?: AbortSignal): Promise<StoredDocument | 'unchanged' | null>;
  /**
   * Writes an object into a new file, synced.
   * @returns hash and length of the bytes; null when there is no such object, and then no file
   */
  download(key: string, file: string, signal?: AbortSignal): Promise<{ sha256: string; bytes: number } | null>;
  /**
   * @returns the entity tag of the new object
   * @throws ExternalError `write_lost`, retryable, when the condition is not met
   */
  put(key: string, content: Uint8Array, condition: WriteCondition, signal?: AbortSignal): Promise<string>;
  /**
   * Stores the content of a file, in parts when it is large; a failed upload leaves nothing.
   * @param sha256 the hash that the content must have
   * @throws ExternalError `write_lost`; `file_changed`, retryable, when the file has another content by now
   */
  upload(key: string, file: string, sha256: string, condition: WriteCondition, signal?: AbortSignal): Promise<void>;
  /** Size and age of an object; null if it is missing. */
  find(key: string, signal?: AbortSignal): Promise<Omit<ListedObject, 'key'> | null>;
  /** Removes an object; one that is not there is as good. */
  remove(key: string, signal?: AbortSignal): Promise<void>;
  /** In the order of their keys. For jobs alone: no request waits for a list. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<ListedObject>;
  close(): void;
}
