import { ExternalError } from '../../effects/external-error.ts';

/** Another machine has changed the same paths of trees: ExternalError `write_lost`, retryable. Nothing of them has changed. */
export class TreesLost extends ExternalError {
  readonly lost: ReadonlyMap<string, readonly string[]>;

  /** @param lost paths by the name of their tree; at least one */
  constructor(lost: ReadonlyMap<string, readonly string[]>) {
    const [[name, paths] = ['', []]] = lost;
    const more = paths.length > 1 ? ` and ${paths.length - 1} more` : '';
    const others = lost.size > 1 ? ` and paths of ${lost.size - 1} more trees` : '';
    const sentence = `another machine has changed ${paths[0]}${more} in the tree ${name}${others} since this one fetched it`;
    super('write_lost', `${sentence}: run the job again, which fetches it first`, { isRetryable: true });
    this.lost = lost;
  }
}
