import { useState } from 'react';
import type { NodeOutputs } from '#shared/api.ts';
import { CodeEditor } from '../form/CodeEditor.tsx';
import { jsonText, parsedJson } from '../form/json-text.ts';
import { portsOfNode } from '../model/document/geometry.ts';
import { useEditor, useRuns, useSession } from '../session/session.tsx';
import { earlierRun } from '../state/earlier-run.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { clockText } from '../ui/format.ts';
import { useNodeTitle } from '../session/use-node-title.ts';

/** The output of a node as JSON, port by port: to pin it, or to continue with it. */
export function OutputDialog({ node, onClose }: { node: string; onClose(): void }) {
  const title = useNodeTitle();
  const ports = usePorts(node);
  const [texts, setTexts] = useTexts(node, ports);
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="lg"
      title={`Output of ${title(node)}`}
      description={
        <>
          <b>Pinned</b>, runs that you start by hand use it and skip the node, until you unpin it. Triggers,
          chats and schedules never use pins.
        </>
      }
      footer={<Buttons node={node} outputs={outputsOf(ports, texts)} onClose={onClose} />}
    >
      <div className="flex flex-col gap-3">
        {ports.map((port) => (
          <PortEditor
            key={port}
            port={port}
            text={texts[port] ?? ''}
            onChange={(text) => setTexts({ ...texts, [port]: text })}
          />
        ))}
      </div>
    </Dialog>
  );
}

type Outputs = NodeOutputs[string];

interface ButtonsProps {
  node: string;
  /** Undefined while a text is not valid JSON, or if no output is given. */
  outputs: Outputs | undefined;
  onClose(): void;
}

function Buttons({ node, outputs, onClose }: ButtonsProps) {
  const actions = useRuns((state) => state.actions);
  const earlier = useEarlier();
  const close = (act: Promise<void> | undefined): void => {
    onClose();
    void act;
  };
  return (
    <>
      <Button variant="ghost" onClick={onClose}>
        Cancel
      </Button>
      {/* Closes when the server has stored it, so that a run that is started next uses it. */}
      <Button disabled={!outputs} onClick={() => void actions.pin(node, outputs).then(onClose)}>
        Pin this output
      </Button>
      {earlier && (
        <Button
          variant="primary"
          disabled={!outputs}
          title={`With the other outputs of the run at ${clockText(earlier.startedAt).slice(0, 8)}`}
          onClick={() => close(outputs && actions.fork(earlier.id, { [node]: outputs }))}
        >
          Continue from here with this value
        </Button>
      )}
    </>
  );
}

/** The values of the texts; an empty text gives no output. */
function outputsOf(ports: readonly string[], texts: Readonly<Record<string, string>>): Outputs | undefined {
  const parsed = ports.map((port) => [port, parsedJson(texts[port] ?? '')] as const);
  if (parsed.some(([, result]) => 'fault' in result)) return undefined;
  const given = parsed.flatMap(([port, result]) =>
    'value' in result && result.value !== undefined ? [[port, result.value] as const] : [],
  );
  return given.length > 0 ? (Object.fromEntries(given) as Outputs) : undefined;
}

interface PortEditorProps {
  port: string;
  text: string;
  onChange(text: string): void;
}

function PortEditor({ port, text, onChange }: PortEditorProps) {
  const result = parsedJson(text);
  const fault = 'fault' in result ? result.fault : undefined;
  return (
    <div className="flex flex-col gap-1">
      <h3 className="font-mono text-xs font-semibold">{port}</h3>
      <CodeEditor
        language="json"
        multiline
        label={`Output ${port} as JSON`}
        placeholder="Empty: no value here"
        value={text}
        invalid={fault !== undefined}
        onChange={onChange}
      />
      {fault !== undefined && (
        <p role="alert" className="text-xs text-bad">
          {fault}
        </p>
      )}
    </div>
  );
}

/** The outputs that can replace running the node: all but its error. */
function usePorts(node: string): readonly string[] {
  const names = useEditor(({ doc, catalog }) =>
    portsOfNode(doc, catalog, node)
      .outputs.map(({ name }) => name)
      .join(' '),
  );
  return names.split(' ').filter((name) => name !== '' && name !== 'error');
}

function useEarlier() {
  const { runs } = useSession();
  return useState(() => earlierRun(runs.getState()))[0];
}

/** Initially the pinned output, otherwise the one of the run on the canvas. */
function useTexts(node: string, ports: readonly string[]) {
  const { runs } = useSession();
  return useState<Readonly<Record<string, string>>>(() => {
    const { pins, shown } = runs.getState();
    const values = pins[node] ?? shown?.nodes[node]?.outputs ?? {};
    return Object.fromEntries(ports.map((port) => [port, jsonText(values[port])]));
  });
}
