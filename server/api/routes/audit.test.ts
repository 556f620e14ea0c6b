import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from '../../base/log/log.ts';
import { createRedactor } from '../../base/secrets/redactor.ts';
import { testConfig } from '../../testing/fake-context.ts';
import { signIn, startBed } from '../../testing/platform-bed.ts';

/** A server whose audit lines can be read, and a signed-in browser. */
async function startAudited() {
  let lines = '';
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines += chunk.toString();
      done();
    },
  });
  const bed = await startBed(
    {},
    { log: createLog(testConfig({ logLevel: 'info' }), output, createRedactor()) },
  );
  const headers = await signIn(bed);
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const json = body !== undefined && { 'content-type': 'application/json' };
    const sent = { method, headers: { ...headers, ...json }, ...(json && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${bed.url}/api/v1${path}`, sent);
    const text = await answer.text();
    expect(answer.status, text).toBeLessThan(300);
    return (JSON.parse(text) as { data: T }).data;
  };
  const audited = (): Record<string, unknown>[] =>
    lines
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => 'audit' in line && line['audit'] !== 'signed in');
  return { call, audited };
}

const flow = { format: 1, id: 'noted', nodes: { in: { operator: 'trigger.manual' } }, edges: [] };

test('the log names who changes flows and variables, but not the new values', async () => {
  const { call, audited } = await startAudited();
  type Saved = { revision: string; liveVersion: string };
  const made = await call<Saved>('POST', '/flows', { flow });
  const named = { ...flow, name: 'Noted' };
  const changed = await call<Saved>('PUT', '/flows/noted', { flow: named, revision: made.revision });
  const [version] = (await call<{ version: string }[]>('GET', '/flows/noted/versions')).slice(-1);
  const back = await call<Saved>('POST', `/flows/noted/versions/${version?.version}/restore`, {
    revision: changed.revision,
  });
  await call('DELETE', `/flows/noted?revision=${back.revision}`);
  await call('PUT', '/variables/greeting', { value: 'a value that stays out of the log' });
  await call('DELETE', '/variables/greeting');
  const by = expect.stringMatching(/^session /) as string;
  expect(audited()).toMatchObject([
    { audit: 'flow made', flow: 'noted', by },
    { audit: 'flow changed', flow: 'noted', by },
    { audit: 'flow restored', flow: 'noted', version: version?.version, by },
    { audit: 'flow removed', flow: 'noted', by },
    { audit: 'variable set', variable: 'greeting', by },
    { audit: 'variable removed', variable: 'greeting', by },
  ]);
  expect(JSON.stringify(audited())).not.toContain('stays out');
});
