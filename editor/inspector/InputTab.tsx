import { ArrowLeft, LogIn } from 'lucide-react';
import { flowGraph, incoming } from '#engine/check';
import { insertPath } from '../form/last-editor.ts';
import { inputValues } from '../model/expression/expression-scope.ts';
import type { Source } from '../model/expression/source.ts';
import { pathText } from '../model/expression/expression-text.ts';
import { titleOf } from '../model/document/geometry.ts';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { copyText } from '../ui/clipboard.ts';
import { EmptyState } from '../ui/EmptyState.tsx';
import { NoRun } from './NoRun.tsx';
import { scopeOf } from './scope-source.ts';
import { PortValue } from './PortValue.tsx';
import { nodeIn } from '../model/document/flat.ts';

/** The inputs of the node in the run on the canvas. */
export function InputTab({ id }: { id: string }) {
  const session = useSession();
  const run = useRuns((state) => state.shown);
  const flow = useEditor((state) => state.doc.flow);
  const insert = usePathInsert();
  const inputs = inputValues(scopeOf(session, id));
  if (inputs.size === 0) {
    return (
      <EmptyState icon={LogIn} title="No inputs">
        Runs start here; the data of the request is this node’s output.
      </EmptyState>
    );
  }
  if (!run) return <NoRun what="comes in" />;
  const edges = incoming(flowGraph(flow), id);
  return (
    <div className="flex flex-col">
      {[...inputs].map(([port, source]) => (
        <PortValue
          key={port}
          name={port}
          value={source.value}
          missing={missingText(source)}
          from={<Origins nodes={edges.filter((edge) => edge.toPort === port).map((edge) => edge.from)} />}
          onPick={(path) => insert(pathText(inputs.size === 1 ? 'input' : `inputs.${port}`, path))}
          pickLabel="Insert the path"
        />
      ))}
    </div>
  );
}

function missingText(source: Source): string {
  return source.skipped
    ? 'No value arrived: the previous node was skipped or took another branch.'
    : (source.why ?? 'Nothing');
}

/** The source of the value; a click goes there. */
function Origins({ nodes }: { nodes: readonly string[] }) {
  const { editor } = useSession();
  const { doc, catalog } = editor.getState();
  return nodes.map((id) => {
    const node = nodeIn(doc.flow, id);
    return (
      <Button
        key={id}
        size="sm"
        variant="ghost"
        icon={ArrowLeft}
        onClick={() => editor.getState().select([id])}
      >
        <span className="max-w-32 truncate">{node ? titleOf(node, catalog) : id}</span>
      </Button>
    );
  });
}

/** Inserts a path into the expression field that was used last; if there is none, copies it to the clipboard. */
function usePathInsert(): (path: string) => void {
  const { ui, actions } = useSession();
  return (path) => {
    const field = insertPath(path);
    if (field) {
      ui.setState({ inspectorTab: 'settings', announcement: `${path} inserted` });
      requestAnimationFrame(() => field.focus());
      return;
    }
    copyText(`{{ ${path} }}`).then(
      () => actions.toast(`Copied {{ ${path} }}. Click into a field first to have it inserted there.`),
      () => actions.toast('Click into an expression field first, then insert the path.', 'error'),
    );
  };
}
