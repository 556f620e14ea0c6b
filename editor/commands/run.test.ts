import { beforeEach, expect, test, vi } from 'vitest';
import { docOf } from '../model/testing/docs.ts';
import { rememberInput } from '../state/run-inputs.ts';
import type { RunWish, Session } from './command.ts';
import { runCommands } from './run.ts';
import { run, sessionOf } from './testing/session.ts';

const schema = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };

/** Requires the input `city`. */
const hook = { operator: 'trigger.http', params: { path: '/a', request: schema } };
/** Requires no input. */
const start = { operator: 'trigger.http', params: {} };

/** A session on a flow, and the app's requested actions. */
function bed(nodes: Parameters<typeof docOf>[0] = { hook }) {
  const started: unknown[] = [];
  const run = async ({ input, trigger }: RunWish = {}) => void started.push([trigger, input]);
  const session = { ...sessionOf(docOf(nodes)), actions: { run } } as unknown as Session;
  session.editor.setState({ problems: [] });
  return { session, started };
}

beforeEach(() => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  });
  return () => vi.unstubAllGlobals();
});

test('a run whose trigger has fields asks each time, and Run again repeats it without asking', async () => {
  const { session, started } = bed();
  await expect(run(runCommands, 'run-again', session)).rejects.toThrow('not been run');
  await run(runCommands, 'run', session);
  expect([session.ui.getState().overlay, started]).toEqual([{ kind: 'run-form' }, []]);
  rememberInput(session.editor.getState().doc.flow.id, 'hook', '{"city":"Oslo"}');
  session.ui.setState({ overlay: undefined });
  await run(runCommands, 'run', session);
  expect([session.ui.getState().overlay, started]).toEqual([{ kind: 'run-form' }, []]);
  await run(runCommands, 'run-again', session);
  expect(started).toEqual([['hook', { city: 'Oslo' }]]);
});

test('optional fields are asked for too, and a webhook that nobody has called waits for its first call', async () => {
  const optional = { type: 'object', properties: { city: { type: 'string' } } };
  const fields = { operator: 'trigger.http', params: { path: '/a', request: optional } };
  const webhook = { operator: 'trigger.http', params: { path: '/b', methods: ['POST'] } };
  for (const nodes of [{ fields }, { webhook }]) {
    const { session, started } = bed(nodes);
    await run(runCommands, 'run', session);
    expect([session.ui.getState().overlay, started]).toEqual([{ kind: 'run-form' }, []]);
  }
  const { session, started } = bed({ webhook });
  rememberInput(session.editor.getState().doc.flow.id, 'webhook', '{"a":1}');
  await run(runCommands, 'run', session);
  expect(started).toEqual([['webhook', { a: 1 }]]);
});

test('a run that needs nothing starts at once', async () => {
  const { session, started } = bed({ start });
  await run(runCommands, 'run', session);
  expect(started).toEqual([['start', {}]]);
});

test('of several triggers the one that was run last is run again', async () => {
  const { session, started } = bed({ hook, start });
  await run(runCommands, 'run', session);
  expect([session.ui.getState().overlay, started]).toEqual([{ kind: 'run-form' }, []]);
  rememberInput(session.editor.getState().doc.flow.id, 'start', '{"a":1}');
  await run(runCommands, 'run', session);
  expect(started).toEqual([['start', { a: 1 }]]);
});

test('a flow without a trigger, or with problems, says why it cannot run', async () => {
  await expect(run(runCommands, 'run', bed({ say: 'text.template' }).session)).rejects.toThrow(
    'Add a trigger',
  );
  const { session } = bed();
  session.editor.setState({ problems: [{ code: 'cycle', severity: 'error', message: '' }] });
  await expect(run(runCommands, 'run', session)).rejects.toThrow('problems');
});

test('stopping, going back and following are there only when they would do something', async () => {
  const { session } = bed();
  await expect(run(runCommands, 'stop-run', session)).rejects.toThrow('No run');
  await expect(run(runCommands, 'open-last-run', session)).rejects.toThrow('not run yet');
  await expect(run(runCommands, 'follow-runs', session)).rejects.toThrow('already');
  session.runs.setState({ follow: false });
  await run(runCommands, 'follow-runs', session);
});
