import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';
import { isOfTheSystem } from '../../../pipeline/effects/external-error.ts';

/** Words before a command that limit its memory, and that of what it starts. */
type Wrapping = (bytes: number) => readonly string[];

const JOIN = 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"';

/** By a scope of systemd (cgroup v2), or a cgroup of version 1 below the own one; null where neither can be made. */
export function findMemoryLimit(): Wrapping | null {
  const [program = '', ...options] = scope(2 ** 26);
  if (spawnSync(program, [...options, 'true']).status === 0) return scope;
  const folder = makeCgroup('trial');
  if (folder === null) return null;
  rmdirSync(folder);
  return joinCgroup;
}

function scope(bytes: number): string[] {
  return [
    'systemd-run',
    '--quiet',
    '--no-ask-password',
    '--scope',
    '-p',
    `MemoryMax=${bytes}`,
    '-p',
    'MemorySwapMax=0',
  ];
}

function joinCgroup(bytes: number): string[] {
  const folder = makeCgroup('limited')!;
  onTestFinished(() => rmdirSync(folder));
  writeFileSync(path.join(folder, 'memory.limit_in_bytes'), String(bytes));
  return ['sh', '-c', JOIN, 'sh', folder];
}

let cgroups = 0;

/** @returns null where the system has no such cgroups, or lets this process make none */
function makeCgroup(name: string): string | null {
  try {
    const [, own] = /^\d+:memory:(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8')) ?? [];
    if (own === undefined) return null;
    const folder = path.join('/sys/fs/cgroup/memory', own, `taktgeber-${name}-${process.pid}-${cgroups++}`);
    mkdirSync(folder);
    return folder;
  } catch (error) {
    if (isOfTheSystem(error)) return null;
    throw error;
  }
}
