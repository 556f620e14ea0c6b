import { describe, expect, test } from 'vitest';
import type { WaitAsk, WaitInfo } from '#shared/wait.ts';
import { type Bed, signIn, startBed } from '../../testing/platform-bed.ts';
import { question } from '../../execution/waits/waits.contract.ts';

const ID = 'run1.ask';

async function startAsked(more: Partial<WaitAsk> = {}, until?: number): Promise<Bed> {
  const bed = await startBed();
  await bed.ctx.waits.open(question(more, until));
  bed.ctx.durable.get = async (run) => ({ run, endedAt: 0 }) as never;
  return bed;
}

type Answer = {
  status: number;
  body: { data: unknown; err_code: string; err_msg: string; detail?: unknown };
};

async function ownerOf(bed: Bed) {
  const headers = await signIn(bed);
  return async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const answer = await fetch(`${bed.url}/api/v1/waits${path}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  };
}

describe('/api/v1/waits', () => {
  test('lists open waits, returns one, and stores a decision under the name of the session or key', async () => {
    const bed = await startAsked();
    const owner = await ownerOf(bed);
    expect((await owner('GET', '?flow=orders')).body.data).toMatchObject({
      waits: [{ id: ID }],
      more: false,
    });
    expect((await owner('GET', '?flow=others')).body.data).toEqual({ waits: [], more: false });
    expect((await owner('GET', `/${ID}`)).body.data).toMatchObject({ id: ID, status: 'open' });
    const decided = await owner('POST', `/${ID}/decide`, { decision: 'approved', comment: 'Go' });
    const { decision } = decided.body.data as WaitInfo;
    expect(decision).toMatchObject({ decision: 'approved', comment: 'Go', via: 'session' });
    const again = await owner('POST', `/${ID}/decide`, { decision: 'rejected' });
    expect([again.status, again.body.err_code]).toEqual([409, 'wait_decided']);
    expect(again.body.err_msg).toContain(decision?.at);
    expect((await bed.ctx.waits.answer('run1', 'ask'))?.value).toEqual(decision);
  });

  test('refuses what is malformed, unknown, or does not fit the form, each with its code', async () => {
    const schema = { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } };
    const owner = await ownerOf(await startAsked({ kind: 'form', schema }));
    const codeOf = async (...call: Parameters<typeof owner>): Promise<unknown[]> => {
      const { status, body } = await owner(...call);
      return [status, body.err_code];
    };
    expect(await codeOf('GET', '/run1.other')).toEqual([404, 'wait_not_found']);
    expect(await codeOf('GET', '/nonsense')).toEqual([404, 'wait_not_found']);
    expect(await codeOf('GET', '?status=strange')).toEqual([400, 'invalid_request']);
    expect(await codeOf('POST', `/${ID}/decide`, { decision: 'maybe' })).toEqual([400, 'invalid_request']);
    expect(await codeOf('POST', `/${ID}/decide`, { decision: 'approved' })).toEqual([
      422,
      'wait_answer_invalid',
    ]);
    const wrong = await owner('POST', `/${ID}/decide`, { decision: 'submitted', data: { n: 'x' } });
    expect(wrong.body.detail).toMatchObject([{ loc: ['body', 'n'] }]);
  });
});

const openTag = '<form method="post"';

describe('/wait/:id', () => {
  const pageOf = async (bed: Bed, address?: string) => {
    const answer = await fetch(address ?? (await bed.ctx.waitLinks.urlOf(ID)));
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const tokenOf = async (bed: Bed): Promise<string> =>
    new URL(await bed.ctx.waitLinks.urlOf(ID)).searchParams.get('token') ?? '';
  const send = async (bed: Bed, fields: Record<string, string>, token?: string) =>
    fetch(`${bed.url}/wait/${ID}?token=${token ?? (await tokenOf(bed))}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });

  test('shows the question to who has the link, and looking at it decides nothing', async () => {
    const bed = await startAsked({
      text: '**Really?** See https://a.org/x.',
      data: { amount: 3, who: '<b>' },
    });
    const { status, headers, text } = await pageOf(bed);
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<strong>Really?</strong>');
    expect(text).toContain('<a href="https://a.org/x" rel="noopener noreferrer">');
    expect(text).toContain('<dt>who</dt><dd>&lt;b&gt;</dd>');
    expect(text).toContain(openTag);
    expect(await bed.ctx.waits.get(ID)).toMatchObject({ status: 'open' });
  });

  test('neither scripts nor frames nor other places can do anything with it, and its address stays secret', async () => {
    const { headers } = await pageOf(await startAsked());
    const policy = headers.get('content-security-policy') ?? '';
    for (const rule of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"])
      expect(policy).toContain(rule);
    expect(policy).not.toContain('unsafe');
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual([
      'no-referrer',
      'no-store',
    ]);
  });

  test('another link is none, whether there is such a wait or not', async () => {
    const bed = await startAsked();
    const other = new URL(await bed.ctx.waitLinks.urlOf('run1.other')).search;
    for (const query of ['', '?token=', '?token=wrong', `?token=${await tokenOf(bed)}&token=b`, other]) {
      const page = await pageOf(bed, `${bed.url}/wait/${ID}${query}`);
      expect([query, page.status, page.text.includes('does not work')]).toEqual([query, 403, true]);
    }
    expect((await pageOf(bed, `${bed.url}/wait/run1.unknown?token=wrong`)).status).toBe(403);
    expect((await send(bed, { decision: 'approved' }, 'wrong')).status).toBe(403);
    expect(await bed.ctx.waits.get(ID)).toMatchObject({ status: 'open' });
  });

  test('the page of a wait that is not open yet reloads; the page of one that will never open explains that', async () => {
    const bed = await startAsked();
    const { waits, waitLinks } = bed.ctx;
    await waits.decide(
      'run2.ask',
      { decision: 'approved', by: 'Ada', via: 'key', comment: '' },
      { flow: 'f' },
    );
    const early = await pageOf(bed, await waitLinks.urlOf('run2.ask'));
    expect([early.status, early.text.includes('http-equiv="refresh" content="5"')]).toEqual([200, true]);
    const never = await pageOf(bed, await waitLinks.urlOf('run3.ask'));
    expect([never.status, never.text.includes('Nothing to decide')]).toEqual([404, true]);
  });

  test('accepts a decision once, and then shows who decided, also to a second decider', async () => {
    const bed = await startAsked();
    const first = await send(bed, { decision: 'rejected', by: ' Ada ', comment: 'No <i>' });
    expect([first.status, first.headers.get('location')]).toEqual([
      303,
      `/wait/${ID}?token=${await tokenOf(bed)}`,
    ]);
    const { text } = await pageOf(bed);
    expect(text).toContain('<strong>Rejected</strong> by Ada (by link)');
    expect(text).toContain('No &lt;i&gt;');
    expect(text).not.toContain(openTag);
    const second = await send(bed, { decision: 'approved' });
    expect([second.status, await second.text()]).toEqual([409, expect.stringContaining('Rejected')]);
    expect(await bed.ctx.waits.get(ID)).toMatchObject({ decision: { decision: 'rejected', via: 'link' } });
  });

  test('keeps the typed values of a form that must be corrected, and accepts it then', async () => {
    const schema = {
      type: 'object',
      required: ['name', 'count'],
      properties: {
        name: { type: 'string', title: 'Full name' },
        count: { type: 'integer', minimum: 2 },
        size: { enum: ['s', 'm'] },
        day: { type: 'string', format: 'date' },
        gift: { type: 'boolean', default: true },
        more: { type: 'array', items: { type: 'number' } },
      },
    };
    const bed = await startAsked({ kind: 'form', schema });
    const typed = { decision: 'submitted', 'data.name': 'Ada "A"', 'data.count': '1', 'data.size': 'm' };
    const refused = await send(bed, typed);
    const text = await refused.text();
    expect(refused.status).toBe(422);
    expect(text).toContain('value="Ada &quot;A&quot;"');
    expect(text).toContain('<option value="m" selected>');
    expect(text).toMatch(/id="f-count"[^>]* aria-invalid="true"/);
    expect(text).toContain('Write a number of at least 2.');
    const taken = await send(bed, {
      ...typed,
      'data.count': '2',
      'data.more': '[1, 2]',
      'data.day': '2026-03-01',
    });
    expect(taken.status).toBe(303);
    const { value } = (await bed.ctx.waits.answer('run1', 'ask')) ?? {};
    const entered = { name: 'Ada "A"', count: 2, size: 'm', day: '2026-03-01', gift: false, more: [1, 2] };
    expect(value).toHaveProperty('data', entered);
  });

  test('has fields of any name, also of names that objects have by themselves', async () => {
    const names = ['constructor', 'toString', '__proto__'];
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'integer' }]));
    const bed = await startAsked({ kind: 'form', schema: { type: 'object', properties, required: ['n'] } });
    const refused = await send(bed, { decision: 'submitted', 'data.constructor': 'x' });
    expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('id="f-toString"')]);
  });

  test('reports the end of the time, and of the run', async () => {
    const bed = await startAsked({}, 2000);
    expect((await pageOf(bed)).text).toContain('The time to decide is over');
    const late = await send(bed, { decision: 'approved' });
    expect([late.status, await late.text()]).toEqual([
      409,
      expect.stringContaining('The time to decide is over'),
    ]);
    const other = await startAsked();
    await other.ctx.waits.close('run1');
    expect((await pageOf(other)).text).toContain('The run is over');
  });

  test('reads nothing but its own form', async () => {
    const bed = await startAsked();
    const json = await fetch(await bed.ctx.waitLinks.urlOf(ID), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"decision":"approved"}',
    });
    expect([json.status, await json.json()]).toEqual([
      415,
      expect.objectContaining({ err_code: 'unsupported_media_type' }),
    ]);
  });
});
