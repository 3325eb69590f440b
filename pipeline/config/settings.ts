import { apiSettings } from './api-settings.ts';
import { dataSettings } from './data-settings.ts';
import { historySettings } from './history-settings.ts';
import { mvoSettings } from './mvo-settings.ts';
import { operationsSettings } from './operations-settings.ts';
import { choice, type Setting, text } from './setting.ts';
import { storeSettings } from './store-settings.ts';

/**
 * All settings, under their keys in the configuration file. The type of the configuration, the reading of file and
 * environment, and the table in docs/settings.md are derived from it. The lists `sources` and `realtime` of the file
 * are defined in `source-config.ts` and `realtime-config.ts`.
 */
export const settings = {
  dataDir: text({
    environment: 'TAKTGEBER_DATA',
    default: 'data',
    allowed: 'the path of a folder',
    about:
      'Folder of the lake, the snapshots and the runs of jobs; by default in the project, or in the working directory of a program that npm has installed; a relative path is resolved against the file or the working directory.',
  }),
  logLevel: choice({
    environment: 'TAKTGEBER_LOG_LEVEL',
    default: 'info',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    about:
      'Lowest level of message that a running service logs; requests are logged as `info`. On a terminal `warn` when not set.',
  }),
  logFormat: choice({
    environment: 'TAKTGEBER_LOG_FORMAT',
    default: 'auto',
    choices: ['auto', 'json', 'pretty'],
    about:
      'Form of the log of `up`, `serve`, `schedule`, `work` and `replay`; `auto` is `pretty` on a terminal and `json` elsewhere.',
  }),
  ...apiSettings,
  ...dataSettings,
  ...historySettings,
  ...mvoSettings,
  ...operationsSettings,
  ...storeSettings,
} as const;

type ValuesOf<Table> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : ValuesOf<Table[Key]>;
};

/** The values of all settings, in the shape of the table. */
export type SettingValues = ValuesOf<typeof settings>;

/** A setting with its dotted key in the file, e.g. `fairUse.burst`. */
export interface NamedSetting {
  readonly key: string;
  readonly setting: Setting<unknown>;
}

export type SettingGroup = { readonly [key: string]: Setting<unknown> | SettingGroup };

export function isSetting(entry: Setting<unknown> | SettingGroup): entry is Setting<unknown> {
  return typeof entry.accepts === 'function';
}

/** All settings in the order of the table. */
export function listSettings(group: SettingGroup = settings, prefix = ''): NamedSetting[] {
  return Object.entries(group).flatMap(([name, entry]) =>
    isSetting(entry) ? [{ key: `${prefix}${name}`, setting: entry }] : listSettings(entry, `${prefix}${name}.`),
  );
}
