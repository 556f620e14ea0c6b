import { expect, it } from 'vitest';
import { loadOperators } from '../../base/authored/load-operators.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import { givenFile, readFiles } from './import-files.ts';
import { n8nFile } from './n8n/testing/short.ts';
import { withoutSecrets, writeEach } from './write-drafts.ts';

const { registry } = await loadOperators({ builtIn: true });
const file = (name: string) =>
  givenFile({
    path: `${name}.json`,
    bytes: Buffer.from(
      JSON.stringify(
        n8nFile(name, {
          nodes: {
            Start: ['manualTrigger'],
            Send: [
              'httpRequest@4',
              {
                url: 'https://api.example.com/x',
                sendHeaders: true,
                headerParameters: { parameters: [{ name: 'Authorization', value: 'Bearer sesame-street' }] },
              },
            ],
          },
          wires: ['Start > Send'],
        }),
      ),
    ),
  });
const read = () =>
  readFiles([file('One'), file('Two'), file('Three')], { catalog: registry.catalog, taken: new Set() });

it('what cannot be stored is told with its file, and all others are stored', async () => {
  const stored: string[] = [];
  const written = await writeEach(await read(), async ({ report }) => {
    if (report.name === 'Two') throw new ServiceError('conflict', 'Somebody was faster.');
    stored.push(report.name);
  });
  expect(stored).toEqual(['One', 'Three']);
  expect(written.flows.map(({ report }) => report.name)).toEqual(['One', 'Three']);
  expect(written.left).toEqual([{ file: 'Two.json', message: '“Two” was not stored: Somebody was faster.' }]);
  expect(written.summary.flows).toBe(2);
});

it('if none can be stored, the import fails with the reason of the first', async () => {
  const writing = writeEach(await read(), async ({ report }) => {
    throw new ServiceError('storage_failed', `The disk is full at ${report.name}.`);
  });
  await expect(writing).rejects.toThrow('The disk is full at One.');
});

it('an error that nobody knows ends the import', async () => {
  const writing = writeEach(await read(), async () => {
    throw new TypeError('a bug');
  });
  await expect(writing).rejects.toThrow('a bug');
});

it('who may not store secrets is told which to have stored, and where their values stand', async () => {
  const all = await read();
  const [given] = withoutSecrets(all).flows;
  expect(all.flows[0]?.secrets).toHaveLength(1);
  expect(given?.secrets).toEqual([]);
  const need = given?.report.needs.find(({ kind }) => kind === 'secret');
  expect(need).toMatchObject({ name: 'one_authorization', kept: false });
  expect(given?.report.next[0]).toBe(
    'Ask an administrator to store the secret one_authorization: its value stands in the file One.json, and was not stored.',
  );
  expect(JSON.stringify(given?.report)).not.toContain('sesame');
});
