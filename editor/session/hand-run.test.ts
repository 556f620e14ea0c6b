import { afterEach, expect, test, vi } from 'vitest';
import { sessionOf } from '../commands/testing/session.ts';
import type { Session } from '../commands/command.ts';
import { docOf } from '../model/testing/docs.ts';
import { runByHand } from './hand-run.ts';
import { eventually } from '../../tests/support/eventually.ts';

afterEach(() => vi.unstubAllGlobals());

/** A session whose server answers a start with these lines, and the bodies that it was sent. */
function bed(...answers: readonly (readonly object[] | Response | Error)[]) {
  const sent: Record<string, unknown>[] = [];
  const left = [...answers];
  vi.stubGlobal('fetch', async (_: string, { body }: { body: string }) => {
    sent.push(JSON.parse(body) as Record<string, unknown>);
    const next = left.shift();
    if (next instanceof Error) throw next;
    if (next instanceof Response) return next;
    return new Response((next ?? []).map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
  const session = {
    ...sessionOf(docOf({ start: 'trigger.manual' })),
    saver: { save: async () => false },
  } as unknown as Session;
  return { session, sent, hand: () => session.runs.getState().byHand };
}

const start = { flow: 'f', draft: true, trigger: 'start', input: { a: 1 } };
const begun = { kind: 'started', run: { run: 'r1', status: 'running' } };
const ended = { kind: 'ended', status: 'ok', ms: 1 };

test('a run by hand opens the result, which grows with what comes', async () => {
  const answer = { kind: 'value', status: 200 };
  const { session, sent, hand } = bed([
    begun,
    { kind: 'answer', answer, items: true },
    { kind: 'item', value: 'a' },
    { kind: 'item', value: 'b' },
    ended,
  ]);
  await runByHand(session, start);
  expect(session.ui.getState()).toMatchObject({ dockOpen: true, dockTab: 'result' });
  expect(hand()).toMatchObject({ run: 'r1', state: 'ended', answer, items: ['a', 'b'] });
  expect(sent).toEqual([{ draft: true, trigger: 'start', input: { a: 1 }, stream: true }]);
});

test('again starts it again as it was', async () => {
  const { session, sent, hand } = bed([begun, ended], [begun, ended]);
  await runByHand(session, start);
  await hand()?.again();
  expect(sent[1]).toEqual(sent[0]);
});

test('without a server, or if the flow cannot be saved, it says that nothing was run', async () => {
  const { session, sent, hand } = bed(new TypeError('failed to fetch'));
  await runByHand(session, start);
  expect(hand()).toMatchObject({ state: 'refused', refusal: { code: 'offline' } });
  session.editor.setState({ saveState: 'unsaved' });
  await runByHand(session, start);
  expect(hand()).toMatchObject({ state: 'refused', refusal: { code: 'not_saved' } });
  expect(sent).toHaveLength(1);
});

test('a connection that breaks before the end leaves what has come', async () => {
  const { session, hand } = bed([begun, { kind: 'answer', answer: { kind: 'value', status: 200, body: 7 } }]);
  await runByHand(session, start);
  expect(hand()).toMatchObject({ run: 'r1', state: 'lost', answer: { body: 7 } });
});

test('nodes that would change something outside are asked for first', async () => {
  const refused = {
    success: false,
    err_code: 'writes_need_yes',
    err_msg: '',
    data: null,
    detail: [{ node: 'mail' }],
  };
  const { session, sent, hand } = bed(Response.json(refused, { status: 409 }), [begun, ended]);
  await runByHand(session, start);
  const { overlay } = session.ui.getState();
  expect([overlay?.kind, hand()]).toEqual(['writes', undefined]);
  if (overlay?.kind === 'writes') overlay.onYes();
  await eventually(() => expect(hand()?.state).toBe('ended'));
  expect(sent[1]).toMatchObject({ allowWrites: ['mail'] });
});
