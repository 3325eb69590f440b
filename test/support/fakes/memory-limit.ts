import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { onTestFinished } from 'vitest';
import { isOfTheSystem } from '../../../pipeline/effects/external-error.ts';

/** A command prefix that limits the memory of a command and its children. */
type Wrapping = (bytes: number) => readonly string[];

const JOIN = 'echo $$ > "$1/cgroup.procs" && shift && exec "$@"';

/** Uses a systemd scope (cgroup v2), or a child cgroup of version 1; null if neither can be created. */
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

/** @returns null if the system has no such cgroups, or does not let this process create one */
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
