import { LogOut } from 'lucide-react';
import { pathText } from '../model/expression/expression-text.ts';
import { portsOfNode } from '../model/document/geometry.ts';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { useNodeTitle } from '../session/use-node-title.ts';
import type { CacheNote } from '#shared/run-event.ts';
import { reuseText } from '../state/reuse-text.ts';
import type { NodeRun } from '../state/run-store.ts';
import { Button } from '../ui/Button.tsx';
import { CopyButton } from '../ui/CopyButton.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { countText } from '../ui/format.ts';
import { ErrorBox } from '../runs/ErrorBox.tsx';
import { NoRun } from './NoRun.tsx';
import { OutputTools, RanLine } from './OutputTools.tsx';
import { dragsOf } from './value-drags.ts';
import { PortValue } from './PortValue.tsx';

/** The output of the node in the run on the canvas, its duration, and its error. */
export function OutputTab({ id }: { id: string }) {
  const hasRun = useRuns((state) => state.shown !== undefined);
  const run = useRuns((state) => state.shown?.nodes[id]);
  const missing = useRuns((state) => state.shown?.missing);
  const title = useNodeTitle();
  if (!hasRun) return <NoRun />;
  if (!run) {
    return (
      <EmptyState icon={LogOut} title="Not in this run">
        {missing
          ? 'The values of this run were not recorded. Set “Save run data” to full in the settings of the flow.'
          : 'The run did not reach this node.'}
        <OutputTools id={id} />
      </EmptyState>
    );
  }
  return (
    <div className="flex flex-col">
      <div className="flex flex-col gap-2 border-b border-line px-3 py-2">
        <RanLine id={id} run={run} />
        {run.cache && <ReuseLine note={run.cache} />}
        {run.skipped !== undefined && (
          <p className="text-xs text-text-2">{SKIPPED[run.skipped] ?? run.skipped}</p>
        )}
        {run.waitingFor !== undefined && (
          <p className="text-xs text-text-2">It waits for {run.waitingFor}.</p>
        )}
        {run.status === 'cancelled' && (
          <p className="text-xs text-text-2">The run was cancelled while this node was running.</p>
        )}
        {run.error && run.status !== 'cancelled' && <ErrorBox error={run.error} nameOf={title} />}
        <OutputTools id={id} />
      </div>
      <Outputs id={id} run={run} />
    </div>
  );
}

/** Why an earlier output of the node was used, or why not. */
function ReuseLine({ note }: { note: CacheNote }) {
  const { run, hit } = note;
  const actions = useRuns((state) => state.actions);
  const isShown = useRuns((state) => state.shown?.id === run);
  return (
    <p className="flex flex-wrap items-center gap-2 text-xs text-text-2">
      <span>{reuseText(note)}</span>
      {hit && run !== undefined && !isShown && (
        <Button size="sm" onClick={() => void actions.open(run)}>
          Show that run
        </Button>
      )}
    </p>
  );
}

const SKIPPED: Readonly<Record<string, string>> = {
  'missing-input': 'A required input had no value, so it did not run.',
  'no-live-input': 'None of its inputs had a value, so it did not run.',
  disabled: 'It is disabled and has nothing to pass on.',
  'left-out': 'It was left out of this run.',
  'not-needed': 'An earlier edge of the node that it leads to brought a value, so it was not needed.',
};

function Outputs({ id, run }: { id: string; run: NodeRun }) {
  const { actions } = useSession();
  const names = useEditor(({ doc, catalog }) =>
    portsOfNode(doc, catalog, id)
      .outputs.map((port) => port.name)
      .join(' '),
  );
  const ports = [...new Set([...names.split(' ').filter(Boolean), ...Object.keys(run.outputs)])];
  const plain = ports.filter((name) => name !== 'error');
  if (ports.length === 0) {
    return <p className="px-3 py-3 text-xs text-text-2">This node has no output; it ends here.</p>;
  }
  return ports.map((port) => {
    const root = plain.length === 1 && port !== 'error' ? `nodes.${id}` : `nodes.${id}.${port}`;
    const copy = (path: string) =>
      void actions.writeClipboard(`{{ ${path} }}`).then(() => actions.toast(`Copied {{ ${path} }}`));
    return (
      <PortValue
        key={port}
        name={port}
        source={{ value: run.outputs[port] }}
        missing={missingText(run, port)}
        from={
          <>
            <WholeValue value={run.outputs[port]} />
            <CopyPath path={root} />
          </>
        }
        onPick={(path) => copy(pathText(root, path))}
        drags={dragsOf(root)}
        pickLabel="Copy the path"
      />
    );
  });
}

function missingText(run: NodeRun, port: string): string {
  const count = run.counts[port];
  if (count !== undefined) return `A stream of ${countText(count, 'item')}.`;
  if (run.status === 'running' || run.status === 'waiting') return 'Nothing yet.';
  return 'No value here.';
}

/** The path by which an expression of a later node reads this value. */
function CopyPath({ path }: { path: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <code className="min-w-0 truncate font-mono text-xs text-text-2">{path}</code>
      <CopyButton text={`{{ ${path} }}`} label={`Copy ${path}`} />
    </span>
  );
}

/** A link to the whole value, if it was too large for its event. */
function WholeValue({ value }: { value: unknown }) {
  const run = useRuns((state) => state.shown?.id);
  const hash = (value as { $large?: { hash?: string } } | null | undefined)?.$large?.hash;
  if (run === undefined || hash === undefined) return null;
  return (
    <a
      href={`/api/v1/runs/${run}/values/${hash}`}
      target="_blank"
      rel="noreferrer"
      className="shrink-0 text-xs text-accent hover:underline"
    >
      Show it whole
    </a>
  );
}
