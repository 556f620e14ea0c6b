import { fc } from '../../../tests/support/property.ts';
import { describe, expect, test } from 'vitest';
import { type Conversations, MAX_CONVERSATIONS, MAX_MESSAGES, type NewMessage } from './conversations.ts';

type Open = (now: () => number) => Conversations | Promise<Conversations>;

const begin = (id: string) => ({ id, user: undefined, target: 'demo/echo' });
const round = (question: string): NewMessage[] => [
  { role: 'user', content: question },
  { role: 'assistant', content: `${question}!` },
];

/** The contract of every conversation store. `open` returns an empty one with the given clock. */
export function conversationsContract(name: string, open: Open): void {
  describe(`conversations ${name}: messages`, () => messageContract(open));
  describe(`conversations ${name}: files`, () => fileContract(open));
  describe(`conversations ${name}: lists`, () => listContract(open));
}

function messageContract(open: Open): void {
  test('are returned in the order in which they were added, the last ones if only some are requested', async () => {
    let time = 0;
    const store = await open(() => time);
    for (const question of ['a', 'b', 'c']) {
      time += 1000;
      await store.add('me', begin('c1'), round(question));
    }
    const recent = await store.recent('me', 'c1', 3);
    expect(recent.map(({ content }) => content)).toEqual(['b!', 'c', 'c!']);
    expect(recent[0]).toEqual({ role: 'assistant', content: 'b!', at: '1970-01-01T00:00:02.000Z' });
    expect((await store.get('me', 'c1'))?.messages).toHaveLength(6);
    expect(await store.recent('me', 'unknown', 3)).toEqual([]);
  });

  test('are stored unchanged, whatever their text', async () => {
    const store = await open(() => 0);
    await fc.assert(
      fc.asyncProperty(fc.uuid(), fc.string({ unit: 'grapheme' }), async (id, content) => {
        await store.add('me', begin(id), [{ role: 'user', content }]);
        expect((await store.recent('me', id, 1))[0]?.content).toBe(content);
      }),
      { numRuns: 50 },
    );
  });

  test('belong to one caller, even if another one uses the same id', async () => {
    const store = await open(() => 0);
    await store.add('me', begin('c1'), round('mine'));
    await store.add('you', begin('c1'), round('yours'));
    expect((await store.recent('me', 'c1', 9)).map(({ content }) => content)).toEqual(['mine', 'mine!']);
    expect(await store.remove('you', 'c1')).toBe(true);
    expect(await store.get('you', 'c1')).toBeUndefined();
    expect((await store.get('me', 'c1'))?.messages).toHaveLength(2);
  });

  test('are bounded in number and size', async () => {
    const store = await open(() => 0);
    for (let i = 0; i < MAX_MESSAGES; i++) await store.add('me', begin('c1'), round(String(i)));
    const all = (await store.get('me', 'c1'))?.messages ?? [];
    expect(all).toHaveLength(MAX_MESSAGES);
    expect(all.at(-1)?.content).toBe(`${MAX_MESSAGES - 1}!`);
    await store.add('me', begin('c2'), [{ role: 'user', content: 'x'.repeat(1_000_000) }]);
    expect((await store.recent('me', 'c2', 1))[0]?.content.length).toBeLessThan(200_000);
  });

  test('replace an earlier exchange and all that followed it, which the answer does not see', async () => {
    const store = await open(() => 0);
    const asked = (question: string, run: string) => round(question).map((one) => ({ ...one, run }));
    const said = async (id: string) => (await store.recent('me', id, 9)).map(({ content }) => content);
    for (const n of ['1', '2', '3']) await store.add('me', begin('c1'), asked(n, `run${n}`));
    expect((await store.get('me', 'c1'))?.messages.map(({ run }) => run)).toEqual([
      'run1',
      'run1',
      'run2',
      'run2',
      'run3',
      'run3',
    ]);
    expect((await store.recent('me', 'c1', 1, 'run2')).map(({ content }) => content)).toEqual(['1!']);
    expect(await store.recent('me', 'c1', 9, 'nowhere')).toHaveLength(6);
    await store.add('you', begin('c1'), asked('2', 'run2'));
    await store.add('me', { ...begin('c1'), replaces: 'run2' }, asked('two', 'run4'));
    expect(await said('c1')).toEqual(['1', '1!', 'two', 'two!']);
    expect(await store.recent('you', 'c1', 9)).toHaveLength(2);
    await store.add('me', { ...begin('c1'), replaces: 'run3' }, asked('more', 'run5'));
    expect(await said('c1')).toEqual(['1', '1!', 'two', 'two!', 'more', 'more!']);
    expect((await store.get('me', 'c1'))?.info.title).toBe('1');
    await store.add('me', { ...begin('c1'), replaces: 'run1' }, asked('one', 'run6'));
    expect(await said('c1')).toEqual(['one', 'one!']);
    expect((await store.get('me', 'c1'))?.info.title).toBe('one');
  });

  test('of a removed conversation are gone, even when its id is used again', async () => {
    const store = await open(() => 0);
    await store.add('me', begin('c1'), round('old'));
    expect(await store.remove('me', 'c1')).toBe(true);
    expect(await store.remove('me', 'c1')).toBe(false);
    await store.add('me', begin('c1'), round('new'));
    expect((await store.recent('me', 'c1', 9)).map(({ content }) => content)).toEqual(['new', 'new!']);
  });
}

function fileContract(open: Open): void {
  test('name their files', async () => {
    const store = await open(() => 0);
    const files = [{ $file: `f_${'x'.repeat(32)}`, name: 'a “b”.png', type: 'image/png', bytes: 7 }];
    const said = [
      { role: 'user', content: '', files } as const,
      { role: 'assistant', content: 'A', files: [] } as const,
    ];
    await store.add('me', begin('c1'), said);
    const at = '1970-01-01T00:00:00.000Z';
    const kept = [
      { role: 'user', content: '', files, at },
      { role: 'assistant', content: 'A', at },
    ];
    expect(await store.recent('me', 'c1', 2)).toEqual(kept);
    expect((await store.get('me', 'c1'))?.messages).toEqual(kept);
    expect((await store.list('me', { limit: 1 }))[0]?.title).toBe('a “b”.png');
  });
}

function listContract(open: Open): void {
  test('list the most recently used first, page by page', async () => {
    let time = 0;
    const store = await open(() => time);
    for (const id of ['a', 'b', 'c', 'a']) {
      time += 1000;
      await store.add('me', begin(id), round(`about ${id}`));
    }
    const first = await store.list('me', { limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(first[0]).toEqual({
      id: 'a',
      title: 'about a',
      user: null,
      target: 'demo/echo',
      startedAt: '1970-01-01T00:00:01.000Z',
      updatedAt: '1970-01-01T00:00:04.000Z',
    });
    expect((await store.list('me', { limit: 2, before: 'c' })).map(({ id }) => id)).toEqual(['b']);
    expect(await store.list('me', { limit: 2, before: 'b' })).toEqual([]);
    expect(await store.list('me', { limit: 2, before: 'unknown' })).toEqual([]);
    expect(await store.list('you', { limit: 2 })).toEqual([]);
  });

  test('have the title that a person gives, which stays when they begin anew', async () => {
    const store = await open(() => 0);
    const title = async (id: string) => (await store.get('me', id))?.info.title;
    for (const id of ['c1', 'c2']) {
      const asked = round('first').map((one) => ({ ...one, run: 'run1' }));
      await store.add('me', begin(id), asked);
    }
    expect(await store.rename('me', 'c1', 'Mugs')).toBe(true);
    expect(await store.rename('you', 'c1', 'Theirs')).toBe(false);
    expect(await store.rename('me', 'unknown', 'Mugs')).toBe(false);
    for (const id of ['c1', 'c2']) await store.add('me', { ...begin(id), replaces: 'run1' }, round('anew'));
    expect([await title('c1'), await title('c2')]).toEqual(['Mugs', 'anew']);
    expect((await store.list('me', { limit: 9 })).map((one) => one.title)).toEqual(['anew', 'Mugs']);
  });

  test('are found by words in their titles and messages, in any case, as they are written', async () => {
    const store = await open(() => 0);
    const said = { a: 'Die Änderungsprüfung', b: 'ÜBER ALLES', c: '50 % of a_b', d: "it's \\ here" };
    for (const [id, content] of Object.entries(said)) await store.add('me', begin(id), round(content));
    await store.rename('me', 'd', 'Straße');
    await store.add('you', begin('e'), round('über'));
    const found = async (words: string, page = {}) =>
      (await store.list('me', { limit: 9, words, ...page })).map(({ id }) => id);
    expect(await found('')).toEqual(['d', 'c', 'b', 'a']);
    expect(await found('änderungsprüfung')).toEqual(['a']);
    expect(await found('die Ä')).toEqual(['a']);
    expect(await found('über')).toEqual(['b']);
    expect(await found('Über alles')).toEqual(['b']);
    expect(await found('50 %')).toEqual(['c']);
    expect(await found('%')).toEqual(['c']);
    expect(await found('A_B')).toEqual(['c']);
    expect(await found('a.b')).toEqual([]);
    expect(await found("IT'S \\ H")).toEqual(['d']);
    expect(await found('STRAßE')).toEqual(['d']);
    expect(await found('e', { limit: 1 })).toEqual(['d']);
    expect(await found('e', { before: 'd' })).toEqual(['b', 'a']);
  });

  test('that are found come page by page, however far apart they are', async () => {
    const store = await open(() => 0);
    for (let i = 0; i < 40; i++) await store.add('me', begin(`c${i}`), round(i % 9 === 0 ? 'mug' : 'cup'));
    const found: string[] = [];
    for (let before: string | undefined; ; before = found.at(-1)) {
      const page = await store.list('me', { limit: 2, before, words: 'mug' });
      if (page.length === 0) break;
      found.push(...page.map(({ id }) => id));
    }
    expect(found).toEqual(['c36', 'c27', 'c18', 'c9', 'c0']);
  });

  test('have a bounded number: the least recently used one is removed', async () => {
    const store = await open(() => 0);
    for (let i = 0; i <= MAX_CONVERSATIONS; i++) await store.add('me', begin(`c${i}`), round('x'));
    expect(await store.get('me', 'c0')).toBeUndefined();
    expect(await store.recent('me', 'c0', 1)).toEqual([]);
    expect(await store.list('me', { limit: 5000 })).toHaveLength(MAX_CONVERSATIONS);
  });
}
