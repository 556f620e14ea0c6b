import { expect, test } from 'vitest';
import { startBed, tempFolder } from '../../../testing/platform-bed.ts';
import { runCli } from '../program.ts';
import { testIo } from '../testing/test-io.ts';
import { actorNamed } from '../../../flows/service/testing/flow-fixture.ts';

const key = 'a-key-for-this-test';
const flow = JSON.stringify({
  format: 1,
  id: 'echo',
  nodes: { t: { operator: 'trigger.http', params: { path: '/echo', auth: 'none' } } },
  edges: [],
});

test('prints the runs of a server as they happen, until it is stopped', async () => {
  const bed = await startBed({ apiKeys: [key] });
  await bed.ctx.flows.save('echo', flow, { revision: undefined, actor: actorNamed('test') });
  const io = testIo(await tempFolder(), { env: { WEFT_API_KEY: key } });
  const ended = runCli(['watch', '--url', bed.url], io);
  await io.stderr.next(/watching all flows/);
  await fetch(`${bed.url}/api/v1/awel/trigger/echo?q=1`);
  await io.stdout.next(/node-output t\.out {"q":"1"}/);
  await io.stdout.next(/run-finished ok/);
  io.stop();
  expect(await ended).toBe(0);
});

test('prints a way out when the key is refused or missing, or no server answers', async () => {
  const bed = await startBed({ apiKeys: [key] });
  const refused = testIo(await tempFolder(), { env: { WEFT_API_KEY: 'wrong' } });
  expect(await runCli(['watch', '--url', bed.url], refused)).toBe(1);
  expect(refused.stderr.text).toMatch(/status 401.*WEFT_API_KEY/);

  const keyless = testIo(await tempFolder(), { env: {} });
  expect(await runCli(['watch', '--url', bed.url], keyless)).toBe(2);
  expect(keyless.stderr.text).toMatch(/set WEFT_API_KEY/);

  await bed.stop();
  const alone = testIo(await tempFolder(), { env: { WEFT_API_KEY: key } });
  expect(await runCli(['watch', '--url', bed.url], alone)).toBe(1);
  expect(alone.stderr.text).toMatch(/cannot be reached/);
});
