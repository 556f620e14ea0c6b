import { request } from 'node:http';
import { json } from 'node:stream/consumers';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { WeftError } from '#engine';
import { controlSocket } from '../../base/files/data-folder.ts';
import { tempFolder } from '../../testing/platform-bed.ts';
import { type ControlDeps, openControl } from './control.ts';

async function ask(auditLog: Partial<ControlDeps['auditLog']>, body: object): Promise<unknown> {
  const data = await tempFolder();
  const log = pino({ level: 'silent' });
  const control = await openControl({ data, log, auditLog } as unknown as ControlDeps);
  onTestFinished(() => control.close());
  const asked = request({ socketPath: controlSocket(data), method: 'POST' }).end(JSON.stringify(body));
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return json(response);
}

const failing = (error: Error): Partial<ControlDeps['auditLog']> => ({ list: () => Promise.reject(error) });
const list = { do: 'audit.list', query: { limit: 1 } };

test('a command whose database does not answer reports that, not a bug', async () => {
  const error = new WeftError(
    'storage_failed',
    'The database could not be used (away); repair it, then repeat.',
  );
  expect(await ask(failing(error), list)).toEqual({
    ok: false,
    code: 'storage_failed',
    message: error.message,
  });
  expect(await ask(failing(new Error('secret details')), list)).toMatchObject({
    ok: false,
    code: 'internal',
    message: expect.not.stringContaining('details'),
  });
});
