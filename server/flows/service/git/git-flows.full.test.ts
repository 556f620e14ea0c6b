import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compiling } from '#engine';
import { MAX_FLOW_BYTES } from '#engine/check';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../../../../tests/support/eventually.ts';
import { CREDENTIALS, type GitHost, startGitHost } from '../../../../tests/support/git-host.ts';
import { tempFolder } from '../../../../tests/support/server.ts';
import { expressionTools } from '../../../base/adapters/expression-tools.ts';
import { readGitAddress } from '../../../base/config/git-address.ts';
import type { ChangeLog } from '../../../storage/database/change-log.ts';
import { openSqlite } from '../../../storage/database/sqlite/open-sqlite.ts';
import { testBus } from '../../../storage/database/testing/bus.ts';
import { weftMigrations } from '../../../storage/database/weft-tables.ts';
import { createTriggerTable } from '../../../api/triggers/table.ts';
import { createFlowService } from '../flow-service.ts';
import type { FlowStore } from '../flow-store.ts';
import type { FlowService } from '../flow-types.ts';
import { createMutationQueue } from '../mutation-queue.ts';
import { openRowFlows } from '../row-flows.ts';
import { actorNamed, builtInRegistry, helloFlow } from '../testing/flow-fixture.ts';
import { createGitFlows } from './git-flows.ts';

/** A service over a real repository behind a real HTTP server; the rows are in SQLite. */
interface World {
  readonly host: GitHost;
  readonly service: FlowService;
  readonly store: FlowStore;
  readonly log: string[];
  says(id: string): unknown;
  save(id: string, text: string): Promise<unknown>;
}

interface Options {
  readonly host?: GitHost;
  readonly from?: string;
  readonly credentials?: string;
  readonly mostBytes?: number;
  readonly database?: string;
}

function aloneLog(): ChangeLog {
  const queue = createMutationQueue();
  let seq = 0;
  return {
    add: async () => ++seq,
    spread: async () => {},
    follow: () => {},
    catchUp: async () => {},
    alone: (_name, work) => queue.run(work),
  };
}

async function world({ credentials = CREDENTIALS, ...options }: Options = {}): Promise<World> {
  const { host = await startGitHost(), mostBytes } = options;
  const name = options.from ?? host.from;
  const address = readGitAddress(name);
  if (address === undefined) throw new Error(`${name} is no address`);
  const data = tempFolder('data');
  const sql = openSqlite(options.database ?? join(data, 'weft.db'), weftMigrations);
  const lines: string[] = [];
  const keep = (what: unknown, text?: unknown): void =>
    void lines.push(`${JSON.stringify(what)} ${String(text)}`);
  const log = { info: keep, warn: keep, error: keep };
  const rows = await openRowFlows({ sql, changes: aloneLog(), now: Date.now, warn: keep, keepsFiles: true });
  // No server looks by itself: each test starts the look.
  const looks = { alone: () => new Promise<boolean>(() => {}), everyMs: 1000 };
  const git = { address, name, credentials, data, ...(mostBytes !== undefined && { mostBytes }) };
  const store = createGitFlows({ sql, rows, log, ...looks, ...git });
  const service = await createFlowService({
    bus: testBus(),
    config: { flows: [], data, editor: 'on', deploy: 'on-save' },
    log,
    registry: await builtInRegistry(),
    triggers: createTriggerTable(),
    variables: { snapshot: () => ({}) },
    compiling,
    tools: expressionTools('UTC'),
    host: { now: Date.now },
    store,
  });
  onTestFinished(async () => {
    await service.close();
    await sql.close();
  });
  return {
    host,
    service,
    store,
    log: lines,
    says: (id) => service.live(id)?.flow.nodes['handler']?.params?.['template'],
    async save(id, text) {
      const revision = service.revision(id);
      return service.save(id, text, { revision, actor: actorNamed('ada') });
    },
  };
}

const code = (of: string) => expect.objectContaining({ code: of });

afterEach(() => vi.unstubAllEnvs());

describe('files of a repository', () => {
  test('a file that cannot serve is left out and named, and the version that served goes on with its route', async () => {
    const { host, service, says, save } = await world();
    host.push({ 'a.json': helloFlow('a', { says: 'good' }), 'b.json': helloFlow('b', { says: 'good' }) });
    expect(await service.pull()).toMatchObject({ changed: ['a', 'b'], left: [] });
    symlinkSync('/etc/passwd', join(host.clone, 'link.json'));
    const commit = host.push({
      'a.json': '{ "format": 1, "id": "a", "nodes": { "x": { "operator": "no.such-thing" } }, "edges": [',
      'deep/b.json': helloFlow('b', { says: 'double' }),
      'Bad-Name.json': helloFlow('c'),
      'package.json': '{ "name": "no-flow" }',
      'latin.json': Buffer.from(helloFlow('latin', { says: 'caf\xe9' }), 'latin1'),
      'large.json': `"${'x'.repeat(MAX_FLOW_BYTES)}"`,
      'a.layout.json': '{}',
      '.github/c.json': helloFlow('c'),
    });
    const { left, ...pulled } = await service.pull();
    expect(pulled).toMatchObject({ commit, removed: [] });
    expect(Object.fromEntries(left.map(({ file, code: found }) => [file, found]))).toEqual({
      'a.json': 'json-syntax',
      'b.json': 'duplicate-flow-id',
      'deep/b.json': 'duplicate-flow-id',
      'Bad-Name.json': 'bad-field',
      'package.json': expect.any(String),
      'latin.json': 'unreadable-file',
      'large.json': 'too-large',
      'link.json': 'unreadable-file',
    });
    expect([says('a'), says('b')]).toEqual(['good', 'good']);
    expect(service.list().map(({ id, state }) => [id, state])).toEqual([
      ['a', 'broken'],
      ['b', 'live'],
      ['package', 'broken'],
    ]);
    expect(service.source()).toMatchObject({ from: 'git', at: commit, problem: { code: 'git_files_left' } });
    // The route of what serves is still its own.
    await save('thief', helloFlow('thief', { path: '/a' }));
    expect(service.live('thief')).toBeUndefined();
    host.push({ 'a.json': helloFlow('a', { says: 'better' }), 'deep/b.json': undefined });
    expect((await service.pull()).changed).toEqual(['a']);
    expect(says('a')).toBe('better');
  });

  test('flows that exchange their routes in one commit do so in one step', async () => {
    const { host, service, says } = await world();
    host.push({ 'a.json': helloFlow('a', { path: '/one' }), 'b.json': helloFlow('b', { path: '/two' }) });
    await service.pull();
    const swapped = {
      'a.json': helloFlow('a', { path: '/two' }),
      'b.json': helloFlow('b', { path: '/one' }),
    };
    host.push(swapped);
    expect(await service.pull()).toMatchObject({ changed: ['a', 'b'], left: [] });
    expect(service.list().map(({ id, state, triggers }) => [id, state, triggers[0]?.path])).toEqual([
      ['a', 'live', '/two'],
      ['b', 'live', '/one'],
    ]);
    expect(says('a')).toBe('Hello');
  });

  test('a commit of many flows is checked in turns with requests', async () => {
    const { host, store } = await world();
    const flows = Array.from({ length: 30 }, (_, i) => `f${i}`);
    host.push(Object.fromEntries(flows.map((id) => [`${id}.json`, helloFlow(id, { path: `/${id}` })])));
    let turn = 0;
    const ticking = new AbortController();
    const tick = (): void => {
      turn++;
      if (!ticking.signal.aborted) setImmediate(tick);
    };
    const judgedIn = new Set<number>();
    const nothing = async (): Promise<void> => {};
    const watching = store.watch({
      async judge() {
        judgedIn.add(turn);
        const began = performance.now();
        while (performance.now() - began < 10);
        return { works: true, problem: undefined };
      },
      onChanged: nothing,
      onOthers: nothing,
      onReady: () => {},
      onError: () => {},
    });
    tick();
    expect(await store.repository?.pull()).toMatchObject({ left: [] });
    ticking.abort();
    await watching.close();
    // One check takes longer than a turn lasts, so no two share one.
    expect(judgedIn.size).toBe(flows.length);
  });

  test('a folder of the repository is enough, and submodules are not looked into', async () => {
    const host = await startGitHost();
    const { service, save } = await world({ host, from: `${host.from}:prod/flows` });
    host.push({ 'other.json': helloFlow('other'), 'prod/flows/a.json': helloFlow('a') });
    const module = `160000,${'1'.repeat(40)},prod/flows/module.json`;
    host.git('update-index', '--add', '--cacheinfo', module);
    host.git('commit', '--quiet', '-m', 'module');
    host.git('push', '--quiet', 'origin', 'HEAD');
    expect(await service.pull()).toMatchObject({ changed: ['a'], left: [{ code: 'unreadable-file' }] });
    await save('new', helloFlow('new'));
    expect(host.file('prod/flows/new.json')).toBe(helloFlow('new'));
  });
});

describe('a repository that cannot be taken over', () => {
  test.each([
    ['git_not_found', { path: '/nothing.git' }],
    ['git_denied', { credentials: 'weft:wrong' }],
    ['git_branch_missing', { branch: 'no-such' }],
    ['git_unreachable', { status: 500 }],
    ['git_unreachable', { reset: true }],
    ['git_too_large', { mostBytes: 1000 }],
    ['git_missing', { withoutGit: true }],
  ] as const)('%s: %j', async (wanted, fault) => {
    const host = await startGitHost();
    const { path = '/flows.git', branch = 'main', ...more } = fault as Partial<Record<string, string>>;
    const from = `git+${new URL(path, host.url).href}#${branch}`;
    host.push({ 'a.json': helloFlow('a') });
    if ('withoutGit' in fault) vi.stubEnv('PATH', '/nonexistent');
    const { service, log } = await world({ host, from, ...more });
    if ('status' in fault) host.fault = () => fault.status;
    if ('reset' in fault) host.fault = () => 'reset';
    await expect(service.pull()).rejects.toEqual(code(wanted));
    expect(service.source()).toMatchObject({ problem: { code: wanted } });
    expect(log.join()).toContain(wanted);
    expect(service.list()).toEqual([]);
  });

  test('one that is away stops nothing but changes of live flows, and is taken over when it is back', async () => {
    const { host, service, says, save } = await world();
    host.push({ 'a.json': helloFlow('a', { says: 'one' }) });
    await service.pull();
    host.push({ 'a.json': helloFlow('a', { says: 'two' }) });
    host.fault = () => 503;
    await expect(service.pull()).rejects.toEqual(code('git_unreachable'));
    await expect(save('b', helloFlow('b'))).rejects.toEqual(code('git_unreachable'));
    expect([says('a'), service.live('b')]).toEqual(['one', undefined]);
    const actor = actorNamed('ada');
    await service.save('c', helloFlow('c'), { revision: undefined, actor, draftOnly: true });
    expect(service.list().map(({ id, state }) => [id, state])).toEqual([
      ['a', 'live'],
      ['c', 'draft'],
    ]);
    host.fault = undefined;
    await service.pull();
    expect([says('a'), service.source().problem]).toEqual(['two', undefined]);
    await service.publish('c', { revision: service.revision('c') ?? '', actor });
    expect(host.file('c.json')).toBe(helloFlow('c'));
  });

  test('a force-pushed branch is imported only on request', async () => {
    const { host, service, says, save } = await world();
    host.push({ 'a.json': helloFlow('a', { says: 'one' }) });
    host.push({ 'a.json': helloFlow('a', { says: 'two' }) });
    await service.pull();
    host.git('reset', '--quiet', '--hard', 'HEAD~1');
    const forced = host.push({ 'b.json': helloFlow('b') }, '--force');
    await expect(service.pull()).rejects.toEqual(code('git_rewritten'));
    await expect(save('c', helloFlow('c'))).rejects.toEqual(code('git_rewritten'));
    expect([says('a'), says('b')]).toEqual(['two', undefined]);
    expect(await service.pull({ force: true })).toMatchObject({ commit: forced, changed: ['a', 'b'] });
    expect([says('a'), says('b')]).toEqual(['one', 'Hello']);
  });

  test('an empty one gets its branch from the first flow; one without flows any more removes none', async () => {
    const { host, service, says, save } = await world();
    expect(await service.pull()).toEqual({ changed: [], removed: [], left: [] });
    await save('a', helloFlow('a'));
    expect(host.file('a.json')).toBe(helloFlow('a'));
    host.git('pull', '--quiet', 'origin', 'main');
    host.push({ 'a.json': undefined, 'README.md': 'moved' });
    await expect(service.pull()).rejects.toEqual(code('git_empty'));
    expect(says('a')).toBe('Hello');
    expect(await service.pull({ force: true })).toMatchObject({ removed: ['a'] });
    expect(service.list()).toEqual([]);
  });

  test('paths that lead out of it are refused by git', async () => {
    const { host, service } = await world();
    host.push({ 'a.json': helloFlow('a') });
    const blob = host.git('rev-parse', 'HEAD:a.json');
    const inner = host.git('rev-parse', 'HEAD^{tree}');
    writeFileSync(
      join(host.bare, '..', 'tree'),
      treeOf([
        ['40000', '..', inner],
        ['100644', 'b.json', blob],
      ]),
    );
    const tree = host.git('hash-object', '-t', 'tree', '-w', '--literally', join(host.bare, '..', 'tree'));
    const commit = host.git('commit-tree', tree, '-p', 'HEAD', '-m', 'out');
    host.git('push', '--quiet', 'origin', `${commit}:refs/heads/main`);
    await expect(service.pull()).rejects.toEqual(code('git_damaged'));
    expect(service.list()).toEqual([]);
  });
});

function treeOf(entries: readonly (readonly [mode: string, name: string, id: string])[]): Buffer {
  return Buffer.concat(
    entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  );
}

describe('a saved flow', () => {
  test('goes on top of concurrent pushes, and names the author', async () => {
    const { host, service, says, save } = await world();
    host.push({ 'a.json': helloFlow('a', { says: 'one' }), 'b.json': helloFlow('b', { says: 'one' }) });
    await service.pull();
    let isFirst = true;
    host.fault = ({ method, url }) => {
      if (isFirst && method === 'POST' && url?.endsWith('git-receive-pack') === true) {
        isFirst = false;
        host.push({ 'b.json': helloFlow('b', { says: 'two' }) });
      }
      return undefined;
    };
    await save('a', helloFlow('a', { says: 'two' }));
    expect([isFirst, says('a'), says('b')]).toEqual([false, 'two', 'one']);
    expect([host.file('a.json'), host.file('b.json')].map((text) => text?.includes('two'))).toEqual([
      true,
      true,
    ]);
    expect((await service.pull()).changed).toEqual(['b']);
    host.git('pull', '--quiet', 'origin', 'main');
    expect(host.git('log', '-1', '--format=%an, %cn, %s')).toBe('ada, weft, Change flow a');
  });

  test('is refused where others have changed the same flow, which then arrives', async () => {
    const { host, service, says, save } = await world();
    host.push({ 'a.json': helloFlow('a', { says: 'one' }) });
    await service.pull();
    let isFirst = true;
    host.fault = ({ url }) => {
      if (isFirst && url?.endsWith('git-receive-pack') === true) {
        isFirst = false;
        host.push({ 'a.json': helloFlow('a', { says: 'theirs' }) });
      }
      return undefined;
    };
    await expect(save('a', helloFlow('a', { says: 'mine' }))).rejects.toEqual(code('git_conflict'));
    await eventually(() => expect(says('a')).toBe('theirs'));
    await save('a', helloFlow('a', { says: 'mine' }));
    expect(host.file('a.json')).toContain('mine');
  });

  test('is refused where the branch accepts no commits, and no hook of this machine runs', async () => {
    const { host, service, says, save } = await world();
    host.push({ 'a.json': helloFlow('a', { says: 'one' }) });
    await service.pull();
    const home = tempFolder('home');
    mkdirSync(join(home, 'hooks'));
    const marker = join(home, 'ran');
    writeFileSync(join(home, 'hooks/pre-push'), `#!/bin/sh\ntouch ${marker}\nexit 1\n`, { mode: 0o755 });
    writeFileSync(join(home, '.gitconfig'), `[core]\n\thooksPath = ${home}/hooks\n`);
    vi.stubEnv('HOME', home);
    await save('a', helloFlow('a', { says: 'two' }));
    expect(says('a')).toBe('two');
    writeFileSync(join(host.bare, 'hooks/pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await expect(save('a', helloFlow('a', { says: 'three' }))).rejects.toEqual(code('git_push_refused'));
    await expect(
      service.remove('a', { revision: service.revision('a') ?? '', actor: actorNamed('ada') }),
    ).rejects.toEqual(code('git_push_refused'));
    expect([says('a'), host.file('a.json')?.includes('two')]).toEqual(['two', true]);
  });

  test('runs no hook of a repository on this machine, whose user would be the one of the server', async () => {
    const host = await startGitHost();
    host.push({ 'a.json': helloFlow('a', { says: 'one' }) });
    const marker = join(tempFolder('marker'), 'ran');
    for (const hook of ['pre-receive', 'update', 'post-receive', 'post-update', 'reference-transaction'])
      writeFileSync(join(host.bare, 'hooks', hook), `#!/bin/sh\necho ${hook} >> ${marker}\n`, {
        mode: 0o755,
      });
    const { service, save } = await world({ host, from: `git+file://${host.bare}#main` });
    await service.pull();
    await save('a', helloFlow('a', { says: 'two' }));
    expect(host.file('a.json')).toContain('two');
    expect(existsSync(marker)).toBe(false);
  });

  test('before there was a repository stays, and what was taken from another one too', async () => {
    const database = join(tempFolder('rows'), 'weft.db');
    const one = await world({ database });
    one.host.push({ 'a.json': helloFlow('a', { says: 'first' }), 'b.json': helloFlow('b') });
    await one.service.pull();
    await one.service.close();
    const other = await startGitHost();
    const two = await world({ database, host: other });
    other.push({ 'a.json': helloFlow('a', { says: 'second' }) });
    expect(await two.service.pull()).toMatchObject({ changed: ['a'], removed: [] });
    expect([two.says('a'), two.says('b')]).toEqual(['second', 'Hello']);
    await two.save('b', helloFlow('b', { says: 'moved' }));
    expect(other.file('b.json')).toContain('moved');
  });
});
