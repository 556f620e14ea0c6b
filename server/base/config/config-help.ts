import { settings } from './config.ts';

/** The text of `node server --help`. */
export function helpText(): string {
  return `Weft: a visual workflow editor and the engine that runs what it draws.

Usage: node server [--help | --version]

${settingsText()}`;
}

/** Every setting, from the table that also reads them. */
export function settingsText(): string {
  const rows = Object.values(settings).map(
    (setting) => `  ${setting.env.padEnd(20)} ${setting.doc}\n${' '.repeat(23)}Default: ${setting.shown}.`,
  );
  return `Settings come from the environment, or from weft.config.json in the current folder
under the name in camel case (WEFT_MAX_RUNS is "maxRuns").

${rows.join('\n')}
  WEFT_SECRET_<NAME>   A secret that flows may use by its name.
`;
}
