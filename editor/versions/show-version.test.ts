import { afterEach, expect, test, vi } from 'vitest';
import { formatFlow } from '#engine/check';
import type { FlowSummary } from '#shared/api.ts';
import type { Flow } from '#shared/flow.ts';
import { sessionOf } from '../commands/testing/session.ts';
import type { Session } from '../commands/command.ts';
import { drawnPast, marksOf } from '../state/drawn.ts';
import { createSyncStore } from '../state/sync-store.ts';
import { compareVersions, leaveVersion, NOW, restoreVersion, showVersion } from './show-version.ts';
import { eventually } from '../../tests/support/eventually.ts';

const flowOf = (template: string): Flow => ({
  format: 1,
  id: 'f',
  nodes: { say: { operator: 'text.template', params: { template } } },
  edges: [],
});
const OLD = 'aaaaaaaaaaaaaaaa';

afterEach(() => vi.unstubAllGlobals());

/** A server on which saving only makes drafts, as with WEFT_DEPLOY=manual. `live` holds the live version. */
function sessionWithDrafts({ hasDraft = false } = {}): { session: Session; live(): string } {
  vi.stubGlobal('fetch', async () =>
    Response.json({ success: true, data: { version: OLD, text: formatFlow(flowOf('old')) } }),
  );
  const bare = sessionOf({ flow: flowOf('new'), layout: { format: 1, nodes: { say: { x: 7, y: 8 } } } });
  const sync = createSyncStore({ id: 'f', hasDraft } as FlowSummary);
  const textOf = (): string => String(bare.editor.getState().doc.flow.nodes['say']?.params?.['template']);
  let live = 'new';
  const saved = (isDraft: boolean): void => {
    bare.editor.getState().markSaved(bare.editor.getState().doc, '2');
    sync.setState(({ record }) => ({ record: { ...record, hasDraft: isDraft } }));
  };
  const saver = {
    save: async () => {
      saved(true);
      return true;
    },
    publish: async () => {
      live = textOf();
      saved(false);
    },
  };
  return { session: { ...bare, sync, saver } as unknown as Session, live: () => live };
}

const template = ({ editor }: Session) => editor.getState().doc.flow.nodes['say']?.params?.['template'];

test('a restored version is live where saving alone makes drafts, and taking it back puts live what was', async () => {
  const { session, live } = sessionWithDrafts();
  const takeBack = await restoreVersion(session, OLD, 'old');
  expect([template(session), live()]).toEqual(['old', 'old']);
  expect(session.editor.getState().doc.layout.nodes['say']).toEqual({ x: 7, y: 8 });
  await takeBack?.();
  expect([template(session), live()]).toEqual(['new', 'new']);
});

test('what was only a draft is a draft again when a restored version is taken back', async () => {
  const { session, live } = sessionWithDrafts({ hasDraft: true });
  const takeBack = await restoreVersion(session, OLD, 'old');
  await takeBack?.();
  expect([template(session), live()]).toEqual(['new', 'old']);
});

test('a version hides the run on the canvas, a comparison has marks, and leaving ends both', async () => {
  const { session } = sessionWithDrafts();
  await showVersion(session, OLD);
  expect(drawnPast(session.runs.getState())?.flow).toEqual(flowOf('old'));
  expect(session.runs.getState()).toMatchObject({ shown: undefined, follow: false });
  await compareVersions(session, OLD, NOW);
  expect(marksOf(session.runs.getState())?.nodes).toEqual({ say: 'changed' });
  leaveVersion(session);
  expect(drawnPast(session.runs.getState())).toBeUndefined();
  expect(marksOf(session.runs.getState())).toBeUndefined();
  expect(session.runs.getState().follow).toBe(true);
});

test('of two versions the one that was asked for last is drawn, whichever answer comes last', async () => {
  const { session } = sessionWithDrafts();
  const answers = new Map<string, () => void>();
  vi.stubGlobal('fetch', async (url: string) => {
    const version = /[a-f]{16}/.exec(url)?.[0] ?? '';
    await new Promise<void>((resolve) => answers.set(version, resolve));
    return Response.json({ success: true, data: { version, text: formatFlow(flowOf(version)) } });
  });
  const NEWER = 'bbbbbbbbbbbbbbbb';
  const drawn = () => drawnPast(session.runs.getState())?.flow;

  const first = showVersion(session, OLD);
  const second = showVersion(session, NEWER);
  await eventually(() => expect([...answers.keys()]).toEqual([OLD, NEWER]));
  answers.get(NEWER)?.();
  await second;
  answers.get(OLD)?.();
  await first;
  expect(drawn()).toEqual(flowOf(NEWER));

  answers.clear();
  const third = showVersion(session, OLD);
  await eventually(() => expect(answers.get(OLD)).toBeDefined());
  leaveVersion(session);
  answers.get(OLD)?.();
  await third;
  expect(drawn()).toBeUndefined();
});
