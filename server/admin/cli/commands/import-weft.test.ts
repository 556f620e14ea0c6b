import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../program.ts';
import { type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

/** Flows of Weft itself, as they lie in `flows/` of another server or on a page of the docs. */
let project: TempProject;
beforeEach(() => {
  project = tempProject();
});
afterEach(() => project.remove());

async function weft(...args: string[]) {
  const io = testIo(project.folder);
  const code = await runCli(args, io);
  return { code, out: io.stdout.text, err: io.stderr.text };
}

const FLOW = {
  format: 1,
  id: 'greetings',
  name: 'Greetings',
  nodes: {
    start: { operator: 'trigger.http', params: { path: '/greetings', auth: 'none' } },
    hello: { operator: 'text.template', params: { template: 'Hello {{ nodes.start.query.name }}' } },
  },
  edges: [{ from: 'start.out', to: 'hello.in' }],
};

const give = (name: string, flow: unknown): void =>
  writeFileSync(join(project.folder, name), JSON.stringify(flow));
const draftOf = (id: string): string => join(project.folder, 'flows', '.drafts', `${id}.json`);

test('a flow is imported as a draft with its id, and its trigger closed', async () => {
  give('given.json', FLOW);
  const { code, out } = await weft('import', 'given.json');
  expect(out).toContain('imported Greetings of Weft as the draft greetings: 2 equal');
  expect(out).toContain('Anyone could call it');
  expect(code).toBe(0);
  expect(readFileSync(draftOf('greetings'), 'utf8')).toContain('Hello {{ nodes.start.query.name }}');
});

test('a flow whose id is taken gets another one, and both are kept', async () => {
  give('given.json', FLOW);
  await weft('import', 'given.json');
  const { code, out } = await weft('import', 'given.json', '--open-triggers');
  expect(out).toContain('Another flow has the id greetings here, so this one is greetings_2.');
  expect([code, existsSync(draftOf('greetings')), existsSync(draftOf('greetings_2'))]).toEqual([
    0,
    true,
    true,
  ]);
});

test('a flow with a mistake says where it is, and nothing is written', async () => {
  give('given.json', { ...FLOW, nodes: { start: { params: {} } } });
  const { code, out, err } = await weft('import', 'given.json');
  expect(code).toBe(1);
  expect(out + err).toMatch(
    /left out given\.json: It is a flow of Weft with a mistake at nodes\.start\.operator/,
  );
  expect(existsSync(draftOf('greetings'))).toBe(false);
});
