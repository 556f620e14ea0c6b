import { Lightbulb } from 'lucide-react';
import { useEffect } from 'react';
import type { FirstHint } from '../state/ui-store.ts';
import { nodeCount } from '../model/document/flat.ts';
import { useEditor, useRuns, useSession, useSync, useUi } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';

const TEXTS: Readonly<Record<FirstHint, string>> = {
  node: 'Click a node: its settings open at the right, and after a run also what went in and came out.',
  run: 'Run tries this draft, and the result opens below. Nothing that you try is live.',
  publish: 'Publish makes the flow live: others can call it, and its schedules and forms start to work.',
};
const NONE: { flow: string | undefined; done: readonly string[] } = { flow: undefined, done: [] };
const HINTS = Object.keys(TEXTS) as FirstHint[];

/** Hints on what to do next in somebody's first flow, one at a time; each is gone for good once it is done or dismissed. */
export function FirstHints() {
  const { ui } = useSession();
  const id = useEditor((s) => s.doc.flow.id);
  const { flow, done } = useUi((s) => s.firstHints) ?? NONE;
  const isEmpty = useEditor((s) => nodeCount(s.doc.flow) === 0);
  const isDone = useDone();
  const now = HINTS.filter((hint) => isDone[hint] && !done.includes(hint)).join(' ');
  const end = (hints: readonly string[]): void =>
    ui.setState({ firstHints: { flow: id, done: [...new Set([...done, ...hints])] } });
  // The flow that is opened next is the first one.
  useEffect(() => {
    if (flow === '') ui.setState({ firstHints: { flow: id, done } });
  }, [ui, flow, done, id]);
  useEffect(() => {
    if (now !== '' && flow === id) end(now.split(' '));
  });
  const next = HINTS.find((hint) => !done.includes(hint) && !isDone[hint]);
  if (flow !== id || isEmpty || next === undefined) return null;
  return (
    <section
      aria-label="First steps"
      className="flex max-w-150 items-center gap-3 rounded-lg border border-line bg-surface px-3 py-2 text-xs shadow-(--shadow) max-sm:flex-wrap"
    >
      <Lightbulb aria-hidden className="size-4 shrink-0 text-accent" />
      <p className="min-w-0 flex-1">{TEXTS[next]}</p>
      <span className="flex shrink-0 gap-2">
        <Button size="sm" onClick={() => end([next])}>
          Got it
        </Button>
        <Button size="sm" variant="ghost" onClick={() => end(HINTS)}>
          No more hints
        </Button>
      </span>
    </section>
  );
}

function useDone(): Readonly<Record<FirstHint, boolean>> {
  const node = useEditor((s) => s.selectedNodes.size > 0);
  const run = useRuns((s) => s.byHand !== undefined);
  const publish = useSync((s) => s.record.live !== undefined);
  return { node, run, publish };
}
