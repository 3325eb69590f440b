import { access, readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { settings } from '../pipeline/config/settings.ts';
import { projectPath } from '../pipeline/effects/project-files.ts';
import { runCommand } from './jobs/fake-world.ts';

/*
 * These tests parse the files like Docker, Compose and systemd, and compare them with the program. `npm run interop`
 * validates them with these tools and runs the image.
 */
const read = (name: string) => readFile(projectPath(name), 'utf8');

/** Names of the commands of the program. */
let commands: string[];

beforeAll(async () => {
  const { stdout } = await runCommand(['--help'], { dataDir: projectPath('data') });
  commands = [...stdout.matchAll(/^ {2}([\w-]+) .*\[options\]/gm)].map(([, name]) => name!);
});

describe('the container image', () => {
  /** Instructions with their arguments, continuation lines joined. */
  const listInstructions = async () =>
    (await read('Dockerfile'))
      .replace(/^#.*\n/gm, '')
      .replace(/\\\n\s*/g, '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => /^(\w+) +(.*)$/.exec(line)!.slice(1) as [string, string]);
  const argumentsOf = async (name: string) =>
    (await listInstructions()).filter(([instruction]) => instruction === name).map(([, rest]) => rest);

  it('is built from the packed program, with the tested version of Node', async () => {
    expect(await argumentsOf('FROM')).toEqual(['node:24-bookworm-slim AS packages', 'node:24-bookworm-slim']);
    expect(await argumentsOf('COPY')).toEqual([
      'taktgeber-*.tgz taktgeber.tgz',
      expect.stringContaining('/opt/taktgeber'),
    ]);
    expect(await read('.dockerignore')).toMatch(/^\*\n!taktgeber-\*\.tgz$/m);
  });

  it('installs the locked versions', async () => {
    const [install] = await argumentsOf('RUN');
    expect(install).toContain('npm ci --omit=dev --ignore-scripts');
    expect(install).not.toContain('npm install');
  });

  it('runs as an unprivileged user who owns only the volume', async () => {
    expect(await argumentsOf('USER')).toEqual(['1000:1000']);
    const names = (await listInstructions()).map(([name]) => name);
    expect(names.indexOf('USER')).toBeLessThan(names.indexOf('ENTRYPOINT'));
    expect(await argumentsOf('VOLUME')).toEqual(['/data']);
  });

  it('starts an existing program and health check, with existing settings', async () => {
    const [entry] = await argumentsOf('ENTRYPOINT');
    const [health] = await argumentsOf('HEALTHCHECK');
    for (const text of [entry!, health!]) await access(projectPath(programIn(text)));
    expect(commands).toContain(JSON.parse((await argumentsOf('CMD')).at(-1)!)[0]);
    const variables = (await argumentsOf('ENV')).join(' ').match(/TAKTGEBER_\w+/g);
    expect(variables).toEqual([settings.dataDir.environment, settings.host.environment]);
  });
});

/** The project file that an instruction or unit starts. */
const programIn = (text: string) => /\/opt\/taktgeber\/([\w./-]+\.mjs)/.exec(text)![1]!;

describe('the two roles', () => {
  interface Role {
    readonly command: readonly string[];
    readonly user: string;
    readonly read_only: boolean;
    readonly cap_drop: readonly string[];
    readonly security_opt: readonly string[];
    readonly hostname: string;
    readonly volumes: readonly string[];
    readonly stop_grace_period: string;
  }
  const readCompose = async () =>
    parseYaml(await read('compose.yaml'), { merge: true }) as {
      readonly services: Record<'api' | 'jobs', Role>;
      readonly volumes: object;
    };

  it('are a server and a job runner on the same volume', async () => {
    const { services, volumes } = await readCompose();
    expect(Object.keys(services)).toEqual(['api', 'jobs']);
    expect(services.api.command[0]).toBe('serve');
    expect(services.jobs.command[0]).toBe('schedule');
    for (const { command } of Object.values(services)) expect(commands).toContain(command[0]);
    expect(Object.keys(volumes)).toEqual(['data']);
    for (const role of Object.values(services)) expect(role.volumes).toContain('data:/data');
  });

  it('can only write to the volume, and use different locks', async () => {
    const { services } = await readCompose();
    for (const role of Object.values(services)) {
      expect(role).toMatchObject({ user: '1000:1000', read_only: true, cap_drop: ['ALL'] });
      expect(role.security_opt).toEqual(['no-new-privileges:true']);
      // The ten seconds of a stop, and some reserve.
      expect(role.stop_grace_period).toBe('15s');
    }
    expect(new Set(Object.values(services).map(({ hostname }) => hostname)).size).toBe(2);
  });
});

describe('the replicas behind a load balancer', () => {
  it('use existing commands and settings', async () => {
    const { services } = parseYaml(await read('deploy/compose.replicas.yaml'), { merge: true }) as {
      readonly services: Record<string, { readonly command?: string[]; readonly environment: object }>;
    };
    const roles = Object.values(services).filter(({ command }) => command);
    expect(roles.map(({ command }) => command![0])).toEqual(['serve', 'serve', 'schedule']);
    const known = JSON.stringify(settings);
    const unknown = (name: string) => name !== 'TAKTGEBER_CONFIG' && !known.includes(`"${name}"`);
    expect(roles.flatMap(({ environment }) => Object.keys(environment)).filter(unknown)).toEqual([]);
  });

  it('are resolved by name repeatedly, since a recreated container has a new address', async () => {
    const config = await read('deploy/haproxy.cfg');
    const [, section] = /^ +default-server .*\bresolvers (\w+)/m.exec(config) ?? [];
    expect(config).toMatch(new RegExp(`^resolvers ${section}\n +parse-resolv-conf$`, 'm'));
  });
});

describe('the systemd unit', () => {
  const readUnit = async () => {
    const lines = (await read('deploy/taktgeber.service')).split('\n').filter((line) => /^\w+=/.test(line));
    return new Map(lines.map((line) => [line.split('=', 1)[0]!, line.slice(line.indexOf('=') + 1)]));
  };

  it('starts an existing command', async () => {
    const [program, command] = (await readUnit()).get('ExecStart')!.split(' ').slice(1);
    await access(projectPath(programIn(program!)));
    expect(commands).toContain(command);
  });

  it.each([
    ['User', 'taktgeber'],
    ['ProtectSystem', 'strict'],
    ['ProtectHome', 'yes'],
    ['PrivateTmp', 'yes'],
    ['PrivateDevices', 'yes'],
    ['NoNewPrivileges', 'yes'],
    ['CapabilityBoundingSet', ''],
    ['RestrictAddressFamilies', 'AF_INET AF_INET6 AF_UNIX'],
    ['StateDirectory', 'taktgeber'],
    ['UMask', '0077'],
    ['Restart', 'on-failure'],
    ['RestartPreventExitStatus', '2'],
    ['TimeoutStopSec', '15'],
  ])('has %s=%s', async (key, value) => {
    expect((await readUnit()).get(key)).toBe(value);
  });

  it('allows what the program needs: code generated at run time, and the list of processes', async () => {
    const unit = await readUnit();
    expect([unit.has('MemoryDenyWriteExecute'), unit.has('ProtectProc')]).toEqual([false, false]);
  });
});
