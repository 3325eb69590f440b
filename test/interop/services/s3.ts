import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../support/fakes/free-port.ts';
import { runTool } from '../tools.ts';
import { endWithProcess, makeServiceFolder, type ServiceProcess, startService } from './service.ts';

/**
 * The S3 gateway of Versity, which stores objects in a folder. Of the servers in package registries, only this one meets all
 * requirements: of 16 concurrent writers with `If-Match` or `If-None-Match` exactly one wins, multipart uploads support the
 * same conditions, and wrong checksums are refused. moto (PyPI) meets the first two, but accepts wrong checksums; SeaweedFS
 * and MinIO have no version on the module proxy.
 */
const MODULE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const READY_MILLISECONDS = 30_000;

export interface S3Address {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Service extends S3Address {
  /** Exists from the start, and is empty. */
  readonly bucket: string;
  /** Kills the server, like a crash; `restart` starts it at the same address with its data. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts an S3 server on loopback with one empty bucket, addressed by path (`forcePathStyle`).
 * @throws Error if it cannot be installed or started
 */
export async function startS3({ bucket = 'taktgeber' } = {}): Promise<S3Service> {
  const program = await installGoProgram(MODULE);
  const { folder, remove } = await makeServiceFolder('s3');
  const address = {
    endpoint: `http://127.0.0.1:${await findFreePort()}`,
    region: 'us-east-1',
    accessKeyId: 'taktgeber',
    secretAccessKey: 'taktgeber-secret',
  };
  // A bucket is a folder in the root.
  await mkdir(path.join(folder, bucket));
  const start = () => startGateway(program, folder, address);
  let running: ServiceProcess;
  try {
    running = await start();
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    ...address,
    bucket,
    crash: () => running.kill(),
    async restart() {
      running = await start();
    },
    stop: endWithProcess(async () => {
      await running.stop();
      await remove();
    }),
  };
}

function startGateway(program: string, folder: string, address: S3Address): Promise<ServiceProcess> {
  const { host } = new URL(address.endpoint);
  return startService({
    name: 'S3 server',
    program,
    args: [
      '--port',
      host,
      '--region',
      address.region,
      '--quiet',
      '--keep-alive',
      '--health',
      '/health',
      'posix',
      folder,
    ],
    env: {
      ROOT_ACCESS_KEY_ID: address.accessKeyId,
      ROOT_SECRET_ACCESS_KEY: address.secretAccessKey,
      GOMEMLIMIT: '512MiB',
    },
    readyMilliseconds: READY_MILLISECONDS,
    isReady: async () => (await fetch(`${address.endpoint}/health`)).ok,
  });
}

/**
 * Builds a program from the Go module proxy into the temporary folder, where later runs reuse it.
 * @param module `path@version` of its main package
 * @throws Error if Go or the module is missing
 */
async function installGoProgram(module: string): Promise<string> {
  const folder = path.join(tmpdir(), `taktgeber-interop-go-${module.replaceAll(/[^\w.]+/g, '-')}`);
  const program = path.join(folder, path.basename(module.split('@')[0]!));
  if (existsSync(program)) return program;
  try {
    // Runs in the temporary folder, so that files in the folder of this process do not affect the build.
    await runTool('env', [`GOBIN=${folder}`, 'GOFLAGS=-mod=mod', 'go', 'install', module], '', tmpdir());
    return program;
  } catch (error) {
    throw new Error(`${module} cannot be built by Go: ${(error as Error).message}`);
  }
}
