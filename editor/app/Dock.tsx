import { ChevronDown } from 'lucide-react';
import type { DockTab } from '../state/ui-store.ts';
import { Count } from '../ui/Badge.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Splitter } from '../ui/Splitter.tsx';
import { type Tab, Tabs } from '../ui/Tabs.tsx';
import { Part } from '../session/Part.tsx';
import { LogPanel, ProblemsPanel, RunsPanel, TestsPanel, TriggerPanel, VersionsPanel } from './parts.tsx';
import { useEditor, useSession, useUi } from '../session/session.tsx';

const MIN = 120;
const PANELS: Readonly<Record<DockTab, { name: string; content: React.ReactNode }>> = {
  problems: { name: 'The list of problems', content: <ProblemsPanel /> },
  log: { name: 'The log', content: <LogPanel /> },
  runs: { name: 'The list of runs', content: <RunsPanel /> },
  trigger: { name: 'The trigger panel', content: <TriggerPanel /> },
  tests: { name: 'The list of tests', content: <TestsPanel /> },
  versions: { name: 'The list of versions', content: <VersionsPanel /> },
};

/** The panels below the canvas: problems, log, runs, trigger. */
export function Dock() {
  const { ui } = useSession();
  const isOpen = useUi((state) => state.dockOpen);
  const tab = useUi((state) => state.dockTab);
  const height = useUi((state) => state.dockHeight);
  const tabs = useTabs();
  if (!isOpen) return null;
  const max = Math.max(MIN, Math.round(innerHeight * 0.7));
  const shown = Math.min(height, max);
  return (
    <>
      <Splitter
        orientation="horizontal"
        label="Height of the bottom panel"
        value={shown}
        min={MIN}
        max={max}
        after
        onChange={(dockHeight) => ui.setState({ dockHeight })}
      />
      <section
        aria-label="Bottom panel"
        style={{ height: shown }}
        className="flex shrink-0 flex-col bg-surface"
      >
        <Tabs
          label="Bottom panel"
          value={tab}
          onValueChange={(dockTab) => ui.setState({ dockTab })}
          tabs={tabs}
          aside={
            <IconButton
              size="sm"
              side="top"
              icon={ChevronDown}
              label="Hide the bottom panel"
              onClick={() => ui.setState({ dockOpen: false })}
            />
          }
        >
          <Part name={PANELS[tab].name}>{PANELS[tab].content}</Part>
        </Tabs>
      </section>
    </>
  );
}

function useTabs(): readonly Tab<DockTab>[] {
  const errors = useEditor((editor) => editor.problems.filter((p) => p.severity === 'error').length);
  const warnings = useEditor((editor) => editor.problems.length) - errors;
  return [
    {
      value: 'problems',
      label: 'Problems',
      badge: (
        <>
          <Count n={errors} tone="bad" />
          <Count n={warnings} tone="warn" />
        </>
      ),
    },
    { value: 'log', label: 'Log' },
    { value: 'runs', label: 'Runs' },
    { value: 'trigger', label: 'Trigger' },
    { value: 'tests', label: 'Tests' },
    { value: 'versions', label: 'Versions' },
  ];
}
