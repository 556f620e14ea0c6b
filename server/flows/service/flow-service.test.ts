import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  actorNamed,
  compilingAtOnce,
  flowFixture,
  type FlowFixture,
  helloFlow,
} from './testing/flow-fixture.ts';
import { flowServiceContract } from './testing/flow-service.contract.ts';

flowServiceContract('the flow service over files', flowFixture);

describe('flows as files', () => {
  let f: FlowFixture;
  afterEach(() => f.end());

  const me = { actor: actorNamed('ada') };

  it('a new flow goes into the first folder, a changed one stays where it is', async () => {
    f = await flowFixture({ 'deep/a.json': helloFlow('a') });
    const { revision } = await f.service.get('a');
    await f.service.save('a', helloFlow('a', { says: 'Two' }), { revision, ...me });
    await f.service.save('b', helloFlow('b'), { revision: undefined, ...me });
    expect(f.read('deep/a.json')).toBe(helloFlow('a', { says: 'Two' }));
    expect(f.read('b.json')).toBe(helloFlow('b'));
    expect(f.service.list().map((record) => record.file)).toEqual(['deep/a.json', 'b.json']);
  });

  it('layouts, tests, drafts and hidden files are no flows', async () => {
    const text = helloFlow('a');
    f = await flowFixture({
      'a.layout.json': text,
      'a.test.json': text,
      '.hidden.json': text,
      '.git/a.json': text,
      'notes.txt': text,
    });
    expect(f.service.list()).toEqual([]);
  });

  it('the layout lies beside its flow, one node a line', async () => {
    f = await flowFixture({ 'deep/a.json': helloFlow('a') });
    await f.service.saveLayout('a', { format: 1, nodes: { b: { x: 1, y: 2 }, a: { x: 3, y: 4 } } });
    expect(f.read('deep/a.layout.json')).toBe(
      '{\n  "format": 1,\n  "nodes": {\n    "a": { "x": 3, "y": 4 },\n    "b": { "x": 1, "y": 2 }\n  }\n}\n',
    );
  });

  it('a draft survives a restart beside the file that serves', async () => {
    f = await flowFixture({ 'a.json': helloFlow('a') });
    const { revision } = await f.service.get('a');
    const saved = await f.service.save('a', '{ "half', { revision, ...me });
    expect(f.read('.drafts/a.json')).toBe('{ "half');
    await f.restart();
    expect(await f.service.get('a')).toMatchObject({
      revision: saved.revision,
      text: '{ "half',
      state: 'live',
    });
  });

  it('a draft equal to the file, as after a crash in a publish, is dropped at start', async () => {
    f = await flowFixture({ 'a.json': helloFlow('a'), '.drafts/a.json': helloFlow('a') });
    expect(f.service.list()).toMatchObject([{ id: 'a', hasDraft: false }]);
    expect(f.has('.drafts/a.json')).toBe(false);
  });

  it('leftovers of a killed process are swept at start', async () => {
    f = await flowFixture({ 'a.json': helloFlow('a') });
    await f.service.close();
    for (const name of ['.a.json.4194399-0123abcd.tmp', 'deep/.b.json.4194399-0123abcd.tmp'])
      f.write(name, '{');
    await f.restart();
    expect(readdirSync(f.flows)).toEqual(['a.json', 'deep']);
    expect(readdirSync(f.path('deep'))).toEqual([]);
  });

  it('a removed flow lies in the trash with its draft and layout, as it was', async () => {
    f = await flowFixture({ 'a.json': helloFlow('a') });
    await f.service.saveLayout('a', { format: 1, nodes: {} });
    const { revision } = await f.service.get('a');
    const saved = await f.service.save('a', 'half', { revision, ...me });
    await f.service.remove('a', { revision: saved.revision });
    expect(readdirSync(f.flows)).toEqual(['.drafts']);
    const trash = readdirSync(join(f.data, 'trash'));
    expect(trash.map((name) => name.replace(/\d{8}T\d{9}Z/, 'TIME')).sort()).toEqual([
      'a-TIME.draft.json',
      'a-TIME.json',
      'a-TIME.layout.json',
      'a-TIME.writers.json',
    ]);
  });

  it('a file that is no UTF-8 or too large is shown with its problem and is never written over unasked', async () => {
    f = await flowFixture();
    await f.service.close();
    writeFileSync(f.path('a.json'), Buffer.from([0x7b, 0xff, 0x7d]));
    writeFileSync(f.path('b.json'), 'x'.repeat(10_000_001));
    await f.restart();
    expect(f.service.list()).toMatchObject([
      { id: 'a', state: 'broken', problems: [{ code: 'invalid-utf8' }] },
      { id: 'b', state: 'broken', problems: [{ code: 'too-large' }] },
    ]);
    expect((await f.service.get('a')).problems).toMatchObject([{ code: 'invalid-utf8' }]);
  });

  it('a flow that is a link is read and written through it', async () => {
    f = await flowFixture({ 'a.json': helloFlow('a') });
    await f.service.close();
    const elsewhere = join(f.flows, '..', 'elsewhere.json');
    writeFileSync(elsewhere, helloFlow('b'));
    symlinkSync(elsewhere, f.path('b.json'));
    await f.restart();
    const { revision } = await f.service.get('b');
    await f.service.save('b', helloFlow('b', { says: 'Through' }), { revision, ...me });
    expect(f.read('../elsewhere.json')).toBe(helloFlow('b', { says: 'Through' }));
  });

  it('variables are judged as they are now, not as they were when the flow was read', async () => {
    let vars: Record<string, unknown> = {};
    const text = helloFlow('a', { says: '{{ vars.city }}' });
    f = await flowFixture({ 'a.json': text }, { variables: { snapshot: () => vars } });
    expect((await f.service.get('a')).problems).toMatchObject([{ code: 'unknown-variable' }]);
    vars = { city: 'Oslo' };
    expect((await f.service.get('a')).problems).toEqual([]);
  });

  it('plans are compiled when they are first used, not at start', async () => {
    let count = 0;
    const counted = (flow: { id: string }, version: string) => {
      count++;
      return { id: flow.id, version, plans: new Map() };
    };
    f = await flowFixture(
      { 'a.json': helloFlow('a'), 'b.json': helloFlow('b') },
      { compiling: compilingAtOnce(counted) },
    );
    expect(count).toBe(0);
    expect(f.service.live('a')?.compiled).toBe(f.service.live('a')?.compiled);
    expect(count).toBe(1);
  });

  it('200 publishes under constant load miss no request', async () => {
    f = await flowFixture({ 'a.json': helloFlow('a') });
    const versions = new Set<string | undefined>();
    let publishing = true;
    let finds = 0;
    let misses = 0;
    const load = (async () => {
      while (publishing) {
        const found = f.triggers.find('GET', '/a');
        finds++;
        if (found) versions.add(found.route.flow.version);
        else misses++;
        await new Promise((next) => setImmediate(next));
      }
    })();
    let { revision } = await f.service.get('a');
    for (let i = 0; i < 200; i++) {
      ({ revision } = await f.service.save('a', helloFlow('a', { says: `Number ${i}` }), {
        revision,
        ...me,
      }));
    }
    publishing = false;
    await load;
    expect(misses).toBe(0);
    expect(finds).toBeGreaterThan(200);
    expect(versions.size).toBe(201);
  });
});
