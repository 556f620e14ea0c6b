import { expect, test } from 'vitest';
import { sessionOf } from '../commands/testing/session.ts';
import { docOf } from '../model/testing/docs.ts';
import { createPartRuns } from './part-runs.ts';

const input = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
const nodes = { manual: { operator: 'trigger.http', params: { input } }, say: 'text.template' };

test('a node that is run before the list of runs has arrived waits for it, and asks for an input if there is no run', async () => {
  const session = sessionOf(docOf(nodes, ['manual.out>say.in']));
  const { runs, ui } = session;
  const listed: (() => void)[] = [];
  const loadRecent = () => new Promise<void>((resolve) => listed.push(resolve));
  runs.setState(({ actions }) => ({ actions: { ...actions, loadRecent } }));
  const work = createPartRuns(session, 'f').runPart({ only: 'say' });
  expect(ui.getState().overlay).toBeUndefined();
  runs.setState({ list: 'ready' });
  expect(listed).toHaveLength(1);
  listed[0]?.();
  await work;
  expect(ui.getState().overlay).toEqual({
    kind: 'run-form',
    part: { trigger: 'manual', wish: { only: 'say' } },
  });
});
