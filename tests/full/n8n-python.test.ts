import { beforeAll, expect, test } from 'vitest';
import type { Operator } from '#engine';
import type { Flow } from '#shared/flow.ts';
import type { ImportReport } from '#shared/import-report.ts';
import { bodyOf, flowOf, play } from '../../engine/testing/play.ts';
import { givenFile, readFiles } from '../../server/flows/imports/import-files.ts';
import { n8nFile } from '../../server/flows/imports/n8n/testing/short.ts';
import { builtInRegistry } from '../../server/flows/service/testing/flow-fixture.ts';
import { loadPython, PythonRun } from '../support/python.ts';

/** Python of n8n's code nodes, run by the operator that it becomes, with the node behind it. */
let python: Operator;
beforeAll(async () => {
  python = await loadPython();
});

async function imported(
  pythonCode: string,
  more: Record<string, unknown> = {},
): Promise<{ flow: Flow; report: ImportReport }> {
  const file = n8nFile('One', {
    nodes: {
      Start: ['manualTrigger@1'],
      Other: ['code@2', { jsCode: 'return [{ json: { size: 3 } }, { json: { size: 4 } }];' }],
      Python: ['code@2', { language: 'python', pythonCode, ...more }],
    },
    wires: ['Start > Other', 'Other > Python'],
  });
  const { catalog } = await builtInRegistry();
  const given = givenFile({ path: 'a.json', bytes: Buffer.from(JSON.stringify(file)) });
  const [read] = (await readFiles([given], { catalog, taken: new Set(), open: true })).flows;
  return { flow: read?.drafts[0]?.flow as Flow, report: read?.report as ImportReport };
}

/** The items that it gives for what leads to it. */
async function given(code: string, input: unknown, more: Record<string, unknown> = {}): Promise<unknown> {
  const { flow } = await imported(code, more);
  const nodes = Object.entries(flow.nodes);
  const [id, node] = nodes.find(([, { operator }]) => operator === 'code.python') ?? [];
  const run = new PythonRun(python, String(node?.params?.['source']), { input });
  const behind = flow.edges.find(({ from }) => from === `${id}.out`)?.to.split('.')[0] as string;
  const items = flow.nodes[behind] as Flow['nodes'][string];
  return bodyOf(play(flowOf({ start: 'trigger.manual', items }, ['start > items']), await run.end()));
}

test('it has its items under their names there', async () => {
  const code = `import json, re
out = []
for item in _input.all():
    item.json.double = item.json.n * 2
    out.append(item)
last = items[-1]['json']
out.append({'json': {'first': _input.first().json.to_py(), 'same': _items[0]['json'].get('n'), 'last': last['tags'][0]}})
input = 'a name of its own'
return out`;
  expect(await given(code, [{ n: 1 }, { n: 2, tags: ['x'] }])).toEqual([
    { n: 1, double: 2 },
    { n: 2, tags: ['x'], double: 4 },
    { first: { n: 1, double: 2 }, same: 1, last: 'x' },
  ]);
});

test('what it returns becomes items as there', async () => {
  expect(await given('return {"json": {"a": 1}}', [{}])).toEqual([{ a: 1 }]);
  expect(await given('return [{"a": 1}, {"json": {"b": 2}}]', [{}])).toEqual([{ a: 1 }, { b: 2 }]);
  expect(await given('for item in items:\n    print(item.json.n)', [{ n: 1 }])).toEqual([]);
});

test('for each item it has the item', async () => {
  const more = { mode: 'runOnceForEachItem' };
  expect(
    await given('_input.item.json["m"] = _json["n"] + _item.json.n\nreturn _input.item', { n: 2 }, more),
  ).toEqual([{ n: 2, m: 4 }]);
});

test('it reads the items of other nodes', async () => {
  const code = `size = int(_('Other').first()['json']['size'])
return [{'size': size, 'all': len(_node['Other'].all()), 'own': [one.json.n for one in _input.all()]}]`;
  const input = { items: [{ n: 7 }], nodes: { Other: { all: [{ size: 3 }, { size: 4 }], own: null } } };
  expect(await given(code, input)).toEqual([{ size: 3, all: 2, own: [7] }]);
});

test('the report names the package, and what Python does not have', async () => {
  const { report } = await imported('import os\nreturn [{"now": _now.toISO(), "key": os.getenv("KEY")}]');
  expect(report.nodes.find(({ name }) => name === 'Python')?.word).toBe('needs');
  expect(report.needs.map(({ kind, name }) => [kind, name])).toEqual([['package', 'weft-python']]);
  expect(report.changes.filter(({ effect }) => effect === 'lost').map(({ before }) => before)).toEqual([
    '_now',
    'os.getenv',
  ]);
  const { report: foreign } = await imported('import numpy as np, json\nreturn []');
  expect(foreign.nodes.find(({ name }) => name === 'Python')).toMatchObject({
    word: 'placeholder',
    difference: 'It cannot be taken over: its Python needs numpy, which is not there.',
  });
});
