import { ArrowLeft, LogIn } from 'lucide-react';
import { type DragEvent, useMemo, useState, useSyncExternalStore } from 'react';
import { flowGraph, incoming } from '#engine/check';
import { infoOf } from '../model/document/edit.ts';
import { flatFlow, nodeIn } from '../model/document/flat.ts';
import { titleOf } from '../model/document/geometry.ts';
import type { ExpressionScope } from '../model/expression/expression-scope.ts';
import { pathText } from '../model/expression/expression-text.ts';
import type { Source } from '../model/expression/source.ts';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { Button } from '../ui/Button.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { Select } from '../ui/Select.tsx';
import { mapValue } from '../commands/map-value.ts';
import { droppedPath, endPathDrag, isPathDrag } from '../ui/path-drag.ts';
import { type PortDrop, PortValue } from './PortValue.tsx';
import { useInsertEntries } from './use-insert-entries.ts';
import { scopeSource } from './scope-source.ts';
import { readableBeside, type Readable } from './readable.ts';
import { dragsOf } from './value-drags.ts';

/** What the node can read in the run on the canvas: its inputs, and the values of earlier nodes, the trigger and variables. */
export function InputTab({ id }: { id: string }) {
  const scope = useScope(id);
  const inputs = scope.get('inputs')?.parts;
  const others = useOthers(id, scope);
  const [chosen, setChosen] = useState<string>();
  const other = others.find(({ root }) => root === chosen) ?? (inputs ? undefined : others[0]);
  const hasRun = useRuns((state) => state.shown !== undefined);
  return (
    <div className="flex flex-col">
      <Choice chosen={other?.root} hasInputs={inputs !== undefined} others={others} onChoose={setChosen} />
      {other && <Values id={id} root={other.root} name={other.title} source={other.source} />}
      {!other && inputs && <Inputs id={id} inputs={inputs} />}
      {!other && !inputs && (
        <EmptyState icon={LogIn} title="No inputs">
          Runs start here; the data of the request is this node’s output.
        </EmptyState>
      )}
      {!hasRun && inputs && (
        <p className="px-3 py-2 text-xs text-text-2">
          Run the flow, or open a past run, to see values beside what is known already.
        </p>
      )}
    </div>
  );
}

interface ChoiceProps {
  chosen: string | undefined;
  hasInputs: boolean;
  others: readonly Readable[];
  onChoose(root: string): void;
}

/** Whose values are shown. */
function Choice({ chosen = 'inputs', hasInputs, others, onChoose }: ChoiceProps) {
  if (others.length === 0) return null;
  return (
    <div className="border-b border-line px-3 py-2">
      <Select
        size="sm"
        label="Values of"
        value={chosen}
        onValueChange={onChoose}
        options={[
          ...(hasInputs ? [{ value: 'inputs', label: 'Inputs', icon: LogIn }] : []),
          ...others.map(({ root, title, icon }) => ({ value: root, label: title, hint: root, icon })),
        ]}
      />
    </div>
  );
}

function Inputs({ id, inputs }: { id: string; inputs: ReadonlyMap<string, Source> }) {
  const flow = useEditor((state) => flatFlow(state.doc.flow));
  const edges = incoming(flowGraph(flow), id);
  return [...inputs].map(([port, source]) => (
    <Values
      key={port}
      id={id}
      port={port}
      root={inputs.size === 1 ? 'input' : pathText('inputs', [port])}
      name={port}
      source={source}
      nodes={edges.filter((edge) => edge.toPort === port).map((edge) => edge.from)}
    />
  ));
}

interface ValuesProps {
  id: string;
  root: string;
  name: string;
  source: Source;
  nodes?: readonly string[];
  /** The input that the value arrives at, onto which a field can be dropped. */
  port?: string;
}

function Values({ id, root, name, source, nodes = [], port }: ValuesProps) {
  const drop = useMapDrop(port === undefined ? undefined : `${id}.${port}`);
  const entriesFor = useInsertEntries(id);
  const drags = dragsOf(root, id);
  return (
    <PortValue
      name={name}
      source={source}
      missing={missingText(source)}
      from={<Origins nodes={nodes} />}
      drags={drags}
      drop={drop}
      pickLabel="Insert into a setting"
      entriesOf={(path) => entriesFor(drags.dragOf(path))}
    />
  );
}

function missingText(source: Source): string {
  return source.skipped
    ? 'No value arrived: the previous node was skipped or took another branch.'
    : (source.why ?? 'Nothing');
}

/** A field that is dropped onto an input is what its edge carries from then on. */
function useMapDrop(to: string | undefined): PortDrop | undefined {
  const session = useSession();
  if (to === undefined) return undefined;
  const over = (event: DragEvent): void => {
    if (!isPathDrag(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'copy';
  };
  return {
    onDragEnter: over,
    onDragOver: over,
    onDrop: (event) => {
      const dragged = droppedPath(event);
      if (!dragged) return;
      event.preventDefault();
      endPathDrag();
      const refusal = mapValue(session, dragged, { input: to });
      if (refusal !== undefined) session.actions.toast(refusal, 'error');
    },
  };
}

/** The values that expressions read beside the inputs. */
function useOthers(id: string, scope: ExpressionScope): readonly Readable[] {
  const { doc, catalog } = useSession().editor.getState();
  const isTrigger = infoOf(catalog, nodeIn(doc.flow, id))?.trigger === true;
  return isTrigger ? [] : readableBeside(scope, { doc, catalog });
}

/** The source of the value; a click goes there. */
function Origins({ nodes }: { nodes: readonly string[] }) {
  const { editor, ui } = useSession();
  const { doc, catalog } = editor.getState();
  const goTo = (id: string): void => {
    ui.setState(({ nodeView }) => ({ nodeView: nodeView && id }));
    editor.getState().select([id]);
  };
  return nodes.map((id) => {
    const node = nodeIn(doc.flow, id);
    return (
      <Button key={id} size="sm" variant="ghost" icon={ArrowLeft} onClick={() => goTo(id)}>
        <span className="max-w-32 truncate">{node ? titleOf(node, catalog) : id}</span>
      </Button>
    );
  });
}

/** The values that the expressions of a node can read now. */
function useScope(id: string): ExpressionScope {
  const session = useSession();
  const source = useMemo(() => scopeSource(session, id), [session, id]);
  return useSyncExternalStore(source.subscribe, source.current);
}
