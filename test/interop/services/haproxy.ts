import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installDebianPackage, runTool } from '../tools.ts';
import { endWithProcess, findFreePort, makeServiceFolder, startService } from './service.ts';

const READY_MILLISECONDS = 30_000;

export interface HaproxyService {
  /** `http://127.0.0.1:<port>`: what clients ask. */
  readonly address: string;
  /** `http://127.0.0.1:<port>`: its Prometheus metrics are at `/metrics`, its page of servers at `/stats`. */
  readonly statsAddress: string;
  stop(): Promise<void>;
}

/**
 * HAProxy of Debian in front of servers.
 * @param proxies the sections after `global`: a `frontend` has to bind to the port that it gets; modes and timeouts are
 *   up to them, so that a check runs the configuration which the documentation shows
 * @throws Error where it cannot be installed, or refuses the configuration
 */
export async function startHaproxy(proxies: (port: number) => string): Promise<HaproxyService> {
  await installDebianPackage('haproxy', 'haproxy', '-v');
  const { folder, remove } = await makeServiceFolder('haproxy');
  const port = await findFreePort();
  const statsPort = await findFreePort();
  const file = path.join(folder, 'haproxy.cfg');
  await writeFile(file, `global\n    maxconn 2000\n    stats timeout 5s\n${proxies(port)}\n${statsOf(statsPort)}`);
  try {
    await runTool('haproxy', ['-c', '-f', file], '');
    const statsAddress = `http://127.0.0.1:${statsPort}`;
    const running = await startService({
      name: 'HAProxy',
      program: 'haproxy',
      args: ['-db', '-f', file],
      readyMilliseconds: READY_MILLISECONDS,
      isReady: async () => (await fetch(`${statsAddress}/metrics`)).ok,
    });
    return {
      address: `http://127.0.0.1:${port}`,
      statsAddress,
      stop: endWithProcess(async () => {
        await running.stop();
        await remove();
      }),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function statsOf(port: number): string {
  return `frontend stats
    mode http
    timeout client 5s
    bind 127.0.0.1:${port}
    http-request use-service prometheus-exporter if { path /metrics }
    stats enable
    stats uri /stats
`;
}
