import { ArrowDown, ArrowUp, Spline, Trash2 } from 'lucide-react';
import { lazy, Suspense, useId } from 'react';
import { flowGraph, incoming } from '#engine/check';
import { type EdgeId, edgeId } from '../model/document/document.ts';
import { inputPort } from '../model/document/connect.ts';
import { nodeOf, portOf, removeEdges } from '../model/document/edit.ts';
import { moveEdge } from '../model/document/edge-order.ts';
import { titleOf } from '../model/document/geometry.ts';
import { setPick } from '../model/document/pick.ts';
import { useEditor, useSession } from '../session/session.tsx';
import { usePortTypes } from '../session/use-port-types.ts';
import { Button } from '../ui/Button.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Input } from '../ui/Input.tsx';
import { Locked } from './Locked.tsx';
import { PanelHeader, PanelTitle } from './PanelHeader.tsx';
import { Section } from './Section.tsx';
import { flatFlow, nodeIn } from '../model/document/flat.ts';

const SuggestInput = lazy(() => import('../ui/SuggestInput.tsx'));

/** An edge: its ends, its position among others, and its removal. */
export function EdgeInspector({ id }: { id: EdgeId }) {
  const { editor } = useSession();
  const edge = useEditor((state) => flatFlow(state.doc.flow).edges.find((other) => edgeId(other) === id));
  if (!edge) return null;
  return (
    <>
      <PanelHeader icon={Spline} title={<PanelTitle>Edge</PanelTitle>} hint={`${edge.from} → ${edge.to}`} />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <Section title="Ends">
          <End label="From" port={edge.from} />
          <End label="To" port={edge.to} />
        </Section>
        <EdgeType from={edge.from} to={edge.to} />
        <Locked>
          <EdgePick id={id} from={edge.from} pick={edge.pick ?? ''} />
          <EdgeOrder id={id} to={edge.to} />
          <div className="px-3 py-3">
            <Button
              icon={Trash2}
              variant="danger"
              onClick={() => editor.getState().commit('Delete edge', (draft) => removeEdges(draft, [id]))}
            >
              Delete edge
            </Button>
          </div>
        </Locked>
      </div>
    </>
  );
}

/** The type of the values on the edge, as far as it is known before a run. */
function EdgeType({ from, to }: { from: string; to: string }) {
  const carries = usePortTypes(from, 'output')?.carries;
  const takes = usePortTypes(to, 'input')?.takes;
  if (!carries && !takes) return null;
  return (
    <Section title="Type">
      {carries && <TypeLine label="Gives" type={carries} />}
      {takes && <TypeLine label="Takes" type={takes} />}
    </Section>
  );
}

const NO_FIELDS: readonly string[] = [];

/** The field of the value that the edge carries. */
function EdgePick({ id, from, pick }: { id: EdgeId; from: string; pick: string }) {
  const { editor } = useSession();
  const field = useId();
  const fields = usePortTypes(from, 'output')?.fields ?? NO_FIELDS;
  const set = (next: string): void =>
    editor.getState().commit('Field of the edge', (draft) => setPick(draft, id, next.trim()), `pick ${id}`);
  return (
    <Section title="Carries">
      <label htmlFor={field} className="text-xs font-medium">
        Field
      </label>
      <Suspense fallback={<Input mono id={field} value={pick} onValueChange={set} />}>
        <SuggestInput
          id={field}
          value={pick}
          onValueChange={set}
          options={fields}
          placeholder="The whole value"
        />
      </Suspense>
      <p className="text-xs text-text-2">
        Empty: the whole value. A field deeper inside is written <code>order.lines[0]</code>.
      </p>
    </Section>
  );
}

function TypeLine({ label, type }: { label: string; type: string }) {
  return (
    <div className="flex gap-2">
      <span className="w-10 shrink-0 text-xs text-text-2">{label}</span>
      <code className="min-w-0 font-mono text-xs break-words">{type}</code>
    </div>
  );
}

function End({ label, port }: { label: string; port: string }) {
  const { editor } = useSession();
  const node = nodeOf(port);
  const title = useEditor(({ doc, catalog }) => {
    const found = nodeIn(doc.flow, node);
    return found ? titleOf(found, catalog) : `${node} (missing)`;
  });
  return (
    <div className="flex items-center gap-2">
      <span className="w-10 shrink-0 text-xs text-text-2">{label}</span>
      <Button size="sm" className="min-w-0 !shrink" onClick={() => editor.getState().select([node])}>
        <span className="truncate">{title}</span>
      </Button>
      <code className="min-w-0 truncate font-mono text-xs text-text-2">{portOf(port)}</code>
    </div>
  );
}

/** If an input takes many edges: whose value comes first. */
function EdgeOrder({ id, to }: { id: EdgeId; to: string }) {
  const { editor } = useSession();
  const isMany = useEditor(({ doc, catalog }) => inputPort(doc, catalog, to)?.many !== undefined);
  const flow = useEditor((state) => state.doc.flow);
  if (!isMany) return null;
  const edges = incoming(flowGraph(flow), nodeOf(to)).filter((edge) => edge.toPort === portOf(to));
  if (edges.length < 2) return null;
  const at = edges.findIndex((edge) => id === `${edge.from}.${edge.fromPort}>${to}`);
  const move = (by: number) =>
    editor.getState().commit('Change order of edges', (draft) => moveEdge(draft, id, by));
  return (
    <Section title="Order">
      <p className="text-xs text-text-2">
        The values come in this order; of a merge the first live one wins.
      </p>
      <ol className="flex flex-col gap-1">
        {edges.map((edge, i) => (
          <li key={edge.at} className={i === at ? 'font-semibold' : 'text-text-2'}>
            {i + 1}. <code className="font-mono text-xs">{`${edge.from}.${edge.fromPort}`}</code>
          </li>
        ))}
      </ol>
      <div className="flex gap-1">
        <IconButton
          size="sm"
          icon={ArrowUp}
          label="Move this edge up"
          disabled={at <= 0}
          onClick={() => move(-1)}
        />
        <IconButton
          size="sm"
          icon={ArrowDown}
          label="Move this edge down"
          disabled={at === edges.length - 1}
          onClick={() => move(1)}
        />
      </div>
    </Section>
  );
}
