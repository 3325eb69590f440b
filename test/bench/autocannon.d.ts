/** The part of the load generator that the benchmark uses; the package has no types. */
declare module 'autocannon' {
  interface Options {
    readonly url: string;
    readonly connections: number;
    readonly duration: number;
    /** Requests per second over all connections; absent: as many as possible. */
    readonly overallRate?: number;
    /** Called once for each connection. */
    readonly setupClient: (client: Client) => void;
  }

  interface Request {
    readonly path: string;
    readonly method?: 'GET' | 'POST';
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly onResponse?: (status: number, body: string) => void;
  }

  interface Client {
    setRequests(requests: readonly Request[]): void;
  }

  interface Result {
    readonly requests: { readonly average: number; readonly total: number };
    readonly latency: { readonly p50: number; readonly p99: number; readonly max: number };
    readonly errors: number;
    readonly non2xx: number;
  }

  export default function autocannon(options: Options): Promise<Result>;
}
