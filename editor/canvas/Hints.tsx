import { useConnection } from '@xyflow/react';
import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { portsOfNode } from '../model/document/geometry.ts';
import type { Point } from '../model/document/document.ts';
import { useEditor } from '../session/session.tsx';
import { type PortTip, useCanvas } from './canvas-store.ts';
import { usePortTypes } from '../session/use-port-types.ts';

/** Texts near the pointer: why a wire is refused, what a port is. */
export function Hints() {
  const wire = useCanvas((s) => s.wire);
  const refusal = useCanvas((s) => s.refusal);
  const tip = useCanvas((s) => s.tip);
  const over = useConnection((c) =>
    c.inProgress && c.toHandle ? `${c.toHandle.nodeId}.${c.toHandle.id}` : '',
  );
  const pointer = useConnection((c) => (c.inProgress && c.toHandle ? c.pointer : null));
  const verdict = wire && over !== '' ? wire.judge(over) : undefined;
  if (verdict && !verdict.ok && pointer) return <Refusal at={pointer} text={verdict.reason} />;
  if (refusal && refusal.text !== '') return <Refusal at={refusal.at} text={refusal.text} />;
  return tip && !wire ? <TipOfPort tip={tip} /> : null;
}

function Refusal({ at, text }: { at: Point; text: string }) {
  return (
    <Bubble at={at}>
      <span className="flex items-start gap-1.5 text-bad">
        <CircleX aria-hidden className="mt-px size-4 shrink-0" />
        <span className="text-text">{text}</span>
      </span>
    </Bubble>
  );
}

const KINDS = {
  value: 'a value',
  stream: 'a stream of values',
  either: 'a value or a stream',
} as const;

function TipOfPort({ tip }: { tip: PortTip }) {
  const doc = useEditor((s) => s.doc);
  const catalog = useEditor((s) => s.catalog);
  const ports = portsOfNode(doc, catalog, tip.node);
  const input = tip.side === 'left' ? ports.inputs.find((p) => p.name === tip.port) : undefined;
  const port = input ?? ports.outputs.find((p) => p.name === tip.port);
  if (!port) return null;
  const needs = input && (input.many ? 'takes many edges' : input.required ? 'required' : 'optional');
  return (
    <Bubble at={tip.at}>
      <span className="font-semibold">{port.name}</span>
      <span className="text-text-2">
        {' '}
        {input ? 'takes' : 'gives'} {KINDS[port.kind]}
        {needs && `, ${needs}`}
      </span>
      {port.doc && <span className="block">{port.doc}</span>}
      <TypeLines port={`${tip.node}.${tip.port}`} side={input ? 'input' : 'output'} />
    </Bubble>
  );
}

/** What is known about the values at a port before a run. */
function TypeLines({ port, side }: { port: string; side: 'input' | 'output' }) {
  const types = usePortTypes(port, side);
  return (
    <>
      {types?.takes && <TypeLine word="Takes" type={types.takes} />}
      {types?.carries && <TypeLine word={side === 'input' ? 'Gets' : 'Gives'} type={types.carries} />}
    </>
  );
}

function TypeLine({ word, type }: { word: string; type: string }) {
  return (
    <span className="block text-text-2">
      {word} <code className="font-mono break-words text-text">{type}</code>
    </span>
  );
}

function Bubble({ at, children }: { at: Point; children: ReactNode }) {
  return (
    <div
      role="presentation"
      style={{ left: at.x + 14, top: at.y + 14 }}
      className="pointer-events-none absolute z-20 max-w-70 rounded-md border border-line bg-surface px-2 py-1.5 text-xs shadow-(--shadow)"
    >
      {children}
    </div>
  );
}
