import { createHmac } from 'node:crypto';
import { ExternalError } from '../../../pipeline/effects/external-error.ts';
import type { Instant } from '../../../pipeline/model/service-time.ts';
import type { WatchState } from '../../contract/definitions.ts';
import { ApiProblem } from '../../contract/problems.ts';
import { presentTimestamp } from '../../engine/read/present.ts';
import type { RequestClient } from '../../plugins/route-handler.ts';
import type { PushTarget } from '../outbox.ts';
import type { WatchKind, WatchSpec } from '../watch.ts';
import type { WatchReport, WatchService } from './watch-service.ts';

/** A request to watch whose content has been checked. */
interface WatchRequest {
  readonly watchId: string | null;
  readonly spec: WatchSpec;
  readonly target: PushTarget | null;
  /** null: chosen by the service. */
  readonly until: Instant | null;
}

/** Watches as the routes use them. */
export interface Watches {
  /** @throws ApiProblem `watch_limit`, `overloaded` where nothing can be stored */
  watch(request: WatchRequest, client: RequestClient): Promise<WatchState>;
  /** @throws ApiProblem `overloaded` */
  unwatch(watchId: string, kind: WatchKind, client: RequestClient): Promise<boolean>;
}

/** @param key secret of the service, so that neither address nor token can be found by trying */
export function serveWatches(service: Pick<WatchService, 'watch' | 'unwatch'>, key: Uint8Array): Watches {
  const hash = (kind: string, text: string) =>
    createHmac('sha256', key).update(`watch ${kind} ${text}`).digest('base64url');
  const ownerOf = ({ installationToken: token }: RequestClient) => (token === null ? '' : hash('token', token));
  return {
    async watch({ watchId, spec, target, until }, client) {
      const order = { id: watchId, spec, target, owner: ownerOf(client), address: hash('address', client.address) };
      const report = await attempt(() => service.watch(order, until));
      if (!report)
        throw new ApiProblem('watch_limit', 'Too many watches. End some of them, or wait until they expire.');
      return present(report);
    },
    unwatch: (watchId, kind, client) => attempt(() => service.unwatch(watchId, kind, ownerOf(client))),
  };
}

function present({ expiresAt, checkedAt, events, ...report }: WatchReport): WatchState {
  return {
    ...report,
    expiresAt: presentTimestamp(expiresAt),
    checkedAt: presentTimestamp(checkedAt),
    events: [...events],
  };
}

async function attempt<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ExternalError)) throw error;
    throw new ApiProblem('overloaded', 'The store of watches is unavailable. Try again later.');
  }
}
