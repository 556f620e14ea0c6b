import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { LARGE_TEXT } from './examinations.ts';
import { actorNamed, flowFixture, type FlowFixture } from './testing/flow-fixture.ts';

let f: FlowFixture;
afterEach(() => f.end());

/** A canonical text that is checked in the thread; each node contains this text. */
function largeText(says: string): string {
  const ids = Array.from({ length: 800 }, (_, i) => `n${1000 + i}`);
  const template = `${says} ${'x'.repeat(100)}`;
  const node = (id: string) =>
    `    "${id}": {\n      "operator": "text.template",\n      "params": {\n        "template": "${template}"\n      }\n    }`;
  const start = '    "start": {\n      "operator": "trigger.manual"\n    }';
  const edges = ids.map((id) => `    { "from": "start.out", "to": "${id}.in" }`).join(',\n');
  const text = `{\n  "format": 1,\n  "id": "big",\n  "nodes": {\n${[...ids.map(node), start].join(',\n')}\n  },\n  "edges": [\n${edges}\n  ]\n}\n`;
  expect(text.length).toBeGreaterThan(LARGE_TEXT);
  return text;
}

const isTemporary = (name: string) => name.endsWith('.tmp');
const versionsFolder = () => join(f.data, 'versions', 'big');
/** Files that a save leaves beside its targets. */
const leftovers = () =>
  [f.flows, versionsFolder()].flatMap((folder) =>
    existsSync(folder) ? readdirSync(folder).filter(isTemporary) : [],
  );

async function save(text: string) {
  const { revision } = await f.service.get('big');
  return f.service.save('big', text, { revision, actor: actorNamed('ada') });
}

it('a large flow is beside its file while it is being checked, and in its place when it is live', async () => {
  const files = { 'big.json': largeText('one') };
  const duringCheck = () =>
    expect.poll(() => leftovers().some((name) => name.startsWith('.big.json.'))).toBe(true);
  f = await flowFixture(files, { duringCheck });
  const saved = await save(largeText('two'));
  expect(saved.state).toBe('live');
  expect(f.read('big.json')).toBe(largeText('two'));
  expect(await f.service.versionText('big', saved.version ?? '')).toBe(largeText('two'));
  expect(await f.service.versions('big')).toMatchObject([{ author: 'ada', live: true }, { author: 'file' }]);
  expect(leftovers()).toEqual([]);
});

it('a large flow with errors leaves nothing beside its file', async () => {
  f = await flowFixture({ 'big.json': largeText('one') });
  expect(await save(largeText('{{ nodes.gone }}'))).toMatchObject({ state: 'live', hasDraft: true });
  expect(f.read('big.json')).toBe(largeText('one'));
  expect(leftovers()).toEqual([]);
  await expect.poll(() => f.service.versions('big')).toHaveLength(1);
});

it('an outside change while a large flow is judged is not overwritten, and nothing is left beside it', async () => {
  f = await flowFixture(
    { 'big.json': largeText('one') },
    { duringCheck: () => f.write('big.json', largeText('outside')) },
  );
  await expect(save(largeText('two'))).rejects.toMatchObject({ code: 'revision_conflict' });
  expect(f.read('big.json')).toBe(largeText('outside'));
  expect(leftovers()).toEqual([]);
});

it('a large flow goes live although its version cannot be stored', async () => {
  f = await flowFixture({ 'big.json': largeText('one') });
  await expect.poll(() => f.service.versions('big')).toHaveLength(1);
  rmSync(versionsFolder(), { recursive: true });
  writeFileSync(versionsFolder(), '');
  expect(await save(largeText('two'))).toMatchObject({ state: 'live' });
  expect(f.log.map(({ message }) => message).join()).toMatch(/could not be stored/);
  expect(f.read('big.json')).toBe(largeText('two'));
});

it('a staged file that is gone when the flow goes live is written again', async () => {
  f = await flowFixture(
    { 'big.json': largeText('one') },
    {
      async duringCheck() {
        await expect.poll(() => leftovers().length).toBe(3);
        for (const folder of [f.flows, versionsFolder()])
          for (const name of readdirSync(folder).filter(isTemporary)) rmSync(join(folder, name));
      },
    },
  );
  const saved = await save(largeText('two'));
  expect(saved.state).toBe('live');
  expect(f.read('big.json')).toBe(largeText('two'));
  expect(await f.service.versionText('big', saved.version ?? '')).toBe(largeText('two'));
  expect(leftovers()).toEqual([]);
});
