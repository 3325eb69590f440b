import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeAlertMemory } from '../../jobs/alerts/alert-memory.ts';
import { runCommand, temporaryFolder } from './fake-world.ts';

const DISK = { TAKTGEBER_ALERTS_MIN_FREE_BYTES: String(2 ** 50) };
const NO_DISK = { TAKTGEBER_ALERTS_MIN_FREE_BYTES: '0' };

describe('alerts', () => {
  it('says when no promise is broken', async () => {
    const ran = await runCommand(['alerts'], { dataDir: await temporaryFolder(), environment: NO_DISK, jobs: [] });
    expect(ran).toEqual({ code: 0, stdout: 'No promise is broken.\n', stderr: '' });
  });

  it('lists what is broken, since when, what was told, and what to do', async () => {
    const dataDir = await temporaryFolder();
    await writeAlertMemory(dataDir, {
      'disk_low disk': {
        kind: 'disk_low',
        subject: 'disk',
        text: '',
        remedy: '',
        brokenSince: Date.parse('2026-03-01T10:00:00Z'),
        toldAt: Date.parse('2026-03-01T10:01:00Z'),
        keptSince: null,
      },
    });
    const { stdout } = await runCommand(['alerts'], { dataDir, environment: DISK, jobs: [] });
    expect(stdout).toMatch(/^disk_low +disk +2026-03-01T10:00:00.000Z +2026-03-01T10:01:00.000Z$/m);
    expect(stdout).toMatch(/^The disk of the data folder .*\n {2}Make room/m);
    const json = await runCommand(['alerts', '--json'], { dataDir, environment: DISK, jobs: [] });
    expect(JSON.parse(json.stdout)).toEqual({
      promises: [
        {
          kind: 'disk_low',
          subject: 'disk',
          text: expect.stringContaining('disk'),
          remedy: expect.stringContaining('Make room'),
          since: '2026-03-01T10:00:00.000Z',
          toldAt: '2026-03-01T10:01:00.000Z',
        },
      ],
      unknown: [],
    });
  });

  it('names what cannot be read', async () => {
    const dataDir = await temporaryFolder();
    await mkdir(path.join(dataDir, 'realtime'), { recursive: true });
    await writeFile(path.join(dataDir, 'realtime', 'standby.json'), '{');
    const { stdout } = await runCommand(['alerts'], { dataDir, environment: NO_DISK, jobs: [] });
    expect(stdout).toBe('No promise is broken.\nNothing can be read of source_stale: see "taktgeber doctor".\n');
  });

  it('--test needs somewhere to send it', async () => {
    const { code, stderr } = await runCommand(['alerts', '--test'], { dataDir: await temporaryFolder() });
    expect([code, stderr]).toEqual([2, 'error: neither alerts.command nor alerts.webhook is configured\n']);
  });

  it('--test says why it could not be sent', async () => {
    const environment = { TAKTGEBER_ALERTS_COMMAND: '/no/such/program' };
    const { code, stderr } = await runCommand(['alerts', '--test'], { dataDir: await temporaryFolder(), environment });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: \/no\/such\/program cannot be started/)]);
  });
});
