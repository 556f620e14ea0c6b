import { settingGroups } from '../../server/base/config/config.ts';
import { code, page, table } from './markdown.ts';

/** Every setting of the server, from the table that reads them. */
export function settingsPage(): string {
  return page(
    '# Settings',
    'The server reads its settings once, at the start: from the environment, else from `weft.config.json` in the folder that it is started in, under the name in the second column. A mistake keeps it from starting: all wrong values are told at once, then what does not fit together.',
    'Relative paths start from that folder. Sizes are in bytes, or like `500KB`, `10MB`, `2GB`. What stands as JSON below is text in the environment and a plain value in the file; lists are separated by commas, or a JSON array in the file.',
    ...Object.entries(settingGroups).flatMap(([title, group]) => [
      `## ${title}`,
      table(
        ['variable', 'in the file', 'what it does', 'must be', 'default'],
        Object.entries(group).map(([name, { env, doc, expects, shown }]) => [
          code(env),
          code(name),
          doc,
          expects,
          shown,
        ]),
      ),
    ]),
    '## Secrets by name',
    '`WEFT_SECRET_<NAME>` holds a secret that flows may use by its name in lower case, where `WEFT_GRANTS` says so. It is read from the environment only. See [SECURITY.md](../../SECURITY.md).',
  );
}
