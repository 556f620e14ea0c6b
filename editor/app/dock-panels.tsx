import type { ComponentType } from 'react';
import { useEditor } from '../session/session.tsx';
import type { DockTab } from '../state/ui-store.ts';
import { Count } from '../ui/Badge.tsx';
import { later, type Preloadable, preloadable } from '../ui/preloadable.tsx';

/** One of the panels below the canvas. */
interface DockPanel {
  /** On its tab. */
  readonly title: string;
  /** What it is called if it fails, at the start of a sentence. */
  readonly name: string;
  /** Its code is loaded when it is first shown. */
  readonly Content: Preloadable<object>;
  /** Beside its title. */
  readonly Badge?: ComponentType;
}

/** In the order of their tabs. */
export const dockPanels: Readonly<Record<DockTab, DockPanel>> = {
  problems: {
    title: 'Problems',
    name: 'The list of problems',
    Content: later(async () => (await import('../problems/ProblemsPanel.tsx')).ProblemsPanel),
    Badge: ProblemCounts,
  },
  log: {
    title: 'Log',
    name: 'The log',
    Content: preloadable(async () => (await import('../runs/LogPanel.tsx')).LogPanel),
  },
  runs: {
    title: 'Runs',
    name: 'The list of runs',
    Content: preloadable(async () => (await import('../runs/RunsPanel.tsx')).RunsPanel),
  },
  trigger: {
    title: 'Trigger',
    name: 'The trigger panel',
    Content: preloadable(async () => (await import('../triggers/TriggerPanel.tsx')).TriggerPanel),
  },
  tests: {
    title: 'Tests',
    name: 'The list of tests',
    Content: preloadable(async () => (await import('../tests/TestsPanel.tsx')).TestsPanel),
  },
  versions: {
    title: 'Versions',
    name: 'The list of versions',
    Content: preloadable(async () => (await import('../versions/VersionsPanel.tsx')).VersionsPanel),
  },
};

function ProblemCounts() {
  const errors = useEditor((editor) => editor.problems.filter((p) => p.severity === 'error').length);
  const warnings = useEditor((editor) => editor.problems.length) - errors;
  return (
    <>
      <Count n={errors} tone="bad" />
      <Count n={warnings} tone="warn" />
    </>
  );
}
