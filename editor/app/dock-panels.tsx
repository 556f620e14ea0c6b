import { useQuery } from '@tanstack/react-query';
import { Check } from 'lucide-react';
import type { ComponentType } from 'react';
import type { FlowTestReport } from '#shared/flow-test-api.ts';
import { useEditor, useRuns, useSync, useUi } from '../session/session.tsx';
import type { DockTab } from '../state/ui-store.ts';
import { Count } from '../ui/Badge.tsx';
import { durationText } from '../ui/format.ts';
import { RunStatusBadge } from '../ui/RunStatusBadge.tsx';
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
  result: {
    title: 'Result',
    name: 'The result',
    Content: preloadable(async () => (await import('../runs/ResultPanel.tsx')).ResultPanel),
    Badge: LastRun,
  },
  log: {
    title: 'Log',
    name: 'The log',
    Content: preloadable(async () => (await import('../runs/LogPanel.tsx')).LogPanel),
    Badge: LogCount,
  },
  timeline: {
    title: 'Timeline',
    name: 'The timeline',
    Content: preloadable(async () => (await import('../runs/TimelinePanel.tsx')).TimelinePanel),
  },
  problems: {
    title: 'Problems',
    name: 'The list of problems',
    Content: later(async () => (await import('../problems/ProblemsPanel.tsx')).ProblemsPanel),
    Badge: ProblemCounts,
  },
  tests: {
    title: 'Tests',
    name: 'The list of tests',
    Content: preloadable(async () => (await import('../tests/TestsPanel.tsx')).TestsPanel),
    Badge: FailedTests,
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
  versions: {
    title: 'Versions',
    name: 'The list of versions',
    Content: preloadable(async () => (await import('../versions/VersionsPanel.tsx')).VersionsPanel),
  },
};

/** How the run on the canvas stands. */
function LastRun() {
  const status = useRuns((runs) => runs.shown?.status);
  const ms = useRuns((runs) => runs.shown?.ms);
  // The panel itself says it.
  const isShown = useUi((ui) => ui.dockOpen && ui.dockTab === 'result');
  if (status === undefined || isShown) return null;
  return (
    <>
      <RunStatusBadge status={status} />
      {ms !== undefined && <span className="tabular-nums">{durationText(ms)}</span>}
    </>
  );
}

function LogCount() {
  return <Count n={useRuns((runs) => runs.log.length)} />;
}

function ProblemCounts() {
  const errors = useEditor((editor) => editor.problems.filter((p) => p.severity === 'error').length);
  const warnings = useEditor((editor) => editor.problems.length) - errors;
  const isChecked = useEditor((editor) => editor.checked !== undefined);
  const isShown = useUi((ui) => ui.dockOpen && ui.dockTab === 'problems');
  if (errors + warnings === 0 && isChecked && !isShown) {
    return (
      <>
        <Check aria-hidden className="size-3.5 text-ok" />
        <span className="sr-only">No problems</span>
      </>
    );
  }
  return (
    <>
      <Count n={errors} tone="bad" />
      <Count n={warnings} tone="warn" />
    </>
  );
}

/** Of the tests that were run here. */
function FailedTests() {
  const flow = useSync((sync) => sync.record.id);
  const { data } = useQuery<FlowTestReport>({ queryKey: ['test-report', flow], enabled: false });
  if (!data) return null;
  const failed = data.results.filter(({ passed }) => !passed).length;
  return failed > 0 ? (
    <Count n={failed} tone="bad" />
  ) : (
    <Check aria-label="all passed" className="size-3.5 text-ok" />
  );
}
