import { FilePlus2, Upload, Workflow } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

/** The first thing somebody sees who has no flow yet. */
export function FirstSteps({ onNew, onImport }: { onNew(): void; onImport(): void }) {
  const first = useRef<HTMLButtonElement>(null);
  // What nearly everybody does next: not sixteen presses of Tab away, behind the links of the bar.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) first.current?.focus({ preventScroll: true });
  }, []);
  return (
    <EmptyState
      icon={Workflow}
      title="No flows yet"
      action={
        <>
          <Button ref={first} variant="primary" icon={FilePlus2} onClick={onNew}>
            Make the first flow
          </Button>
          <Button icon={Upload} onClick={onImport}>
            Import a file
          </Button>
        </>
      }
    >
      A flow starts with a trigger, say a request to an address of your own, and passes what came from node to
      node until something answers. Draw it, save it, call it. Each flow is one JSON file in the{' '}
      <code>flows</code> folder; a file put there appears here by itself.
    </EmptyState>
  );
}
