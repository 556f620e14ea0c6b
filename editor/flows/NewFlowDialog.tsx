import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { sectionTitle } from '../ui/styles.ts';
import { toast } from '../ui/toast.ts';
import { copyFlow, createEmpty, createFrom } from './flow-actions.ts';
import { freeId, idFrom } from '#shared/flow-copy.ts';
import { helloFlow } from './new-flow.ts';
import { NameDialog } from './NameDialog.tsx';

const EMPTY = 'start:empty';
const HELLO = 'start:hello';

interface Start {
  readonly value: string;
  readonly title: string;
  readonly text: string;
}

const OWN: readonly Start[] = [
  { value: EMPTY, title: 'Empty', text: 'A blank canvas.' },
  { value: HELLO, title: 'Hello', text: 'Answers a GET request with a greeting: two nodes, live at once.' },
];

/** Creates a flow: empty, or from a working example. */
export function NewFlowDialog({ flows, onClose }: { flows: readonly FlowSummary[]; onClose(): void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [start, setStart] = useState(EMPTY);
  const examples = flows.filter((flow) => flow.file.startsWith('examples/') && flow.state !== 'broken');
  const starts = [...OWN, ...examples.map(startFrom)];
  const title = starts.find(({ value }) => value === start)?.title ?? '';
  const name = start === EMPTY ? 'My flow' : `My ${title.toLowerCase()}`;

  const create = async (chosen: string, id: string): Promise<void> => {
    try {
      await begin(start, id, chosen, flows);
      void queries.invalidateQueries({ queryKey: ['flows'] });
      await navigate({ to: '/flows/$id', params: { id } });
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), { kind: 'error' });
    }
  };

  return (
    <NameDialog
      key={start}
      title="New flow"
      action="Create"
      name={name}
      id={freeId(idFrom(name), new Set(flows.map(({ id }) => id)))}
      taken={flows}
      help="The name of its file. It cannot be changed later; the name can."
      onClose={onClose}
      onDone={create}
    >
      <RadioGroup aria-label="Start from" value={start} onValueChange={(value) => setStart(String(value))}>
        <p className={sectionTitle}>Start from</p>
        <div className="mt-1.5 grid max-h-64 gap-2 overflow-y-auto p-0.5 sm:grid-cols-2">
          {starts.map((entry) => (
            <Radio.Root
              key={entry.value}
              value={entry.value}
              nativeButton
              render={<button type="button" />}
              className="flex flex-col items-start rounded-lg border border-line px-3 py-2 text-left hover:border-line-strong data-checked:border-accent data-checked:bg-accent-soft"
            >
              <span className="font-medium">{entry.title}</span>
              <span className="line-clamp-2 text-xs text-text-2">{entry.text}</span>
            </Radio.Root>
          ))}
        </div>
      </RadioGroup>
    </NameDialog>
  );
}

function startFrom({ id, name, description, file }: FlowSummary): Start {
  return { value: id, title: name ?? id, text: description ?? `A copy of ${file}.` };
}

function begin(start: string, id: string, name: string, flows: readonly FlowSummary[]): Promise<unknown> {
  if (start === EMPTY) return createEmpty(id, name);
  if (start !== HELLO) return copyFlow(start, { id, name }, flows);
  const { flow, layout } = helloFlow(id, name);
  return createFrom(flow, layout);
}
