import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startSsh } from '../../../../integrations/connections/kinds/ssh/testing/ssh-server.ts';
import { startBed, tempFolder } from '../../../../testing/platform-bed.ts';
import { importedShort } from '../testing/service-bed.ts';
import type { Short } from '../testing/short.ts';

/** Commands and files on another machine: the flows run against a server of ssh2. */

const account = (type: string) => ({ credentials: { [type]: { id: '1', name: 'Account' } } });
const W: Short['nodes'][string] = [
  'webhook@2',
  { path: 'job', httpMethod: 'POST', responseMode: 'lastNode', options: {} },
];

/** Imports a chain of nodes behind a webhook, and posts a value to it. */
async function ran(steps: Short['nodes'], body: unknown, folder: string, name = 'account'): Promise<unknown> {
  const names = ['W', ...Object.keys(steps)];
  const wires = names.slice(1).map((name, i) => `${names[i]} > ${name}`);
  const { flows, report } = await importedShort({ nodes: { W, ...steps }, wires });
  expect(report.nodes.filter(({ word }) => word === 'placeholder')).toEqual([]);
  expect(report.needs).toMatchObject([
    { kind: 'connection', name, message: expect.stringContaining('of the kind ssh,') },
  ]);
  const flowFolder = await tempFolder();
  for (const flow of flows) writeFileSync(join(flowFolder, `${flow.id}.json`), JSON.stringify(flow));
  const bed = await startBed({ flows: [flowFolder] });
  const { settings } = await startSsh({ folder });
  const grants = { flows: flows.map(({ id }) => id) };
  await bed.ctx.connections.put(name, { kind: 'ssh', settings, grants });
  await bed.ctx.flows.worldChanged('connections');
  const sent = await fetch(`${bed.url}/api/v1/awel/trigger/job`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(sent.status, await sent.clone().text()).toBe(200);
  return sent.json();
}

const text: Short['nodes'] = {
  Set: [
    'set@3.4',
    { assignments: { assignments: [{ name: 'text', type: 'string', value: '={{ $json.body.text }}' }] } },
  ],
  Text: [
    'convertToFile@1.1',
    { operation: 'toText', sourceProperty: 'text', options: { fileName: 'a.txt' } },
  ],
};

test('a command is executed, and its code is a value', async () => {
  const command = { command: '=echo {{ $json.body.name }}; pwd; exit 3' };
  const steps: Short['nodes'] = { Run: ['ssh@1', command, account('sshPassword')] };
  expect(await ran(steps, { name: 'Ada' }, await tempFolder())).toEqual({
    stdout: 'Ada\n/',
    stderr: '',
    code: 3,
    signal: null,
  });
});

test('a command of the machine itself is executed where the connection leads, once for the first item', async () => {
  const steps: Short['nodes'] = {
    List: ['splitOut@1', { fieldToSplitOut: 'body.names', options: { destinationFieldName: 'name' } }],
    Run: ['executeCommand@1', { command: '=echo {{ $json.name }}' }],
  };
  const items = await ran(steps, { names: ['Ada', 'Bo'] }, await tempFolder(), 'host_of_commands');
  expect(items).toEqual({ exitCode: 0, stderr: '', stdout: 'Ada' });
});

test('a file is put into a folder by its name, and fetched', async () => {
  const folder = await tempFolder();
  const steps: Short['nodes'] = {
    ...text,
    Put: [
      'ssh@1',
      { resource: 'file', path: '/in/', authentication: 'privateKey', options: {} },
      account('sshPrivateKey'),
    ],
    Get: [
      'ssh@1',
      {
        resource: 'file',
        operation: 'download',
        path: '/in/a.txt',
        authentication: 'privateKey',
        options: {},
      },
      account('sshPrivateKey'),
    ],
    Read: ['extractFromFile@1', { operation: 'text', options: {} }],
  };
  expect(await ran(steps, { text: 'Hello' }, folder)).toMatchObject({ data: 'Hello' });
  expect(readFileSync(join(folder, 'in/a.txt'), 'utf8')).toBe('Hello');
});

test('files over SFTP are listed, written, read and deleted', async () => {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'in'));
  writeFileSync(join(folder, 'in/old.txt'), 'old');
  const sftp = (parameters: object): Short['nodes'][string] => [
    'ftp@1',
    { protocol: 'sftp', ...parameters, options: {} },
    account('sftp'),
  ];
  const steps: Short['nodes'] = {
    ...text,
    Put: sftp({ operation: 'upload', path: '/in/new/b.txt' }),
    PutText: sftp({
      operation: 'upload',
      path: '/in/c.txt',
      binaryData: false,
      fileContent: '=Dear {{ $json.data ? "Ada" : "" }}',
    }),
    Delete: sftp({ operation: 'delete', path: '/in/old.txt' }),
    List: sftp({ operation: 'list', path: '/in/', recursive: true }),
    Sum: ['code@2', { jsCode: 'return [{ json: { all: $input.all().map((one) => one.json) } }];' }],
  };
  expect(await ran(steps, { text: 'Hello' }, folder)).toMatchObject({
    all: [
      { type: '-', name: 'c.txt', size: 8, path: '/in/c.txt' },
      { type: 'd', name: 'new', path: '/in/new' },
      { type: '-', name: 'b.txt', size: 5, path: '/in/new/b.txt' },
    ],
  });
  expect(readFileSync(join(folder, 'in/c.txt'), 'utf8')).toBe('Dear Ada');
});

test.each([
  ['ftp', { operation: 'download', path: '/a' }, 'FTP, which does not encrypt'],
  ['ftp', { protocol: 'sftp', operation: 'rename', oldPath: '/a', newPath: '/b' }, 'rename'],
  [
    'ftp',
    { protocol: 'sftp', operation: 'delete', path: '/a', options: { folder: true } },
    'deletes a folder',
  ],
  ['ftp', { protocol: 'sftp', path: 'a/b.txt' }, 'home folder'],
  ['ssh', { resource: 'file', operation: 'download', path: '~/a.txt' }, 'home folder'],
])('what %s does that is not here is a placeholder that says so: %j', async (kind, parameters, why) => {
  const { report } = await importedShort({ nodes: { W, It: [`${kind}@1`, parameters] }, wires: ['W > It'] });
  const one = report.nodes.find(({ name }) => name === 'It');
  expect(one?.word).toBe('placeholder');
  expect(JSON.stringify(report)).toContain(why);
});
