import { expect, it } from 'vitest';
import type { ImportAnswer } from '#shared/import-report.ts';
import { n8nFile } from '../../flows/imports/n8n/testing/short.ts';
import { startBed } from '../../testing/platform-bed.ts';
import { routeCaller } from '../../testing/route-caller.ts';

const sub = n8nFile('Sub', { nodes: { In: ['executeWorkflowTrigger'] }, more: { id: 'abc' } });
const main = n8nFile('Main', {
  nodes: {
    Hook: ['webhook@2', { path: 'x', responseMode: 'lastNode', options: { token: 'sesame-street' } }],
    Set: ['set@3.4', { assignments: { assignments: [{ name: 'a', type: 'string', value: '=x' }] } }],
  },
  wires: ['Hook > Set'],
  more: {
    pinData: { Set: [{ json: { a: 1 } }] },
    settings: { errorWorkflow: 'abc', timezone: 'Europe/Oslo' },
  },
});
const files = [
  { path: 'main.json', text: JSON.stringify(main) },
  { path: 'sub.json', text: JSON.stringify(sub) },
  { path: 'odd.json', text: '{"a": 1}' },
];

it('files are told as they would be, and nothing is written', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const answer = (await call('POST /api/v1/imports', { body: { files } })) as ImportAnswer;
  expect(answer).toMatchObject({
    imports: [
      {
        report: {
          name: 'Main',
          flows: ['main'],
          changes: expect.arrayContaining([expect.anything()]) as unknown,
        },
        drafts: [{ flow: { id: 'main', settings: { onFailure: 'sub', timezone: 'Europe/Oslo' } } }],
        drawing: { boxes: [{ name: 'Hook' }, { name: 'Set' }], wires: [{ from: 0, to: 1 }] },
      },
      { report: { name: 'Sub', flows: ['sub'] } },
    ],
    left: [{ file: 'odd.json' }],
    summary: { flows: 2 },
  });
  expect(JSON.stringify(answer)).not.toContain('sesame');
  expect(bed.ctx.flows.list()).toEqual([]);
});

it('with `save` they are drafts, whose triggers ask for a key, with their pins and secrets', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  await call('POST /api/v1/imports', { body: { files, save: true } });
  expect(bed.ctx.flows.list().map(({ id, state }) => [id, state])).toEqual([
    ['main', 'draft'],
    ['sub', 'draft'],
  ]);
  const { flow } = await bed.ctx.flows.get('main');
  expect(flow?.nodes['hook']?.params?.['auth']).toBe('api-key');
  expect(await bed.ctx.pins.get('main')).toEqual({ set: { out: { a: 1 } } });
});

it('a file that is cut is left out with its reason', async () => {
  const bed = await startBed();
  const { call } = await routeCaller(bed);
  const cut = { path: 'cut.json', text: '{"nodes": [' };
  expect(await call('POST /api/v1/imports', { body: { files: [cut, ...files] } })).toMatchObject({
    imports: [{}, {}],
    left: [
      { file: 'odd.json' },
      { file: 'cut.json', message: expect.stringContaining('not valid JSON') as string },
    ],
  });
});

it('who may write flows, and is no administrator, stores no secrets and is told so', async () => {
  const bed = await startBed();
  const { key } = await bed.ctx.keys.create({ name: 'writer', scopes: ['flows:write', 'flows:read'] });
  const keyed = n8nFile('Keyed', {
    nodes: {
      Start: ['manualTrigger'],
      Send: [
        'httpRequest@4',
        {
          url: 'https://api.example.com/x',
          sendHeaders: true,
          headerParameters: { parameters: [{ name: 'Authorization', value: 'Bearer sesame-street' }] },
        },
      ],
    },
    wires: ['Start > Send'],
  });
  const answer = await fetch(`${bed.url}/api/v1/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ files: [{ path: 'keyed.json', text: JSON.stringify(keyed) }], save: true }),
  });
  const { data } = (await answer.json()) as { data: ImportAnswer };
  expect(data.imports[0]?.report.needs).toMatchObject([
    { kind: 'secret', name: 'keyed_authorization', kept: false },
  ]);
  expect(bed.ctx.secrets.list()).toEqual([]);
  expect(bed.ctx.flows.list().map(({ id }) => id)).toEqual(['keyed']);
});
