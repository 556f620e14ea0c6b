import { FilePlus2, Upload, Workflow } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';

/** The first screen for people who have no flow yet. */
export function FirstSteps({ onNew, onImport }: { onNew(): void; onImport(): void }) {
  const first = useRef<HTMLButtonElement>(null);
  // What nearly everybody does next gets the focus, not sixteen presses of Tab away behind the links of the bar.
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
            Create the first flow
          </Button>
          <Button icon={Upload} onClick={onImport}>
            Import a file
          </Button>
        </>
      }
    >
      A flow starts with a trigger, such as a request to an address of your own, and passes data from node to
      node until one of them answers. Draw it, save it, call it. Each flow is one JSON file in the{' '}
      <code>flows</code> folder; a file that you put there appears here automatically.
    </EmptyState>
  );
}
