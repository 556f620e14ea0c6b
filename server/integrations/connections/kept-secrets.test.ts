import { describe, expect, test } from 'vitest';
import { describeKinds } from './open-connections.ts';
import type { Changes } from './testing/changes.ts';
import { connectionBed } from './testing/connection-bed.ts';

/** Settings that may change while a stored password stays: the table of each folder lists every setting of its kind. */
const kinds = await Promise.all(
  (await describeKinds()).map(async (kind) => {
    const { default: changes } = (await import(`./kinds/${kind.kind}/changes.cases.ts`)) as {
      default: Changes;
    };
    return { ...kind, changes };
  }),
);

describe.each(kinds)('$kind', ({ kind, settings: schema, changes }) => {
  const { hidden: secret, left = '' } = changes;
  const lines = Object.entries(changes.lines);
  const properties = Object.entries(schema['properties'] as Record<string, { readonly format?: string }>);

  test('the table has every setting that is shown, and knows which are hidden', () => {
    const of = (isHidden: boolean) =>
      properties.flatMap(([name, { format }]) => ((format === 'password') === isHidden ? [name] : []));
    const hidden = [secret, ...(changes.alsoHidden ?? []), 'proxyCredentials'];
    expect(of(true).sort()).toEqual(secret === undefined ? [] : hidden.sort());
    if (secret !== undefined) expect(lines.map(([name]) => name).sort()).toEqual(of(false).sort());
  });

  if (secret === undefined) return;
  const before = Object.fromEntries(lines.map(([name, { from }]) => [name, from]));

  async function changed(name: string, to: unknown) {
    const { connections } = connectionBed();
    await connections.put('one', { kind, settings: { ...before, [secret as string]: 'the-kept-secret' } });
    const { [name]: _, ...others } = before;
    const settings = to === undefined ? others : { ...others, [name]: to };
    return { put: connections.put('one', { kind, settings }), connections, settings };
  }

  const cases = (which: 'refused' | 'taken') =>
    lines.flatMap(([name, line]) => (line[which] ?? []).map((to) => [name, to] as const));

  test.each(cases('refused'))('another %s (%j) requires it again', async (name, to) => {
    const { put, connections, settings } = await changed(name, to);
    await expect(put).rejects.toMatchObject({
      code: 'connection_secret_again',
      message: expect.stringMatching(`Give \`${secret}\` again, since .*\`${name}\``),
      detail: [{ loc: ['body', 'settings', secret] }],
    });
    // A test of unsaved settings sends it too.
    await expect(connections.tryOut('one', { kind, settings })).rejects.toMatchObject({
      code: 'connection_secret_again',
    });
    const again = { ...settings, [secret]: 'the-kept-secret' };
    expect(await connections.put('one', { kind, settings: again })).toMatchObject({ hidden: [secret] });
  });

  test.each(cases('taken'))('another %s (%j) leaves it as it is', async (name, to) => {
    const { put } = await changed(name, to);
    expect(await put).toMatchObject({ settings: { [name]: to }, hidden: [secret] });
  });

  test('a setting that is left out has its default, which may be a change', async () => {
    await expect((await changed(left, undefined)).put).rejects.toMatchObject({
      code: 'connection_secret_again',
    });
  });
});
