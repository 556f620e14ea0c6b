import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  actorNamed,
  compilingAtOnce,
  flowFixture,
  type FlowFixture,
  helloFlow,
} from './testing/flow-fixture.ts';
import { eventually } from '../../../tests/support/eventually.ts';

let f: FlowFixture;
afterEach(() => f.end());

const says = (id: string) => f.service.live(id)?.flow.nodes['handler']?.params?.['template'];
const stateOf = (id: string) => f.service.list().find((record) => record.id === id)?.state;
const served = (path: string) => f.triggers.find('GET', path)?.route.flow.id;

it('a file that is changed, made or removed from outside is taken over', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a') });
  f.write('a.json', helloFlow('a', { says: 'Changed', path: '/moved' }));
  f.write('deep/er/b.json', helloFlow('b'));
  await eventually(() => {
    expect(says('a')).toBe('Changed');
    expect([served('/a'), served('/moved'), served('/b')]).toEqual([undefined, 'a', 'b']);
  });
  rmSync(f.path('a.json'));
  await eventually(() => expect(f.service.list().map((record) => record.file)).toEqual(['deep/er/b.json']));
  expect(served('/moved')).toBeUndefined();
});

it('changes that happen before the watching begins are found too', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a') });
  f.write('a.json', helloFlow('a', { says: 'Early' }));
  f.write('b.json', helloFlow('b'));
  await eventually(() => expect([says('a'), stateOf('b')]).toEqual(['Early', 'live']));
});

it('a file broken from outside never takes the old version down, also not over a restart', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a', { says: 'Good' }) });
  await eventually(async () => expect(await f.service.versions('a')).toHaveLength(1));
  f.write('a.json', '{ "format": 1, "id": "a", <<<<<<< HEAD');
  await eventually(() => expect(stateOf('a')).toBe('broken'));
  expect(says('a')).toBe('Good');
  expect((await f.service.get('a')).problems[0]).toMatchObject({ code: 'json-syntax', severity: 'error' });

  const told = { level: 'warn', message: expect.stringContaining('the version that served last goes on') };
  expect(f.log).not.toContainEqual(told);
  await f.restart();
  expect(stateOf('a')).toBe('broken');
  expect(f.log).toContainEqual(told);
  expect([says('a'), served('/a')]).toEqual(['Good', 'a']);
  expect(f.read('a.json')).toContain('<<<<<<< HEAD');

  f.write('a.json', helloFlow('a', { says: 'Mended' }));
  await eventually(() => expect([stateOf('a'), says('a')]).toEqual(['live', 'Mended']));
});

it('a fresh copy with an empty data folder serves exactly the files', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a'), 'b.json': '{' });
  expect(f.service.live('a')).toBeDefined();
  expect(f.service.live('b')).toBeUndefined();
  expect(stateOf('b')).toBe('broken');
});

it('a flow that was removed does not come back when a broken file of its name appears', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a') });
  await eventually(async () => expect(await f.service.versions('a')).toHaveLength(1));
  const { revision } = await f.service.get('a');
  await f.service.remove('a', { revision });
  f.write('a.json', '{');
  await f.restart();
  expect(stateOf('a')).toBe('broken');
  expect(f.service.live('a')).toBeUndefined();
});

it('an outside change that the watcher has not reported yet is seen by the save that would overwrite it', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a') });
  for (let i = 0; i < 20; i++) {
    const { revision } = await f.service.get('a');
    const outside = helloFlow('a', { says: `Outside ${i}` });
    f.write('a.json', outside);
    const saving = f.service.save('a', helloFlow('a', { says: `Mine ${i}` }), {
      revision,
      actor: actorNamed('ada'),
    });
    await expect(saving).rejects.toMatchObject({ code: 'revision_conflict' });
    expect(f.read('a.json')).toBe(outside);
    expect(says('a')).toBe(`Outside ${i}`);
  }
});

it('an outside change in the very moment of a save is not overwritten', async () => {
  let atCompile = () => {};
  const outside = helloFlow('a', { says: 'Outside' });
  const watching: Parameters<typeof flowFixture>[1] = {
    // Compiling comes after the look at the file and before the write.
    compiling: compilingAtOnce((flow, version) => {
      atCompile();
      return { id: flow.id, version, plans: new Map() };
    }),
  };
  f = await flowFixture({ 'a.json': helloFlow('a') }, watching);
  const { revision } = await f.service.get('a');
  atCompile = () => f.write('a.json', outside);
  const saving = f.service.save('a', helloFlow('a', { says: 'Mine' }), {
    revision,
    actor: actorNamed('ada'),
  });
  await expect(saving).rejects.toMatchObject({ code: 'revision_conflict' });
  expect(f.read('a.json')).toBe(outside);
  await eventually(() => expect(says('a')).toBe('Outside'));
});

it('a flow that was made outside a moment ago is not overwritten by a new one of the same name', async () => {
  f = await flowFixture();
  f.write('a.json', helloFlow('a', { says: 'Outside' }));
  const saving = f.service.save('a', helloFlow('a'), { revision: undefined, actor: actorNamed('ada') });
  await expect(saving).rejects.toMatchObject({ code: 'conflict' });
  expect(says('a')).toBe('Outside');
});

it('while another program edits the file all the time, no save overwrites what it did not know', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a', { says: '0' }) });
  const editor = editInTurns(f.path('a.json'));
  let saved = 0;
  for (let i = 0; i < 50; i++) {
    const { revision, text } = await f.service.get('a');
    const seen = Number(/"template": "(\d+)"/.exec(text)?.[1]);
    // The other program and this test both add one to the number that they find: a lost change would lose a count.
    const edited = i % 3 === 0 ? editor.edit() : undefined;
    await edited;
    try {
      await f.service.save('a', helloFlow('a', { says: String(seen + 1) }), {
        revision,
        actor: actorNamed('ada'),
      });
      saved++;
    } catch (error) {
      expect(error).toMatchObject({ code: 'revision_conflict' });
    }
  }
  expect(saved).toBeGreaterThan(0);
  expect(editor.edits).toBeGreaterThan(0);
  expect(/"template": "(\d+)"/.exec(f.read('a.json'))?.[1]).toBe(String(saved + editor.edits));
  await editor.end();
});

/** A process that adds one to the number in the file's template on each request. */
function editInTurns(file: string) {
  const program = `
    const { readFileSync, writeFileSync } = require('node:fs');
    process.stdin.on('data', () => {
      const text = readFileSync(${JSON.stringify(file)}, 'utf8');
      writeFileSync(${JSON.stringify(file)}, text.replace(/"template": "(\\d+)"/, (_, n) => '"template": "' + (Number(n) + 1) + '"'));
      process.stdout.write('done');
    });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  return {
    edits: 0,
    async edit() {
      const done = new Promise((resolve) => child.stdout.once('data', resolve));
      child.stdin.write('edit');
      await done;
      this.edits++;
    },
    end() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      return ended;
    },
  };
}

it('paths that are swapped between two files in one pull are swapped in service', async () => {
  f = await flowFixture({
    'a.json': helloFlow('a', { path: '/one' }),
    'b.json': helloFlow('b', { path: '/two' }),
  });
  f.write('a.json', helloFlow('a', { path: '/two' }));
  f.write('b.json', helloFlow('b', { path: '/one' }));
  await eventually(() => expect([served('/one'), served('/two')]).toEqual(['b', 'a']));
  await eventually(() => expect([stateOf('a'), stateOf('b')]).toEqual(['live', 'live']));
});

it('a hundred files that change at once all go live', async () => {
  const ids = Array.from({ length: 100 }, (_, i) => `f${i}`);
  f = await flowFixture(Object.fromEntries(ids.map((id) => [`${id}.json`, helloFlow(id)])));
  for (const id of ids) f.write(`${id}.json`, helloFlow(id, { says: 'Pulled' }));
  await eventually(() => expect(ids.every((id) => says(id) === 'Pulled')).toBe(true));
});

it('the first in path order of two files with one id serves, and both are reported', async () => {
  f = await flowFixture({
    'x/a.json': helloFlow('a', { says: 'X' }),
    'b/a.json': helloFlow('a', { says: 'B' }),
  });
  expect(says('a')).toBe('B');
  expect(f.service.list()).toMatchObject([
    {
      id: 'a',
      file: 'b/a.json',
      state: 'live',
      problems: [{ code: 'duplicate-flow-id', severity: 'warning' }],
    },
    {
      id: 'a',
      file: 'x/a.json',
      state: 'broken',
      problems: [{ code: 'duplicate-flow-id', severity: 'error' }],
    },
  ]);
  rmSync(f.path('b/a.json'));
  await eventually(() => expect(says('a')).toBe('X'));
  expect(f.service.list()).toMatchObject([{ file: 'x/a.json', state: 'live', problems: [] }]);
});

it('the first in path order of two flows with one path serves, the other does when the path is free', async () => {
  f = await flowFixture({
    'a.json': helloFlow('a', { path: '/same' }),
    'b.json': helloFlow('b', { path: '/same' }),
  });
  expect(served('/same')).toBe('a');
  expect(f.service.list()).toMatchObject([
    { id: 'a', state: 'live', problems: [] },
    { id: 'b', state: 'broken', problems: [{ code: 'duplicate-path', node: 'trigger' }] },
  ]);
  rmSync(f.path('a.json'));
  await eventually(() => expect([served('/same'), stateOf('b')]).toEqual(['b', 'live']));
  expect(f.service.list()).toMatchObject([{ id: 'b', problems: [] }]);
});

it('a file whose name is no id is shown with its problem', async () => {
  f = await flowFixture({ 'My Flow.json': helloFlow('a') });
  expect(f.service.list()).toMatchObject([
    { id: 'My Flow', state: 'broken', problems: [{ code: 'bad-field', field: 'id' }] },
  ]);
});

it('a folder that is gone altogether takes no flow down, and its flows go on when it is back', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a'), 'b.json': helloFlow('b') });
  const { revision } = await f.service.get('a');
  const away = join(f.flows, '..', 'away');
  renameSync(f.flows, away);
  const saving = f.service.save('a', helloFlow('a', { says: 'New' }), { revision, actor: actorNamed('ada') });
  await expect(saving).rejects.toMatchObject({ code: 'storage_failed' });
  expect([served('/a'), served('/b')]).toEqual(['a', 'b']);
  renameSync(away, f.flows);
  const saved = await f.service.save('a', helloFlow('a', { says: 'New' }), {
    revision,
    actor: actorNamed('ada'),
  });
  expect(saved).toMatchObject({ state: 'live' });
  expect(f.has('b.json')).toBe(true);
});

it('a folder that rejects drafts fails the save with a code and leaves everything as it was', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a') });
  const before = await f.service.get('a');
  f.write('.drafts', 'a file where the folder should be');
  const saving = f.service.save('a', '{', { revision: before.revision, actor: actorNamed('ada') });
  await expect(saving).rejects.toMatchObject({ code: 'storage_failed', status: 503 });
  expect(await f.service.get('a')).toEqual(before);
  mkdirSync(f.path('b.json'));
  const creating = f.service.save('b', helloFlow('b'), { revision: undefined, actor: actorNamed('ada') });
  await expect(creating).rejects.toMatchObject({ code: 'storage_failed' });
  expect(f.service.list().map((record) => record.id)).toEqual(['a']);
});

it('without a data folder flows go live all the same, and the log warns that versions are lost', async () => {
  f = await flowFixture({ 'a.json': helloFlow('a') });
  await f.service.close();
  rmSync(f.data, { recursive: true, force: true });
  f.write('../data', 'a file where the folder should be');
  await f.restart();
  const { revision } = await f.service.get('a');
  const saved = await f.service.save('a', helloFlow('a', { says: 'Two' }), {
    revision,
    actor: actorNamed('ada'),
  });
  expect([saved.state, says('a')]).toEqual(['live', 'Two']);
  expect(f.log).toContainEqual({ level: 'warn', message: expect.stringContaining('could not be stored') });
  const removing = f.service.remove('a', { revision: saved.revision });
  await expect(removing).rejects.toMatchObject({ code: 'storage_failed' });
  expect(says('a')).toBe('Two');
});
