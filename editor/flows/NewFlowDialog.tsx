import { Radio } from '@base-ui/react/radio';
import { RadioGroup } from '@base-ui/react/radio-group';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FlowSummary } from '#shared/api.ts';
import { sectionTitle } from '../ui/styles.ts';
import { toast } from '../ui/toast.ts';
import { createEmpty, createFrom } from './flow-actions.ts';
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

const STARTS: readonly Start[] = [
  { value: EMPTY, title: 'Empty', text: 'A blank canvas.' },
  { value: HELLO, title: 'Hello', text: 'Answers a GET request with a greeting: two nodes.' },
];

/** Creates a flow: empty, or with two nodes that answer. */
export function NewFlowDialog({ flows, onClose }: { flows: readonly FlowSummary[]; onClose(): void }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [start, setStart] = useState(EMPTY);
  const name = start === EMPTY ? 'My flow' : 'My hello';

  const create = async (chosen: string, id: string): Promise<void> => {
    try {
      await begin(start, id, chosen);
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
        <div className="mt-1.5 grid gap-2 p-0.5 sm:grid-cols-2">
          {STARTS.map((entry) => (
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
        <p className="mt-2 text-xs text-text-2">
          Or begin with{' '}
          <Link to="/templates" className="text-accent underline" onClick={onClose}>
            a template
          </Link>
          : flows for common jobs, which run at once.
        </p>
      </RadioGroup>
    </NameDialog>
  );
}

function begin(start: string, id: string, name: string): Promise<unknown> {
  if (start === EMPTY) return createEmpty(id, name);
  const { flow, layout } = helloFlow(id, name);
  return createFrom(flow, layout);
}
