import { settingGroups } from '../../server/base/config/config.ts';
import { code, page, table } from './markdown.ts';

/** Every setting of the server, from the table that reads them. */
export function settingsPage(): string {
  return page(
    '# Settings',
    'The server reads its settings once, at the start: from the environment, or else from `weft.config.json` in the folder where it starts, under the name in the second column. A server with a wrong setting does not start, and lists all wrong values. Once each value is right, it checks whether the values fit together.',
    'Relative paths start from that folder. Sizes are in bytes, or like `500KB`, `10MB`, `2GB`. A value that the table shows as JSON is written as text in the environment, and as it is in the file. A list is separated by commas in the environment, and may be a JSON array in the file.',
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
