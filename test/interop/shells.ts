import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { projectPath } from '../../pipeline/effects/project-files.ts';
import { installDebianPackage, runTool } from './tools.ts';

/** The typed text, and its expected completion. */
const TYPED = 'taktgeber run ing';
const COMPLETED = 'ingest-timetable';

/** For each shell, the path of its completion script and the command that triggers completion, as for a user. */
const shells = {
  bash: {
    file: 'taktgeber.bash',
    complete: (file: string) =>
      `source ${file}; COMP_WORDS=(${TYPED}); COMP_CWORD=2; _taktgeber; printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  // In a pseudo-terminal, because completion exists only in the line editor.
  zsh: {
    file: '_taktgeber',
    complete: (file: string) => `
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "fpath=(${path.dirname(file)} \\$fpath); autoload -Uz compinit; compinit -u -D; PS1=READY"
      until zpty -r shell line '*READY*READY*'; do sleep 0.1; done
      zpty -w -n shell $'${TYPED}\\t'
      zpty -r -m shell line '*${COMPLETED}*'
      print -r -- "$line"
      zpty -d shell`,
  },
  fish: { file: 'taktgeber.fish', complete: (file: string) => `source ${file}; complete -C '${TYPED}'` },
} as const;

/**
 * Checks that each shell completes the name of a job with its printed script.
 * @returns their versions
 */
export async function completeInShells(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'taktgeber-shells-'));
  const versions: string[] = [];
  try {
    for (const [shell, { file: name, complete }] of Object.entries(shells)) {
      await installDebianPackage(shell, shell);
      const script = await runTool(process.execPath, [projectPath('jobs/bin.mjs'), 'completion', shell], '');
      const file = path.join(folder, name);
      await writeFile(file, script);
      const output = await runTool('timeout', ['60', shell, '-c', complete(file)], '');
      if (!output.includes(COMPLETED)) throw new Error(`${shell} completes "${TYPED}" with ${JSON.stringify(output)}`);
      versions.push(`${shell} ${/\d+\.\d+(\.\d+)?/.exec(await runTool(shell, ['--version'], ''))?.[0]}`);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return versions.join(', ');
}
