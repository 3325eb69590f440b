import { describe, expect, it } from 'vitest';
import { getTileBuilder, type Machine } from '../../../pipeline/streets/street-engine.ts';
import { hasEngine } from './made-up-town.ts';

const machines: readonly Machine[] = [
  { platform: 'win32', arch: 'x64' },
  { platform: 'darwin', arch: 'x64' },
  { platform: 'linux', arch: 'riscv64' },
  { platform: 'freebsd', arch: 'x64' },
];

describe('the street engine', () => {
  it.each(machines)('lists supported platforms, without $platform $arch', (machine) => {
    expect(() => getTileBuilder(machine)).toThrowError(
      expect.objectContaining({
        code: 'streets_unsupported',
        message: `the street engine @valhallajs/valhallajs runs on Linux (x64, arm64) and macOS (arm64), not on ${machine.platform} ${machine.arch}`,
      }),
    );
  });

  it('finds its program in the package, or reports the reason', () => {
    if (hasEngine) expect(getTileBuilder()).toMatch(/valhallajs[/\\]\w+[/\\]\w+[/\\]valhalla_build_tiles$/);
    else expect(() => getTileBuilder()).toThrow('runs on Linux (x64, arm64) and macOS (arm64)');
  });
});
