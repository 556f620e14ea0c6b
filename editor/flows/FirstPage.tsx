import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FilePlus2, Upload } from 'lucide-react';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef } from 'react';
import { useApp } from '../session/app-context.tsx';
import { Button } from '../ui/Button.tsx';
import { toast } from '../ui/toast.ts';
import { createFrom } from './flow-actions.ts';
import { type Beginning, flowWith } from './new-flow.ts';

const Gallery = lazy(() => import('../templates/Gallery.tsx').then((file) => ({ default: file.Gallery })));

const BEGINNINGS = [
  { trigger: 'trigger.http', label: 'A request' },
  { trigger: 'trigger.form', label: 'A form' },
  { trigger: 'trigger.schedule', label: 'A set time' },
  { trigger: 'trigger.chat', label: 'A chat message' },
] as const satisfies readonly { trigger: Beginning; label: string }[];

/** The first screen for people who have no flow yet: a name, a trigger, a file or a template begins one. */
export function FirstPage({ onNew, onImport }: { onNew(): void; onImport(): void }) {
  const { ui } = useApp();
  // Whoever sees this page has no flow yet: the next one that is opened is the first, with hints.
  useEffect(() => {
    const { firstHints } = ui.getState();
    ui.setState({ firstHints: { flow: '', done: firstHints?.done ?? [] } });
  }, [ui]);
  const first = useRef<HTMLButtonElement>(null);
  const begin = useBeginning();
  // What nearly everybody does next gets the focus, not sixteen presses of Tab away behind the rail.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) first.current?.focus({ preventScroll: true });
  }, []);
  return (
    <>
      <div className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-5">
        <div className="flex flex-col gap-1">
          <p className="text-xl leading-7 font-semibold">What do you want to build?</p>
          <p className="text-text-2">
            A flow does a job by itself: something starts it, data passes from node to node, and one of them
            answers. Each one is a JSON file in the <code>flows</code> folder.
          </p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button ref={first} variant="primary" icon={FilePlus2} onClick={onNew}>
            Create the first flow
          </Button>
          <Button icon={Upload} onClick={onImport}>
            Import a file
          </Button>
        </div>
        <div role="group" aria-label="Start with a trigger" className="flex flex-wrap items-center gap-2">
          <span className="text-text-2">Or start with</span>
          {BEGINNINGS.map(({ trigger, label }) => (
            <Button key={trigger} onClick={() => void begin(trigger)}>
              {label}
            </Button>
          ))}
        </div>
      </div>
      <p className="mt-2 text-base leading-6 font-semibold">Or begin with a template</p>
      <Suspense fallback={<div className="h-96" />}>
        <Gallery />
      </Suspense>
    </>
  );
}

function useBeginning(): (trigger: Beginning) => Promise<void> {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { ui } = useApp();
  return async (trigger) => {
    const { flow, layout, node } = flowWith(trigger);
    try {
      await createFrom(flow, layout);
      ui.setState({ begun: { flow: flow.id, node } });
      void queries.invalidateQueries({ queryKey: ['flows'] });
      await navigate({ to: '/flows/$id', params: { id: flow.id } });
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
    }
  };
}
