import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { WaitPage } from '#shared/wait.ts';
import { programOf020, unpackOf020 } from '../fixtures/of-0.2.0.ts';
import { call, signIn } from '../support/client.ts';
import { write } from '../support/flows.ts';
import { fencesOf } from '../support/markdown.ts';
import { runProgram } from '../support/process.ts';
import { product, startServer, tempFolder } from '../support/server.ts';
import { strangersEnv } from '../support/stranger.ts';

/** The commands of docs/upgrade.md, typed where the page says: beside the data of 0.2.0, after a start, and in a folder of 0.2.0. */
const blocks = fencesOf('docs/upgrade.md').flatMap(({ language, text }) => (language === 'sh' ? [text] : []));

test('every command of the page does what the page says', async () => {
  const place = tempFolder('upgrade');
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const fixture = await unpackOf020('folder', 0);
  onTestFinished(() => fixture.remove());
  const { program, remove } = programOf020();
  onTestFinished(remove);
  const scripts = (of: string) => JSON.stringify({ scripts: { weft: `node ${join(of, 'server/weft.js')}` } });
  const [weft, old] = [join(place, 'weft'), join(place, 'weft-0.2.0')];
  renameSync(join(String(fixture.setup.data), '..'), weft);
  write(weft, 'package.json', scripts(product));
  write(old, 'package.json', scripts(program));
  for (const name of ['data', 'flows']) mkdirSync(join(old, name));

  const env = strangersEnv({ WEFT_PORT: '0', ...fixture.setup.env });
  const type = async (text: string, cwd: string, expected = 0): Promise<string> => {
    const { code, stdout, stderr } = await runProgram('bash', ['-ec', text], { cwd, env, timeout: 120_000 });
    if (code !== expected) throw new Error(stdout + stderr);
    return stdout + stderr;
  };
  const [before = '', doctor = '', back = '', again = '', copies = '', ...others] = blocks;
  expect(others).toEqual([]);

  const told = await type(before, weft);
  expect(told).toContain('weft.db: brought from format 13 to');
  expect(told).toMatch(/weft-backup: \d+ files/);
  const server = await startServer({
    flows: join(weft, 'flows'),
    data: join(weft, 'data'),
    env: { ...fixture.setup.env },
  });
  await server.stop();
  // Its data name a provider that does not run here.
  expect(await type(doctor, weft, 1)).toContain('ollama');
  expect(await type(back, weft)).toContain('wrote ../weft-for-0.2.jsonl');
  expect(await type(again, old)).toMatch(/imported 19 flows/);
  await type(copies, weft);
  const { data, flows } = { data: join(weft, 'data'), flows: join(weft, 'flows') };
  const returned = await startServer({ program, data, flows, env: fixture.setup.env });
  expect((await call(returned, '/doubled')).body).toEqual(fixture.facts.answers['/doubled']);
  const { waits } = await (await signIn(returned)).data<WaitPage>('GET', '/waits');
  expect(waits.map(({ run }) => run)).toContain(fixture.facts.waiting.run);
  await returned.stop();
});
