import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunPage } from '#shared/api.ts';
import type { FlowTestCase } from '#shared/flow-test.ts';
import { call, signIn } from '../support/client.ts';
import { countingServer } from '../support/counting-server.ts';
import { type FlowJson, httpTrigger } from '../support/flows.ts';
import { runProgram } from '../support/process.ts';
import { discard, product, startServer, tempFolder } from '../support/server.ts';

const flowOf = (url: string, last: string): FlowJson => ({
  format: 1,
  id: 'ask',
  nodes: {
    start: httpTrigger('/ask'),
    fetch: {
      operator: 'http.request',
      params: { url: `${url}/item?saw={{ input.name }}`, response: 'text' },
    },
    last: { operator: 'text.template', params: { template: last } },
  },
  edges: [
    { from: 'start.out', to: 'fetch.in' },
    { from: 'fetch.body', to: 'last.in' },
  ],
});

test('a run becomes a test that passes without the outside, until the flow changes', async () => {
  const outside = await countingServer();
  onTestFinished(() => outside.close());
  const flows = tempFolder('flows');
  const file = join(flows, 'ask.json');
  writeFileSync(file, JSON.stringify(flowOf(outside.url, '{{ input }}!')));
  const server = await startServer({ flows, env: { WEFT_OUTBOUND_ALLOW: new URL(outside.url).host } });
  onTestFinished(() => discard(server));
  const owner = await signIn(server);
  await call(server, '/ask?name=Ada');
  const [run] = (await owner.data<RunPage>('GET', '/runs?flow=ask')).runs;

  const kept = await owner.data<{ file: string; test: FlowTestCase }>('POST', `/runs/${run?.run}/test`, {
    name: 'Ada asks',
  });
  expect(kept.file).toBe('ask.test.json');
  expect(kept.test).toMatchObject({
    input: { name: 'Ada' },
    outputs: { fetch: { body: 'item-answer' } },
    expect: { status: 'ok', outputs: { last: { out: 'item-answer!' } } },
  });
  const again = await owner.api('POST', `/runs/${run?.run}/test`, { name: 'Ada asks' });
  expect([again.status, again.body]).toMatchObject([409, { err_code: 'conflict' }]);
  await server.stop();
  outside.forget();

  const weft = () =>
    runProgram(process.execPath, [join(product, 'server/weft.js'), 'test', flows], {
      env: { WEFT_DATA: server.data },
    });
  expect(await weft()).toMatchObject({ code: 0, stdout: '✓ ask: Ada asks\n1 passed, 0 failed\n' });
  expect(outside.calls()).toEqual({});
  writeFileSync(file, readFileSync(file, 'utf8').replace('{{ input }}!', '{{ input }}?'));
  const red = await weft();
  expect(red.code).toBe(1);
  expect(red.stdout).toContain('last.out: expected "item-answer!", got "item-answer?"');
});
