import { type Command, Argument as CommandArgument } from 'commander';
import { exitCode } from '../job/exit-code.ts';
import { addExamples, type CommandTools } from './command-tools.ts';

/** What a shell offers after a command: its options, and the words that its arguments may be. */
interface Completion {
  readonly name: string;
  readonly about: string;
  readonly options: readonly { readonly flag: string; readonly about: string; readonly takesValue: boolean }[];
  readonly words: readonly string[];
}

const shells = { bash: renderBash, zsh: renderZsh, fish: renderFish };
const shellNames = Object.keys(shells) as (keyof typeof shells)[];

export function addCompletionCommand(program: Command, tools: CommandTools): void {
  const command = program
    .command('completion')
    .description('Print the shell completion script.')
    .addArgument(new CommandArgument('<shell>').choices(shellNames))
    .action((shell: keyof typeof shells) => {
      tools.io.stdout.write(shells[shell](listCompletions(program, tools)));
      tools.finish(exitCode.done);
    });
  addExamples(command.allowExcessArguments(false), [
    ['taktgeber completion bash > /etc/bash_completion.d/taktgeber', 'for all users of bash'],
    ["taktgeber completion zsh > '/usr/local/share/zsh/site-functions/_taktgeber'", 'for zsh'],
    ['taktgeber completion fish > ~/.config/fish/completions/taktgeber.fish', 'for fish'],
  ]);
}

function listCompletions(program: Command, { jobs }: CommandTools): Completion[] {
  return program.commands.map((command) => ({
    name: command.name(),
    about: command.description(),
    options: command.options
      .filter(({ hidden }) => !hidden)
      .map(({ long, description, required, optional }) => ({
        flag: long!,
        about: description,
        takesValue: required || optional,
      })),
    words: [
      ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
      ...(['run', 'jobs'].includes(command.name()) ? jobs.map(({ name }) => name) : []),
    ],
  }));
}

/** Values of options are files more often than anything else. */
function renderBash(completions: readonly Completion[]): string {
  const cases = completions.map(
    ({ name, options, words }) =>
      `    ${name}) words="${[...words, ...options.map(({ flag }) => flag), '--help'].join(' ')}" ;;`,
  );
  return `# bash completion of taktgeber
_taktgeber() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${completions.map(({ name }) => name).join(' ')} help --help --version" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    *) words="" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _taktgeber taktgeber
`;
}

function renderZsh(completions: readonly Completion[]): string {
  const commands = completions.map(({ name, about }) => `    ${quote(`${name}:${about}`)}`);
  const cases = completions.map(({ name, options, words }) => {
    const specs = options.map(({ flag, about, takesValue }) =>
      quote(`${flag}[${about.replace(/[[\]:]/g, ' ')}]${takesValue ? ':value:_files' : ''}`),
    );
    const rest = words.length > 0 ? [quote(`*:word:(${words.join(' ')})`)] : [quote('*:file:_files')];
    return `    ${name}) _arguments ${[...specs, ...rest].join(' ')} ;;`;
  });
  return `#compdef taktgeber
# zsh completion of taktgeber
_taktgeber() {
  local -a commands
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command="\${words[2]}"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
# Loaded by its name, zsh runs the file in place of the function, which then completes this time as well.
if [ "$funcstack[1]" = _taktgeber ]; then _taktgeber "$@"; else compdef _taktgeber taktgeber; fi
`;
}

function renderFish(completions: readonly Completion[]): string {
  const lines = completions.flatMap(({ name, about, options, words }) => [
    `complete -c taktgeber -n __fish_use_subcommand -f -a ${name} -d ${quote(about)}`,
    ...options.map(
      ({ flag, about: use, takesValue }) =>
        `complete -c taktgeber -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}${takesValue ? ' -r' : ''} -d ${quote(use)}`,
    ),
    ...(words.length > 0
      ? [`complete -c taktgeber -n '__fish_seen_subcommand_from ${name}' -f -a ${quote(words.join(' '))}`]
      : []),
  ]);
  return `# fish completion of taktgeber\n${lines.join('\n')}\n`;
}

/** For all three shells: single quotes hold everything but themselves. */
function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
