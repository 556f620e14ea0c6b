import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFolders, signal, storeContract } from '../../server/storage/file-store/store.contract.ts';
import { connectionBed } from '../../server/integrations/connections/testing/connection-bed.ts';
import { s3ServerProgram } from '../runner/services.ts';
import { eventually } from '../support/eventually.ts';
import { tempFolder } from '../support/server.ts';
import { freePort } from './proxy-suite.ts';

const BUCKET = 'weft-files';
/** The credentials that the server knows. */
const KEY = 'S3RVER';

let endpoint = '';
let stop = async (): Promise<void> => {};
let opened = 0;

beforeAll(async () => {
  const folder = tempFolder('s3');
  mkdirSync(join(folder, BUCKET));
  const port = await freePort();
  endpoint = `http://127.0.0.1:${port}`;
  const args = ['--directory', folder, '--address', '127.0.0.1', '--port', String(port), '--silent'];
  const server = spawn(process.execPath, [s3ServerProgram, ...args, '--configure-bucket', BUCKET], {
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  stop = async () => {
    server.kill('SIGKILL');
    await ended;
  };
  await eventually(() => fetch(endpoint));
});
afterAll(() => stop());

/** A connection `inbox`, empty at first: each has a prefix of its own. */
async function open(more: object = {}) {
  const { connections } = connectionBed({ allow: ['127.0.0.1'] });
  opened += 1;
  const own = { endpoint, region: 'us-east-1', bucket: BUCKET, accessKey: KEY, secretKey: KEY };
  const settings = { ...own, prefix: `test-${opened}`, ...more };
  await connections.put('inbox', { kind: 's3', settings, grants: { flows: ['f'] } });
  const folders = await openFolders({ folders: {}, connected: (...asked) => connections.store(...asked) });
  return { ...folders, connections };
}

storeContract('s3rver', () => open(), { conditions: true, folders: true });

test('the test of a connection names the bucket and its host', async () => {
  const { connections, close } = await open();
  expect(await connections.test('inbox')).toMatchObject({
    ok: true,
    about: expect.stringContaining(BUCKET),
  });
  await close();
});

// A wrong secret key is not among them: s3rver does not check signatures of version 4; server/integrations/connections/kinds/s3/s3.full.test.ts does.
test.each([
  ['access key', { accessKey: 'AKOTHER' }],
  ['bucket', { bucket: 'no-such-bucket' }],
])('a wrong %s is refused', async (_, more) => {
  const { connections, folders, close } = await open(more);
  expect(await connections.test('inbox')).toMatchObject({ ok: false, error: { code: 'connection_refused' } });
  const by = { flow: 'f', version: 'v', run: 'r', node: 'n', operator: 'file.list' };
  await expect(folders.list('inbox', '', by, { signal })).rejects.toMatchObject({
    code: 'connection_refused',
  });
  await close();
});
