import { afterEach, expect, test } from 'vitest';
import { runCli } from '../program.ts';
import { type DevServer, startDev } from '../testing/dev-server.ts';
import { flowText, http, map, type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

/** Output of commands about requests with hidden fields (`format: password`, `writeOnly`); the answer is its caller's own. */
const PASSWORD = 'PWCANARY-swordfish';

const request = {
  type: 'object',
  required: ['user', 'password'],
  properties: { user: { type: 'string' }, password: { type: 'string', format: 'password' } },
};
const log = { operator: 'core.log', params: { message: 'with {{ input.password }}' } };
const says = (text: string) => map(`{{ '${text} ' + nodes.t.password }}`);

function flows(text = 'hi') {
  const nodes = {
    t: http('/a', { request }),
    l: log,
    m: says(text),
    c: { operator: 'flow.call', params: { flow: 'b' } },
  };
  return {
    'flows/a.json': flowText('a', nodes, ['t > l', 't > c', 'c > m']),
    'flows/b.json': flowText('b', { t: http('/b', { request }), l: log, m: map('{{ 1 }}') }, [
      't > l',
      'l > m',
    ]),
    'flows/bad.json': flowText(
      'bad',
      {
        t: http('/bad', { request }),
        s: { operator: 'logic.stop', params: { message: 'No {{ input.password }}' } },
      },
      ['t > s'],
    ),
  };
}

let project: TempProject;
let dev: DevServer | undefined;
afterEach(async () => {
  await dev?.stop();
  dev = undefined;
  project.remove();
});

const input = JSON.stringify({ user: 'ada', password: PASSWORD });

test.each([[[]], [['--events']], [['--events', '--json']]])('weft run %j', async (more) => {
  project = tempProject(flows());
  const io = testIo(project.folder);
  await runCli(['run', 'a', '--input', input, '--record', 'kept.json', ...more], io);
  expect(io.stdout.text).toContain(`hi ${PASSWORD}`);
  expect(io.stderr.text.match(/with \*\*\*/g)?.length).toBeGreaterThanOrEqual(2);
  expect(io.stderr.text).not.toContain(PASSWORD);
  expect(project.read('kept.json')).not.toContain(PASSWORD);
  const failing = testIo(project.folder);
  expect(await runCli(['run', 'bad', '--input', input, ...more], failing)).toBe(1);
  expect(failing.stdout.text + failing.stderr.text).toContain('No ***');
  expect(failing.stdout.text + failing.stderr.text).not.toContain(PASSWORD);
});

test.each([[[]], [['--json']]])('weft dev %j', async (more) => {
  project = tempProject(flows());
  dev = await startDev(project, ['flows/a.json', 'flows/b.json', 'flows/bad.json', ...more]);
  const { io, call, printed } = dev;
  for (const path of ['/bad', '/b', '/a']) await call(`${path}?user=ada&password=${PASSWORD}`);
  await call(`/a?pass=${PASSWORD}&password=${PASSWORD}`);
  await printed(/invalid_request/);
  expect(io.stdout.text).toContain('with ***');
  expect(io.stdout.text).toContain('No ***');
  await call(`/a?user=ada&password=${PASSWORD}`);
  project.write('flows/a.json', flows('bye')['flows/a.json']);
  await printed(/bye/);
  expect(io.stdout.text).not.toContain(PASSWORD);
});
