import { expect, it } from 'vitest';
import { runCommand, temporaryFolder } from './fake-world.ts';

const complete = async (shell: string) => runCommand(['completion', shell], { dataDir: await temporaryFolder() });

it.each([
  ['bash', ['complete -o default -F _taktgeber taktgeber', 'backup) words="--to --keep']],
  [
    'zsh',
    [
      '#compdef taktgeber',
      '_taktgeber "$@"; else compdef _taktgeber taktgeber; fi',
      "'doctor:Check configuration",
      "'--keep[afterwards remove",
    ],
  ],
  ['fish', ['complete -c taktgeber -n __fish_use_subcommand -f -a doctor', "from backup' -l keep -r -d"]],
])('%s completes commands, options and jobs', async (shell, lines) => {
  const { code, stdout, stderr } = await complete(shell);
  expect([code, stderr]).toEqual([0, '']);
  for (const line of [...lines, 'ingest-timetable', 'bash']) expect(stdout).toContain(line);
});

it('names the supported shells', async () => {
  const { code, stderr } = await complete('tcsh');
  expect(code).toBe(2);
  expect(stderr).toContain('Allowed choices are bash, zsh, fish');
});
