import { fc } from '../../../tests/support/property.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { App } from '#shared/app.ts';
import { ServiceError } from '../../base/errors/errors.ts';
import type { AppFilter, AppRepository } from './repository.ts';
import { aDetail, anApp } from './testing/an-app.ts';

type Open = () => Promise<AppRepository>;

/** The contract of every repository of apps. `open` returns an empty one. */
export function appsContract(name: string, open: Open): void {
  let apps: AppRepository;
  beforeEach(async () => {
    apps = await open();
  });
  const opened = (): AppRepository => apps;
  describe(`apps ${name}: one app`, () => singleContract(opened));
  describe(`apps ${name}: an app`, () => refusalContract(opened));
  describe(`apps ${name}: lists`, () => listContract(opened));
  describe(`apps ${name}: changes at once`, () => concurrencyContract(opened));
  describe(`apps ${name}: any sequence of changes`, () => sequenceContract(open));
}

const codesOf = async (apps: AppRepository, filter: AppFilter = {}, offset = 0, limit = 100) =>
  (await apps.list(filter, offset, limit)).apps.map(({ app_code }) => app_code);

function singleContract(opened: () => AppRepository): void {
  test('comes back as it was stored, with every field', async () => {
    const apps = opened();
    const app = anApp('a', { icon: 'icon', sys_code: 's', details: [aDetail('n1'), aDetail('n2')] });
    await apps.insert(app);
    expect(await apps.get('a')).toEqual(app);
    expect((await apps.list({}, 0, 10)).apps).toEqual([app]);
    for (const code of ['A', '', 'b', '__proto__', 'constructor'])
      expect(await apps.get(code), code).toBeUndefined();
  });

  test('is replaced by the result of a change, and apps that were read before stay unchanged', async () => {
    const apps = opened();
    await apps.insert(anApp('a'));
    const before = await apps.get('a');
    const changed = await apps.update('a', (app) => ({ ...app, app_name: 'Other', is_collected: 'true' }));
    expect(changed).toEqual(anApp('a', { app_name: 'Other', is_collected: 'true' }));
    expect(await apps.get('a')).toEqual(changed);
    expect(before).toEqual(anApp('a'));
  });

  test('may keep its own name in a change', async () => {
    const apps = opened();
    await apps.insert(anApp('a'));
    await apps.update('a', (app) => ({ ...app, icon: 'x' }));
    expect(await apps.get('a')).toMatchObject({ icon: 'x', app_name: 'App a' });
  });

  test('no longer exists once removed, and its name is free', async () => {
    const apps = opened();
    await apps.insert(anApp('a', { app_name: 'Name' }));
    expect(await apps.remove('a')).toEqual(anApp('a', { app_name: 'Name' }));
    expect(await apps.get('a')).toBeUndefined();
    await apps.insert(anApp('b', { app_name: 'Name' }));
    expect(await codesOf(apps)).toEqual(['b']);
  });
}

function refusalContract(opened: () => AppRepository): void {
  test('that does not exist can be neither changed nor removed', async () => {
    const apps = opened();
    await expect(apps.update('a', (app) => app)).rejects.toMatchObject({
      code: 'app_not_found',
      status: 404,
    });
    await expect(apps.remove('toString')).rejects.toMatchObject({ code: 'app_not_found' });
  });

  test('with the code or the name of another is refused, and the message names the owner of the name', async () => {
    const apps = opened();
    await apps.insert(anApp('a', { app_name: 'Taken' }));
    await apps.insert(anApp('b'));
    const twin = anApp('c', { app_name: 'Taken' });
    await expect(apps.insert(twin)).rejects.toMatchObject({
      code: 'app_name_taken',
      status: 409,
      param: 'app_name',
      message: expect.stringContaining('app a '),
    });
    await expect(apps.insert(anApp('a', { app_name: 'Free' }))).rejects.toMatchObject({ code: 'conflict' });
    const renamed = apps.update('b', (app) => ({ ...app, app_name: 'Taken' }));
    await expect(renamed).rejects.toMatchObject({ code: 'app_name_taken' });
    expect(await codesOf(apps)).toEqual(['b', 'a']);
    expect(await apps.get('b')).toEqual(anApp('b'));
  });

  test('whose change throws stays as it was', async () => {
    const apps = opened();
    await apps.insert(anApp('a'));
    const refuse = (): App => {
      throw new ServiceError('body_too_large');
    };
    await expect(apps.update('a', refuse)).rejects.toMatchObject({ code: 'body_too_large' });
    expect(await apps.get('a')).toEqual(anApp('a'));
    await apps.update('a', (app) => ({ ...app, icon: 'after' }));
    expect(await apps.get('a')).toMatchObject({ icon: 'after' });
  });
}

function listContract(opened: () => AppRepository): void {
  test('come newest first, page by page, with the total', async () => {
    const apps = opened();
    for (const code of ['a', 'b', 'c', 'd', 'e']) await apps.insert(anApp(code));
    await apps.update('b', (app) => ({ ...app, icon: 'changed' }));
    expect(await codesOf(apps)).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(await codesOf(apps, {}, 2, 2)).toEqual(['c', 'b']);
    expect(await apps.list({}, 4, 2)).toEqual({ total: 5, apps: [anApp('a')] });
    expect(await apps.list({}, 6, 2)).toEqual({ total: 5, apps: [] });
    expect(await apps.list({}, Number.MAX_SAFE_INTEGER * 100, 2)).toEqual({ total: 5, apps: [] });
  });

  test('contain exactly the apps that match the filter', async () => {
    const apps = opened();
    await apps.insert(anApp('a', { app_name: 'Sales report', user_code: 'u', is_collected: 'true' }));
    await apps.insert(anApp('b', { app_name: 'Report of sales', user_code: 'u', sys_code: 's' }));
    await apps.insert(anApp('c', { app_name: 'Other', sys_code: 's', is_collected: 'true' }));
    expect(await codesOf(apps, { isCollected: 'true' })).toEqual(['c', 'a']);
    expect(await codesOf(apps, { isCollected: 'false' })).toEqual(['b']);
    expect(await codesOf(apps, { userCode: 'u' })).toEqual(['b', 'a']);
    expect(await codesOf(apps, { userCode: 'U' })).toEqual([]);
    expect(await codesOf(apps, { sysCode: 's', userCode: 'u' })).toEqual(['b']);
    expect(await codesOf(apps, { name: 'SALES' })).toEqual(['b', 'a']);
    expect(await codesOf(apps, { name: 'report s' })).toEqual([]);
    expect(await apps.list({ name: 'sales' }, 1, 1)).toMatchObject({ total: 2, apps: [{ app_code: 'a' }] });
  });
}

function concurrencyContract(opened: () => AppRepository): void {
  test('are all stored, but only one app gets a name', async () => {
    const apps = opened();
    const many = Array.from({ length: 20 }, (_, i) => apps.insert(anApp(`a${i}`)));
    const twins = Array.from({ length: 5 }, (_, i) => apps.insert(anApp(`t${i}`, { app_name: 'Twin' })));
    await Promise.all(many);
    const ends = await Promise.allSettled(twins);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await apps.list({}, 0, 100)).total).toBe(21);
  });

  test('to one app build on each other', async () => {
    const apps = opened();
    await apps.insert(anApp('a'));
    const adding = Array.from({ length: 20 }, () =>
      apps.update('a', (app) => ({ ...app, app_describe: `${app.app_describe}x` })),
    );
    await Promise.all(adding);
    expect((await apps.get('a'))?.app_describe).toBe('x'.repeat(20));
  });
}

const code = fc.constantFrom('a', 'b', 'c');
const name = fc.constantFrom('One', 'Two', 'Three');
const step = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), code, name }),
  fc.record({ kind: fc.constant('update' as const), code, name }),
  fc.record({ kind: fc.constant('remove' as const), code, name }),
);

function sequenceContract(open: Open): void {
  test('leaves the same apps as a list with unique codes and names', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const apps = await open();
        let expected: { code: string; name: string }[] = [];
        for (const { kind, code: of, name: to } of steps) {
          const exists = expected.some((app) => app.code === of);
          const isTaken = expected.some((app) => app.name === to && app.code !== of);
          const isFine = kind === 'insert' ? !exists && !isTaken : exists && (kind === 'remove' || !isTaken);
          const done = {
            insert: () => apps.insert(anApp(of, { app_name: to })),
            update: () => apps.update(of, (app) => ({ ...app, app_name: to })),
            remove: () => apps.remove(of),
          }[kind]();
          await (isFine ? done : expect(done).rejects.toBeInstanceOf(ServiceError));
          if (!isFine) continue;
          if (kind === 'insert') expected.unshift({ code: of, name: to });
          if (kind === 'update')
            expected = expected.map((app) => (app.code === of ? { code: of, name: to } : app));
          if (kind === 'remove') expected = expected.filter((app) => app.code !== of);
        }
        const kept = (await apps.list({}, 0, 100)).apps;
        expect(kept.map((app) => ({ code: app.app_code, name: app.app_name }))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
}
