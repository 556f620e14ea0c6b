import { Dices, FlaskConical, Gauge, Play, ScanEye } from 'lucide-react';
import type { FlowCoverage, FlowTestReport } from '#shared/flow-test-api.ts';
import { coverageMarks } from '../model/drawing/coverage-marks.ts';
import { useRuns, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { leaveVersion } from '../versions/show-version.ts';
import { resultText } from './results.ts';

interface TestToolbarProps {
  count: number;
  report: FlowTestReport | undefined;
  isRunning: boolean;
  keep: { readonly id: string | undefined; readonly reason: string | undefined };
  onKeep(): void;
  /** As a case of an evaluation. */
  onKeepCase(): void;
  onGenerate(): void;
  onRun(): void;
}

export function TestToolbar(props: TestToolbarProps) {
  const { count, report, isRunning, keep, onKeep, onKeepCase, onGenerate, onRun } = props;
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-2 py-1 text-xs">
      <Button size="sm" icon={Play} busy={isRunning} disabled={count === 0} onClick={onRun}>
        Run all tests
      </Button>
      <Button
        size="sm"
        icon={FlaskConical}
        disabled={keep.id === undefined}
        title={keep.reason ?? 'Its input, the answers from outside, and its outputs'}
        onClick={onKeep}
      >
        Keep this run as a test
      </Button>
      <Button
        size="sm"
        icon={Gauge}
        disabled={keep.id === undefined}
        title={keep.reason ?? 'Its input, its answer, and the documents it found'}
        onClick={onKeepCase}
      >
        Keep as an evaluation case…
      </Button>
      <Button
        size="sm"
        icon={Dices}
        title="Inputs made from the request model, until the flow fails"
        onClick={onGenerate}
      >
        Generate inputs…
      </Button>
      {report && count > 0 && (
        <>
          <span className="tabular-nums">{resultText(report)}</span>
          <CoverageButton coverage={report.coverage} />
        </>
      )}
    </div>
  );
}

/** The coverage of the tests; can mark the untested parts on the canvas. */
function CoverageButton({ coverage }: { coverage: FlowCoverage }) {
  const session = useSession();
  const isOn = useRuns((runs) => runs.coverage !== undefined);
  const { nodes, edges, branches } = coverage;
  const toggle = (): void => {
    leaveVersion(session);
    session.runs.setState({ coverage: isOn ? undefined : coverageMarks(coverage) });
  };
  const parts = [
    partText(nodes, 'nodes'),
    partText(edges, 'edges'),
    ...(branches.of > 0 ? [partText(branches, 'branches')] : []),
  ];
  return (
    <div className="ml-auto flex items-center gap-2">
      <span className="text-text-2 tabular-nums" title={branches.missed.join(', ')}>
        Tested: {parts.join(', ')}
      </span>
      <Button
        size="sm"
        icon={ScanEye}
        aria-pressed={isOn}
        className={isOn ? 'bg-accent-soft' : ''}
        onClick={toggle}
      >
        Show on the canvas
      </Button>
    </div>
  );
}

function partText({ hit, of }: FlowCoverage['nodes'], what: string): string {
  return `${hit} of ${of} ${what}`;
}
