import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeAlertStates } from '../../jobs/alerts/alert-states.ts';
import { runCommand, temporaryFolder } from './fake-world.ts';

const DISK = { TAKTGEBER_ALERTS_MIN_FREE_BYTES: String(2 ** 50) };
const NO_DISK = { TAKTGEBER_ALERTS_MIN_FREE_BYTES: '0' };

describe('alerts', () => {
  it('says that no alert is firing', async () => {
    const ran = await runCommand(['alerts'], { dataDir: await temporaryFolder(), environment: NO_DISK, jobs: [] });
    expect(ran).toEqual({ code: 0, stdout: 'No alert is firing.\n', stderr: '' });
  });

  it('lists each firing alert, since when, when it was sent, and what to do', async () => {
    const dataDir = await temporaryFolder();
    await writeAlertStates(dataDir, {
      'disk_low disk': {
        kind: 'disk_low',
        subject: 'disk',
        text: '',
        remedy: '',
        activeSince: Date.parse('2026-03-01T10:00:00Z'),
        notifiedAt: Date.parse('2026-03-01T10:01:00Z'),
        inactiveSince: null,
      },
    });
    const { stdout } = await runCommand(['alerts'], { dataDir, environment: DISK, jobs: [] });
    expect(stdout).toMatch(/^disk_low +disk +2026-03-01T10:00:00.000Z +2026-03-01T10:01:00.000Z$/m);
    expect(stdout).toMatch(/^The disk of the data folder .*\n {2}Free space/m);
    const json = await runCommand(['alerts', '--json'], { dataDir, environment: DISK, jobs: [] });
    expect(JSON.parse(json.stdout)).toEqual({
      alerts: [
        {
          kind: 'disk_low',
          subject: 'disk',
          text: expect.stringContaining('disk'),
          remedy: expect.stringContaining('Free space'),
          since: '2026-03-01T10:00:00.000Z',
          notifiedAt: '2026-03-01T10:01:00.000Z',
        },
      ],
      unknown: [],
    });
  });

  it('names the kinds that cannot be evaluated', async () => {
    const dataDir = await temporaryFolder();
    await mkdir(path.join(dataDir, 'realtime'), { recursive: true });
    await writeFile(path.join(dataDir, 'realtime', 'standby.json'), '{');
    const { stdout } = await runCommand(['alerts'], { dataDir, environment: NO_DISK, jobs: [] });
    expect(stdout).toBe('No alert is firing.\nCannot evaluate source_stale. Run "taktgeber doctor".\n');
  });

  it('--test requires a command or a webhook', async () => {
    const { code, stderr } = await runCommand(['alerts', '--test'], { dataDir: await temporaryFolder() });
    expect([code, stderr]).toEqual([2, 'error: neither alerts.command nor alerts.webhook is configured\n']);
  });

  it('--test says why sending failed', async () => {
    const environment = { TAKTGEBER_ALERTS_COMMAND: '/no/such/program' };
    const { code, stderr } = await runCommand(['alerts', '--test'], { dataDir: await temporaryFolder(), environment });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: \/no\/such\/program cannot be started/)]);
  });
});
