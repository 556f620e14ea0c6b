import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { formatFlow, parse } from '#engine/check';
import { difyYaml, field, output } from '../../../flows/imports/dify/testing/dify-app.ts';
import { n8nFile } from '../../../flows/imports/n8n/testing/short.ts';
import { corpus, originalFlow } from '../../../flows/awel/testing/original-flow.ts';
import { startServer } from '../../../server.ts';
import { testConfig } from '../../../testing/fake-context.ts';
import { runCli } from '../program.ts';
import { greeting, type TempProject, tempProject } from '../testing/temp-project.ts';
import { testIo } from '../testing/test-io.ts';

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

it('a DB-GPT flow becomes a draft with its layout, and its needs are printed', async () => {
  project.write('hello.json', JSON.stringify({ flow: corpus('hello_flow') }));
  const result = await weft('import', 'hello.json');
  expect(result).toEqual({
    code: 0,
    err: '',
    out: [
      'imported Hello Flow as the draft hello_flow; publish it in the editor after reading its requirements:',
      '  trigger dict_http_trigger: POST /flow/hello, auth api-key (it was open to all; --open-triggers keeps that)',
      '',
    ].join('\n'),
  });
  const draft = parse(project.read('flows/.drafts/hello_flow.json'), { id: 'hello_flow' });
  expect(draft).toMatchObject({ flow: { name: 'Hello Flow' }, problems: [] });
  expect(JSON.parse(project.read('flows/hello_flow.layout.json'))).toMatchObject({
    nodes: { example_http_hello_operator: { x: 600, y: 100 } },
  });
  expect(project.has('flows/hello_flow.json')).toBe(false);
  expect(await weft('import', 'hello.json', '--id', 'hello_flow')).toMatchObject({ code: 1, err: /--id/ });
});

describe('a folder or an archive of packages', () => {
  const manifest = (type: string, name: string) =>
    `[flow]\nlabel = "The ${name}"\nname = "${name}"\ndefinition_type = "${type}"\n[json_config]\nfile_path = "d/flow.json"\n`;
  const drawing = corpus('hello_flow')['flow_data'] as object;
  const files = {
    'one/dbgpts.toml': manifest('json', 'first'),
    'one/one/d/flow.json': JSON.stringify(drawing),
    'two/dbgpts.toml': manifest('python', 'second'),
    'three.json': JSON.stringify({ flow: { ...corpus('hello_flow'), uid: null, name: 'third' } }),
  };

  it('is imported as a whole, and the rest is named', async () => {
    for (const [path, text] of Object.entries(files)) project.write(`hub/${path}`, text);
    const { code, out } = await weft('import', 'hub', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      imported: [
        { id: 'first', label: 'The first', file: 'one/one/d/flow.json' },
        { id: 'third', file: 'three.json' },
      ],
      left: [{ file: 'two/dbgpts.toml', message: expect.stringContaining('Python') as string }],
    });
    expect(project.has('flows/.drafts/first.json') && project.has('flows/.drafts/third.json')).toBe(true);
    expect(await weft('import', 'hub', '--id', 'x')).toMatchObject({ code: 2, err: /2 flows/ });
  });

  it('may be a zip archive, whose refused flows do not affect the others', async () => {
    const all = { ...files, 'bad.json': JSON.stringify({ ...corpus('hello_flow'), state: 'odd' }) };
    const packed = Object.entries(all).map(([path, text]) => [path, strToU8(text)]);
    writeFileSync(join(project.folder, 'hub.zip'), zipSync(Object.fromEntries(packed)));
    const { code, out } = await weft('import', 'hub.zip');
    expect(code).toBe(1);
    expect(out).toContain('imported The first as the draft first;');
    expect(out).toMatch(/left out bad\.json: .*state/);
    expect(out).toContain('left out two/dbgpts.toml: The flow second is written in Python');
  });

  it('without a flow is not imported', async () => {
    project.write('hub/x.json', '{}');
    expect(await weft('import', 'hub')).toMatchObject({ code: 1, out: /no flow that could be imported/ });
  });

  it('is not needed for a file that contains the nodes and edges alone', async () => {
    project.write('my_chat/definition/flow_definition.json', JSON.stringify(drawing));
    const { out } = await weft('import', 'my_chat/definition/flow_definition.json');
    expect(out).toContain('imported my_chat as the draft my_chat;');
  });
});

it('with errors to fix it is imported nevertheless, and the exit code shows it', async () => {
  const flow = originalFlow({
    nodes: {
      t: { name: 'dict_http_trigger', values: { endpoint: '/x' } },
      p: { name: 'agent_branch_operator' },
    },
    edges: ['t.0 > p.0'],
  });
  project.write('some.json', JSON.stringify(flow));
  const done = await weft('import', 'some.json', '--id', 'mine', '--open-triggers', '--json');
  expect(done.code).toBe(1);
  expect(JSON.parse(done.out)).toMatchObject({
    id: 'mine',
    problems: [{ code: 'unknown-operator', node: 'p' }],
    sheet: { triggers: [{ auth: 'none', closed: false }], placeholders: ['p'] },
  });
  expect((await weft('import', 'some.json')).out).toContain('error unknown-operator at p: ');
});

it.each([
  ['Node-RED', [{ id: '1', type: 'inject', wires: [['2']] }]],
  ['Langflow', { data: { nodes: [], edges: [] } }],
  ['Flowise', { nodes: [{ data: { inputAnchors: [] } }], edges: [] }],
])('an export of %s is called so', async (product, file) => {
  project.write('other.json', JSON.stringify(file));
  const { code, err } = await weft('import', 'other.json');
  expect(code).not.toBe(0);
  expect(err).toContain(`This is an export of ${product}.`);
});

it('an app of Dify becomes a draft, also from a folder', async () => {
  const app = difyYaml({
    name: 'Greeter',
    nodes: {
      start: { type: 'start', variables: [field('name')] },
      clock: { type: 'tool', provider_id: 'acme', tool_name: 'timezones', api_key: 'sesame-street' },
      end: { type: 'end', outputs: [output('name', 'start', 'name')] },
    },
    edges: ['start > clock', 'clock > end'],
  });
  project.write('apps/greeter.yml', app);
  project.write('apps/broken.yml', app.slice(0, 100));
  const told = await weft('import', 'apps', '--check');
  expect(told.code).toBe(1);
  expect(told.out).not.toContain('sesame');
  expect(JSON.parse(told.out)).toMatchObject({
    imports: [
      {
        product: 'Dify',
        flows: ['greeter'],
        nodes: [
          { name: 'start', word: 'close' },
          { name: 'clock', word: 'placeholder', offers: [/now/, /Schedule/] },
          { name: 'end', word: 'equal' },
        ],
      },
    ],
    summary: { flows: 1, ready: 0, placeholders: [{ type: 'tool', flows: 1 }] },
  });
  const done = await weft('import', 'apps/greeter.yml', '--id', 'hello');
  expect(done.out).toContain('hello');
});

describe('a workflow of n8n', () => {
  const file = JSON.stringify(
    n8nFile('Order intake', {
      nodes: {
        Hook: ['webhook@2', { path: 'orders', httpMethod: 'POST', responseMode: 'lastNode' }],
        Send: [
          'httpRequest@4',
          {
            url: 'https://api.example.com/x',
            sendHeaders: true,
            headerParameters: { parameters: [{ name: 'Authorization', value: 'Bearer sesame-street' }] },
          },
        ],
        Odd: ['acuityScheduling', { apiKey: 'sesame-street-2' }],
      },
      wires: ['Hook > Send', 'Send > Odd'],
    }),
  );

  it('is told before anything is written', async () => {
    project.write('n8n.json', file);
    const { code, out } = await weft('import', 'n8n.json', '--check');
    expect(code).toBe(1);
    expect(out).not.toContain('sesame');
    expect(JSON.parse(out)).toMatchObject({
      imports: [
        {
          product: 'n8n',
          flows: ['order_intake'],
          nodes: [
            { name: 'Hook', word: 'equal', nodes: ['hook', 'hook_item'] },
            { name: 'Send', word: 'equal' },
            { name: 'Odd', word: 'placeholder', nodes: ['odd'], offers: [/http/, /code/] },
          ],
          needs: [{ kind: 'secret', name: 'order_intake_authorization', kept: true }],
        },
      ],
      summary: { flows: 1, ready: 0, placeholders: [{ type: 'n8n-nodes-base.acuityScheduling', flows: 1 }] },
    });
    expect(project.has('flows')).toBe(false);
  });

  it('becomes a draft, and its keys are secrets that nobody may use yet', async () => {
    project.write('n8n.json', file);
    const { code, out } = await weft('import', 'n8n.json', '--id', 'orders');
    expect([code, out]).toEqual([1, expect.stringContaining('as the draft orders: 2 equal, 1 placeholder')]);
    expect(out).toContain('1. Grant the secret orders_authorization to the host that “Send” calls.');
    const text = project.read('flows/.drafts/orders.json');
    expect(text + out + project.read('data/secrets.json')).not.toContain('sesame');
    expect(parse(text, { id: 'orders' }).flow?.nodes['send']?.params?.['auth']).toEqual({
      type: 'bearer',
      secret: { $secret: 'orders_authorization' },
    });
    expect(Object.keys(JSON.parse(project.read('data/secrets.json')).secrets)).toEqual([
      'orders_authorization',
      'orders_api_key',
    ]);
  });

  it('goes to a server that holds the data folder', async () => {
    project.write('n8n.json', file);
    const folders = { data: join(project.folder, 'data'), flows: [join(project.folder, 'flows')] };
    const server = await startServer(testConfig(folders), { editorFiles: '/nonexistent' });
    try {
      expect((await weft('import', 'n8n.json')).out).toContain('as the draft order_intake');
      expect(await weft('import', 'n8n.json')).toMatchObject({ out: /as the draft order_intake_2/ });
    } finally {
      await server.stop();
    }
  });
});

it('anything but a flow file of DB-GPT is refused with advice', async () => {
  project.write('bad.json', '{"flow": {}}');
  project.write('cut.json', '{"flow": ');
  const refused = await weft('import', 'bad.json');
  expect(refused.code).toBe(1);
  expect(refused.err).toContain('flow_data');
  expect((await weft('import', 'cut.json')).err).toContain('not valid JSON');
  expect(await weft('import', 'none.json')).toMatchObject({ code: 2 });
  expect(await weft('import', 'bad.json', '--id', 'No')).toMatchObject({ code: 2 });
  expect(project.has('flows')).toBe(false);
});

it('an export imports as the same flow', async () => {
  const text = greeting('hello');
  project.write('flows/hello.json', text);
  project.write(
    'flows/hello.layout.json',
    '{"format":1,"nodes":{"greet":{"x":5,"y":6},"request":{"x":1,"y":2}}}',
  );
  expect(await weft('export', 'hello', '--out', 'export.json')).toMatchObject({ code: 0, out: '' });
  expect(JSON.parse((await weft('export', 'flows/hello.json')).out)).toEqual(
    JSON.parse(project.read('export.json')),
  );
  expect(await weft('export', 'hello', '--out', 'export.json')).toMatchObject({ code: 2 });
  expect(await weft('import', 'export.json', '--id', 'copy', '--open-triggers')).toMatchObject({ code: 0 });
  const { flow } = parse(project.read('flows/.drafts/copy.json'));
  expect(flow && formatFlow({ ...flow, id: 'hello' })).toBe(text);
  expect(JSON.parse(project.read('flows/copy.layout.json'))).toMatchObject({
    nodes: { greet: { x: 5, y: 6 } },
  });
});

it('a file that cannot be read as a flow is not exported', async () => {
  project.write('flows/broken.json', '{');
  expect(await weft('export', 'broken')).toMatchObject({ code: 1, out: '' });
  expect(await weft('export', 'nope')).toMatchObject({ code: 2 });
});

it('while a server runs on the folders the server imports it itself', async () => {
  project.write('hello.json', JSON.stringify(corpus('hello_flow')));
  const config = testConfig({ flows: [join(project.folder, 'flows')], data: join(project.folder, 'data') });
  const server = await startServer(config, { editorFiles: '/nonexistent' });
  try {
    expect(await weft('import', 'hello.json')).toMatchObject({ code: 0, err: '' });
    expect(server.ctx.flows.list()).toMatchObject([{ id: 'hello_flow', state: 'draft' }]);
    expect(await weft('import', 'hello.json')).toMatchObject({ code: 1 });
  } finally {
    await server.stop();
  }
});
