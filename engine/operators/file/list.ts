import { z } from 'zod';
import { defineOperator, optionalInput, output } from '../../base/operator.ts';
import { folder } from './_folder.ts';

const entry = z.object({
  path: z.string().describe('Below the folder.'),
  kind: z.enum(['file', 'folder']),
  bytes: z.int().describe('0 for a folder.'),
  modified: z
    .string()
    .nullable()
    .describe('When it was changed last, ISO 8601; null for a folder of an S3 connection.'),
});

export default defineOperator({
  title: 'List files',
  doc: 'Lists what is in a folder of the server, or of a connection to files (S3, SFTP), sorted by path. Links are left out.',
  icon: 'folder-search',
  summary: '[{folder}/]{path}',
  synonyms: 'directory, folder, ls, glob, list directory, ftp list',
  params: z.object({
    folder,
    path: z
      .string()
      .max(1000)
      .default('')
      .describe('A folder inside it; all of it if empty.')
      .meta({ widget: 'folder-path', wants: 'folder' }),
    recursive: z.boolean().default(false).describe('Whether folders inside are listed too.'),
    limit: z
      .int()
      .min(1)
      .max(10_000)
      .default(1000)
      .describe('The most entries; if there are more, the log of the run says so.'),
  }),
  options: { Limits: ['limit'] },
  inputs: { in: optionalInput({ doc: 'Any value; expressions read it as `input`.' }) },
  outputs: { out: output({ doc: 'The entries.', schema: z.array(entry) }) },
  effects: 'read',
  examples: [
    {
      title: 'What has come in',
      params: { folder: 'inbox' },
      outputs: {
        out: [{ path: 'people.csv', kind: 'file', bytes: 21, modified: '2026-01-01T00:00:00.000Z' }],
      },
    },
    { title: 'A folder that nobody named', params: { folder: 'other' }, error: 'folder_unknown' },
  ],
  async run(call) {
    const { folder: name, path, recursive, limit } = call.params;
    const { asker, signal } = call;
    // One more than requested shows whether there are more.
    const found = await call
      .service('folders')
      .list(name, path, asker, { recursive, limit: limit + 1, signal });
    if (found.length <= limit) return found;
    call.log(
      'warn',
      `The folder has more than ${limit} entries; raise \`limit\`, or list a folder inside it.`,
    );
    return found.slice(0, limit);
  },
});
