import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatFlow } from '#engine/check';
import type { FlowDetail } from '#shared/api.ts';
import type { Scope } from '#shared/scopes.ts';
import { actorNamed } from '../../flows/service/testing/flow-fixture.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';

/** A flow that answers at `/says` with this text; without a text it has an error. */
const says = (text: string | undefined) =>
  formatFlow({
    format: 1,
    id: 'says',
    nodes: {
      ask: { operator: 'trigger.http', params: { path: '/says', auth: 'none' } },
      say: { operator: 'text.template', params: text === undefined ? {} : { template: text } },
    },
    edges: [{ from: 'ask.out', to: 'say.in' }],
  });

interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly message: string | null;
  readonly data: FlowDetail;
}

type Ask = (method: string, path: string, body?: object) => Promise<Answer>;

const SCOPES: Readonly<Record<string, Scope[]>> = {
  reader: ['flows:read'],
  writer: ['flows:read', 'flows:write'],
  publisher: ['flows:read', 'flows:write', 'flows:publish'],
};

async function server(deploy: 'on-save' | 'manual' = 'on-save') {
  const bed = await startBed({ deploy });
  const as = async (name: string): Promise<Ask> => {
    const { key } = await bed.ctx.keys.create({ name, scopes: SCOPES[name] ?? [] });
    return (method, path, body) => ask(bed, key, method, path, body);
  };
  const live = async (): Promise<string> => {
    const answer = await fetch(`${bed.url}/api/v1/awel/trigger/says`);
    return answer.ok ? ((await answer.json()) as string) : String(answer.status);
  };
  return { bed, as, live };
}

async function ask(bed: Bed, key: string, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${bed.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const {
    err_code: code,
    err_msg: message,
    data,
  } = (await answer.json()) as Answer & {
    err_code: string | null;
    err_msg: string | null;
  };
  return { status: answer.status, code, message, data };
}

/** The flow before the save: none, one that is live, one that is live with a draft, or a draft alone. */
type Before = 'new' | 'live' | 'live + draft' | 'draft';

async function begin({ ctx }: Bed, before: Before): Promise<string | undefined> {
  const actor = actorNamed('owner');
  const save = async (text: string, mode: 'draft' | 'publish'): Promise<void> => {
    await ctx.flows.save('says', text, { revision: ctx.flows.revision('says'), actor, mode });
  };
  if (before === 'live' || before === 'live + draft') await save(says('old'), 'publish');
  if (before === 'draft' || before === 'live + draft') await save(says('begun'), 'draft');
  return ctx.flows.revision('says');
}

const put = (asks: Ask, text: string, revision: string | undefined, mode?: string): Promise<Answer> => {
  const body = { text, ...(mode && { mode }) };
  return revision === undefined
    ? asks('POST', '/flows', { id: 'says', ...body })
    : asks('PUT', '/flows/says', { revision, ...body });
};

/** What answers afterwards, and what the draft says. */
interface Row {
  readonly who: string;
  readonly mode?: 'draft' | 'publish';
  readonly deploy?: 'manual';
  readonly before: Before;
  readonly live: string;
  readonly draft: boolean;
  readonly status?: number;
}

const BEFORE = ['new', 'live', 'live + draft', 'draft'] as const;
const wasLive = (before: Before): string => (before.startsWith('live') ? 'old' : '404');
const hadDraft = (before: Before): boolean => before.endsWith('draft');

const table: readonly Row[] = BEFORE.flatMap((before): Row[] => [
  // A draft never changes what is live, whoever writes it and whatever the server's setting is.
  { who: 'writer', mode: 'draft', before, live: wasLive(before), draft: true },
  { who: 'publisher', mode: 'draft', before, live: wasLive(before), draft: true },
  { who: 'publisher', mode: 'draft', deploy: 'manual', before, live: wasLive(before), draft: true },
  // Who does not say gets what WEFT_DEPLOY and the key allow.
  { who: 'writer', before, live: wasLive(before), draft: true },
  { who: 'publisher', before, live: 'new', draft: false },
  { who: 'publisher', deploy: 'manual', before, live: wasLive(before), draft: true },
  // Who publishes leaves a draft with another text.
  { who: 'publisher', mode: 'publish', before, live: 'new', draft: hadDraft(before) },
  { who: 'publisher', mode: 'publish', deploy: 'manual', before, live: 'new', draft: hadDraft(before) },
  { who: 'writer', mode: 'publish', before, live: wasLive(before), draft: hadDraft(before), status: 403 },
  { who: 'reader', mode: 'draft', before, live: wasLive(before), draft: hadDraft(before), status: 403 },
]);

describe('a save, by mode, setting, scope and what was there', () => {
  test.each(table)(
    '$who saves with mode $mode and WEFT_DEPLOY $deploy over $before: $live answers, draft $draft',
    async ({ who, mode, deploy, before, live, draft, status }) => {
      const { bed, as, live: answers } = await server(deploy);
      const revision = await begin(bed, before);
      const saved = await put(await as(who), says('new'), revision, mode);
      expect(saved.status).toBe(status ?? (before === 'new' ? 201 : 200));
      expect(await answers()).toBe(live);
      const record = bed.ctx.flows.list()[0];
      expect([record?.live, record?.draft !== undefined]).toEqual([record?.version, draft]);
      if (status === undefined)
        expect(saved.data).toMatchObject({ hasDraft: draft, revision: record?.revision });
    },
  );

  test('a text with errors is refused by `publish`, and changes nothing', async () => {
    const { bed, as, live } = await server();
    const publisher = await as('publisher');
    const revision = await begin(bed, 'live');
    expect(await put(publisher, says(undefined), revision, 'publish')).toMatchObject({
      status: 422,
      code: 'flow_invalid',
    });
    expect([await live(), bed.ctx.flows.revision('says')]).toEqual(['old', revision]);
    // Without a mode it becomes the draft, as before.
    expect(await put(publisher, says(undefined), revision)).toMatchObject({
      status: 200,
      data: { hasDraft: true },
    });
  });
});

describe('the address of a trigger that only a draft has', () => {
  const at = async (bed: Bed, headers: Record<string, string>): Promise<string> =>
    (await fetch(`${bed.url}/api/v1/awel/trigger/says`, { headers })).text();

  test('says so to who may read flows, and to nobody else', async () => {
    const { bed } = await server();
    await begin(bed, 'draft');
    const { key } = await bed.ctx.keys.create({ name: 'reader', scopes: ['flows:read'] });
    const { key: caller } = await bed.ctx.keys.create({ name: 'caller', scopes: ['triggers'] });
    const hint = 'publish it, or call the draft at /api/v1/flows/says/test/says.';
    const { cookie } = await signIn(bed);
    for (const headers of [{ authorization: `Bearer ${key}` }, { cookie }])
      expect(await at(bed, headers)).toContain(hint);
    for (const headers of [{}, { authorization: `Bearer ${caller}` }, { authorization: 'Bearer wrong' }]) {
      const answer = await at(bed, headers as Record<string, string>);
      expect(answer).toContain('No live flow has a trigger at /says.');
      expect(answer).not.toContain('draft');
    }
  });

  test('is the test address alone while the draft moves the path of a live flow', async () => {
    const { bed, live } = await server();
    await begin(bed, 'live');
    const moved = says('moved').replace('"/says"', '"/moved"');
    const actor = actorNamed('owner');
    await bed.ctx.flows.save('says', moved, {
      revision: bed.ctx.flows.revision('says'),
      actor,
      mode: 'draft',
    });
    const { cookie } = await signIn(bed);
    const status = async (path: string): Promise<number> =>
      (await fetch(`${bed.url}/api/v1${path}`, { headers: { cookie } })).status;
    expect(await live()).toBe('old');
    expect(await status('/awel/trigger/moved')).toBe(404);
    expect(await status('/flows/says/test/moved')).toBe(200);
    expect(await status('/flows/says/test/says')).toBe(404);
  });
});

describe('a draft beside a live flow', () => {
  test('runs, answers at its test address, and goes live by publishing it', async () => {
    const { bed, live } = await server();
    const revision = await begin(bed, 'live + draft');
    const { key } = await bed.ctx.keys.create({
      name: 'all',
      scopes: ['flows:read', 'flows:write', 'flows:publish', 'runs:write', 'runs:read'],
    });
    const run = await ask(bed, key, 'POST', '/flows/says/run', { draft: true });
    expect(run.data).toMatchObject({ status: 'ok', answer: { body: 'begun' } });
    const headers = { authorization: `Bearer ${key}` };
    const tested = await fetch(`${bed.url}/api/v1/flows/says/test/says`, { headers });
    expect(await tested.json()).toBe('begun');
    expect(await live()).toBe('old');
    const file = join(bed.ctx.config.flows[0] as string, 'says.json');
    expect(readFileSync(file, 'utf8')).toContain('old');
    const published = await ask(bed, key, 'POST', '/flows/says/publish', { revision });
    expect(published.data.live).toBe(published.data.version);
    expect([await live(), published.data.draft, readFileSync(file, 'utf8')]).toEqual([
      'begun',
      undefined,
      says('begun'),
    ]);
    // One step back: the version before is live again.
    const [, before] = await bed.ctx.flows.versions('says');
    await ask(bed, key, 'POST', `/flows/says/versions/${before?.version}/restore`, {
      revision: published.data.revision,
    });
    expect(await live()).toBe('old');
  });

  test('is not published over a change of the file that it lacks, until it is saved with that as its base', async () => {
    const { bed, as, live } = await server();
    const publisher = await as('publisher');
    const first = (await begin(bed, 'live + draft')) as string;
    const record = (await publisher('GET', '/flows/says')).data;
    expect(record.base).toBe(record.live);
    await put(publisher, says('from elsewhere'), first, 'publish');
    const now = (await publisher('GET', '/flows/says')).data;
    expect([now.base === now.live, now.draft]).toEqual([false, record.draft]);
    const refused = await publisher('POST', '/flows/says/publish', { revision: now.revision });
    expect(refused).toMatchObject({ status: 409, code: 'conflict' });
    expect(refused.message).toContain(`"base": "${now.live}"`);
    expect(await live()).toBe('from elsewhere');
    const wrong = { text: says('merged'), revision: now.revision, mode: 'draft', base: 'another' };
    expect(await publisher('PUT', '/flows/says', wrong)).toMatchObject({ code: 'revision_conflict' });
    const merged = await publisher('PUT', '/flows/says', { ...wrong, base: now.live });
    expect(merged.data.base).toBe(now.live);
    expect((await publisher('POST', '/flows/says/publish', { revision: merged.data.revision })).status).toBe(
      200,
    );
    expect(await live()).toBe('merged');
  });

  test('stays when the file is deleted, and can be published as new', async () => {
    const { bed, as, live } = await server();
    const publisher = await as('publisher');
    await begin(bed, 'live + draft');
    rmSync(join(bed.ctx.config.flows[0] as string, 'says.json'));
    await expect.poll(live).toBe('404');
    const { data } = await publisher('GET', '/flows/says');
    expect(data).toMatchObject({ state: 'draft', text: says('begun') });
    await publisher('POST', '/flows/says/publish', { revision: data.revision });
    expect(await live()).toBe('begun');
  });

  test('of 0.2.0, which names its writers alone, opens as a draft and can be published', async () => {
    const { bed } = await server();
    await begin(bed, 'live + draft');
    const [folder] = bed.ctx.config.flows as [string];
    writeFileSync(join(folder, '.drafts', 'says.writers.json'), '["session:owner"]\n');
    await bed.stop();
    const again = await startBed(bed.ctx.config);
    const { key } = await again.ctx.keys.create({ name: 'p', scopes: SCOPES['publisher'] ?? [] });
    const { data } = await ask(again, key, 'GET', '/flows/says');
    expect([data.text, data.base, data.hasDraft]).toEqual([says('begun'), undefined, true]);
    await ask(again, key, 'POST', '/flows/says/publish', { revision: data.revision });
    expect(existsSync(join(folder, '.drafts', 'says.json'))).toBe(false);
    expect(await (await fetch(`${again.url}/api/v1/awel/trigger/says`)).json()).toBe('begun');
  });
});
